# SPDX-License-Identifier: BSD-3-Clause
# What all compiled code of the project shares. Nothing here reaches the users of the installed library.

# Where nothing is optimized Clang still copies what is forced inline, every access to a View and every operation of packs, into all
# its callers: half their code. Programs (tests, tools, examples) do without that: their compilation takes a sixth to a third less
# time, their run a seventh more. The libraries, which run longer than they compile, keep it.
set(TESSERA_DO_NOT_FORCE_INLINE "")
set(TESSERA_FORCE_INLINE "")
if(CMAKE_CXX_COMPILER_ID STREQUAL Clang AND CMAKE_BUILD_TYPE STREQUAL Release AND CMAKE_CXX_FLAGS_RELEASE MATCHES "-O0")
  set(TESSERA_DO_NOT_FORCE_INLINE KOKKOS_IMPL_HOST_FORCEINLINE_FUNCTION=inline)
  set(TESSERA_FORCE_INLINE -UKOKKOS_IMPL_HOST_FORCEINLINE_FUNCTION) # for sources that are optimized all the same
endif()

# tessera_optimize_sources(<source>...): optimized in every build; they do without the precompiled header, which may not be.
function(tessera_optimize_sources)
  set_source_files_properties(${ARGN} PROPERTIES COMPILE_OPTIONS "-O2;${TESSERA_FORCE_INLINE}" SKIP_PRECOMPILE_HEADERS ON)
endfunction()

# tessera_optimize(<name> <source>...): the sources are optimized where TESSERA_OPTIMIZED has the name.
function(tessera_optimize name)
  if(name IN_LIST TESSERA_OPTIMIZED)
    tessera_optimize_sources(${ARGN})
  endif()
endfunction()

# tessera_compile_options(<target>): warnings, sanitizers, the machine's own instructions on request.
function(tessera_compile_options target)
  target_compile_options(${target} PRIVATE -Wall -Wextra)
  # A shared library calls its own functions: not a program's of the same name, and without looking for each as it is loaded.
  get_target_property(type ${target} TYPE)
  if(type STREQUAL SHARED_LIBRARY AND CMAKE_EXECUTABLE_FORMAT STREQUAL ELF)
    target_link_options(${target} PRIVATE LINKER:-Bsymbolic-functions)
  endif()
  if(TESSERA_SANITIZE)
    target_compile_options(${target} PRIVATE -fsanitize=${TESSERA_SANITIZE} -fno-sanitize-recover=all
                                             -fno-omit-frame-pointer)
    target_link_options(${target} PRIVATE -fsanitize=${TESSERA_SANITIZE})
  endif()
  if(TESSERA_ENABLE_FUZZING)
    target_compile_options(${target} PRIVATE -fsanitize=fuzzer-no-link)
  endif()
  if(TESSERA_NATIVE MATCHES "^(ON|TRUE|YES|Y|1)$")
    target_compile_options(${target} PRIVATE -march=native)
  elseif(TESSERA_NATIVE)
    target_compile_options(${target} PRIVATE -march=${TESSERA_NATIVE})
  endif()
  if(TESSERA_PRECOMPILE)
    # What applications' -Wpedantic -Werror refuses where they build the library as a part of theirs.
    target_compile_options(${target} PRIVATE -Werror=overlength-strings -Werror=extra-semi)
    # What Kokkos or another library will take away.
    target_compile_options(${target} PRIVATE -Werror=deprecated-declarations)
    # Kokkos works out the name of each kernel's type as the kernel is compiled, for kernels without a label; the library has
    # none such, and it takes a sixth of Clang's time. As if its header for that had been read, it asks typeid in a run.
    target_compile_definitions(${target} PRIVATE KOKKOS_TYPE_INFO_HPP)
    # GCC collects its garbage again and again beyond 128 MB; without that it takes 5 % less time and up to 1 GB.
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANG_AND_ID:CXX,GNU>:--param=ggc-min-heapsize=1048576>)
  endif()
endfunction()

# tessera_compile_together(<target> <number>): where TESSERA_UNITY is ON, so many of its sources at a time as one, which
# instantiates once what they share. A change in one compiles all of them again. Sources with options of their own are left alone.
# Compilers for devices take minutes for so many: half the number.
function(tessera_compile_together target number)
  if(TESSERA_UNITY)
    if(NOT TESSERA_PRECOMPILE)
      math(EXPR number "(${number} + 1) / 2")
    endif()
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${number})
  endif()
endfunction()

# nvcc and its kin compile a translation unit several times and cannot use a precompiled header.
set(TESSERA_PRECOMPILE ON)
if(Kokkos_ENABLE_CUDA OR Kokkos_ENABLE_HIP OR Kokkos_ENABLE_SYCL)
  set(TESSERA_PRECOMPILE OFF)
endif()

# tessera_begin_with(<target> <header>...): each of its sources begins with the headers: precompiled, or read where there is no
# such thing. What they say is compiled elsewhere (cmake/compiled), none of the sources compiles again.
function(tessera_begin_with target)
  if(TESSERA_PRECOMPILE)
    target_precompile_headers(${target} PRIVATE ${ARGN})
  else()
    list(TRANSFORM ARGN REPLACE "^([^<].*)" "\"\\1\"" OUTPUT_VARIABLE lines)
    list(TRANSFORM lines REPLACE "(.+)" "#include \\1")
    list(JOIN lines "\n" lines)
    set(header ${CMAKE_CURRENT_BINARY_DIR}/${target}_begin.hpp)
    file(CONFIGURE OUTPUT ${header} CONTENT "${lines}")
    target_compile_options(${target} PRIVATE "SHELL:-include \"${header}\"")
    set_target_properties(${target} PROPERTIES TESSERA_BEGIN ${header})
  endif()
endfunction()

# tessera_begin_as(<target> <other>): with the headers that the other target's sources begin with, and inlining as there: of programs.
function(tessera_begin_as target other)
  target_compile_definitions(${target} PRIVATE ${TESSERA_DO_NOT_FORCE_INLINE})
  if(TESSERA_PRECOMPILE)
    target_precompile_headers(${target} REUSE_FROM ${other})
  else()
    target_compile_options(${target} PRIVATE "SHELL:-include \"$<TARGET_PROPERTY:${other},TESSERA_BEGIN>\"")
  endif()
endfunction()

# tessera_compile_header(<target>): what the target's precompiled header defines, Clang compiles from the header itself, into
# <target>_header, for all who reuse the header; without that each of their sources compiles it again. For targets that are
# not optimized. A program needs a part of it: lld leaves the rest away, and what only that calls may be missing.
function(tessera_compile_header target)
  if(NOT (CMAKE_CXX_COMPILER_ID STREQUAL Clang AND CMAKE_GENERATOR STREQUAL Ninja AND CMAKE_EXE_LINKER_FLAGS MATCHES "=lld"))
    return()
  endif()
  # Its sources know nothing of the first one.
  target_compile_options(${target} PRIVATE -fpch-codegen -Wno-unused-command-line-argument)
  set(header ${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/${target}.dir/cmake_pch.hxx.pch)
  set(object ${CMAKE_CURRENT_BINARY_DIR}/${target}_header.o)
  add_custom_command(OUTPUT ${object} DEPENDS ${header} VERBATIM
                     COMMAND ${CMAKE_CXX_COMPILER} -O0 -ffunction-sections -c ${header} -o ${object})
  add_library(${target}_header STATIC ${object})
  set_target_properties(${target}_header PROPERTIES LINKER_LANGUAGE CXX)
  target_link_options(${target}_header INTERFACE LINKER:--gc-sections)
  target_link_libraries(${target} INTERFACE ${target}_header)
endfunction()

# The optimization of programs that measure nothing, the tests and the examples, after the build type's. Clang takes half
# the time at -O0, where GCC would save little; -O1 is the least that nvcc has, and
# at -O0 kernels for HIP need stacks of their own.
if(Kokkos_ENABLE_CUDA OR Kokkos_ENABLE_HIP)
  set(TESSERA_LITTLE_OPTIMIZATION $<$<CONFIG:Release>:-O1>)
elseif(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  set(TESSERA_LITTLE_OPTIMIZATION $<$<CONFIG:Release>:-O0>)
else()
  set(TESSERA_LITTLE_OPTIMIZATION $<$<CONFIG:Release>:-Og>)
endif()

# What tools precompile.
set(TESSERA_TOOL_HEADERS <Kokkos_Core.hpp> <tessera/cmake/compiled/meshes.hpp> <tessera/strategies/catalogue/detail/flops.hpp>)

# The elements that can be compiled, by their names in the tools; core/elements/elements.hpp lists their types in this order,
# which the header that is generated asserts.
set(TESSERA_KNOWN_ELEMENTS tri1 tri2 tri3 tri4 tri5 quad1 quad2 tet1 hex1 tet2 tet3 hex2 quad8 hex20 wedge1 pyramid1 wedge2
    wedge15 pyramid13)
set(TESSERA_SERENDIPITY_ELEMENTS quad8 hex20 wedge15 pyramid13)

# tessera_choose_elements(<file>): the elements of TESSERA_ELEMENTS, all of them if it is empty, into compiled_elements. Writes
# a header with TESSERA_FOR_EACH_COMPILED_ELEMENT and CompiledElements; few sources include it, so that more elements compile
# few of them again. TESSERA_FOR_EACH_COMPILED_MESH has the linear elements of their shapes as well, whose meshes are elevated.
function(tessera_choose_elements file)
  set(chosen ${TESSERA_KNOWN_ELEMENTS})
  set(all true)
  if(TESSERA_ELEMENTS)
    set(unknown ${TESSERA_ELEMENTS})
    list(REMOVE_ITEM unknown ${TESSERA_KNOWN_ELEMENTS})
    if(unknown)
      list(JOIN TESSERA_KNOWN_ELEMENTS ", " known)
      message(FATAL_ERROR "TESSERA_ELEMENTS: there is no element ${unknown}; there are ${known}")
    endif()
    list(JOIN TESSERA_ELEMENTS "|" wanted)
    list(FILTER chosen INCLUDE REGEX "^(${wanted})$")
    set(all false)
  endif()
  list(TRANSFORM chosen REPLACE "[0-9]+$" "1" OUTPUT_VARIABLE linear)
  set(with_meshes ${chosen} ${linear})
  list(REMOVE_DUPLICATES with_meshes)
  foreach(list chosen with_meshes)
    set(${list}_types "")
    foreach(element IN LISTS ${list})
      tessera_element_type(${element})
      list(APPEND ${list}_types ${type})
    endforeach()
    list(TRANSFORM ${list}_types REPLACE "(.+)" "  X(\\1 __VA_OPT__(, ) __VA_ARGS__)" OUTPUT_VARIABLE ${list}_expansions)
    list(JOIN ${list}_expansions " \\\n" ${list}_expansions)
  endforeach()
  list(JOIN chosen_types ", " types)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/compiled/compiled_elements.hpp.in ${file} @ONLY)
  set(compiled_elements ${chosen} PARENT_SCOPE)
endfunction()

# tessera_element_type(<element>): its type in C++, as Tet<1> for tet1 and Hex20 for hex20, into type.
function(tessera_element_type element)
  string(REGEX MATCH "^(.)([a-z]*)([0-9]*)$" matched ${element})
  string(TOUPPER ${CMAKE_MATCH_1} initial)
  set(number "<${CMAKE_MATCH_3}>")
  if(${element} IN_LIST TESSERA_SERENDIPITY_ELEMENTS) # by their nodes; the others by their order
    set(number ${CMAKE_MATCH_3})
  endif()
  set(type "${initial}${CMAKE_MATCH_2}${number}" PARENT_SCOPE)
endfunction()
