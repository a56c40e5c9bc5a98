# What all compiled code of the project shares. Nothing here reaches the users of the installed library.

# tessera_compile_options(<target>): warnings, sanitizers, the machine's own instructions on request.
function(tessera_compile_options target)
  target_compile_options(${target} PRIVATE -Wall -Wextra)
  if(TESSERA_SANITIZE)
    target_compile_options(${target} PRIVATE -fsanitize=${TESSERA_SANITIZE} -fno-sanitize-recover=all
                                             -fno-omit-frame-pointer)
    target_link_options(${target} PRIVATE -fsanitize=${TESSERA_SANITIZE})
  endif()
  if(TESSERA_ENABLE_FUZZING)
    target_compile_options(${target} PRIVATE -fsanitize=fuzzer-no-link)
  endif()
  if(TESSERA_NATIVE)
    target_compile_options(${target} PRIVATE -march=native)
  endif()
  # GCC collects its garbage again and again beyond 128 MB; without that it takes 5 % less time and up to 1 GB.
  if(TESSERA_PRECOMPILE)
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANG_AND_ID:CXX,GNU>:--param=ggc-min-heapsize=1048576>)
  endif()
endfunction()

# nvcc and its kin compile a translation unit several times and cannot use a precompiled header.
set(TESSERA_PRECOMPILE ON)
if(Kokkos_ENABLE_CUDA OR Kokkos_ENABLE_HIP OR Kokkos_ENABLE_SYCL)
  set(TESSERA_PRECOMPILE OFF)
endif()

# The optimization of programs that measure nothing, the tests and the examples, after the build type's. Clang takes half
# the time at -O0, where GCC would save little; -O1 is the least that nvcc has.
if(Kokkos_ENABLE_CUDA)
  set(TESSERA_LITTLE_OPTIMIZATION $<$<CONFIG:Release>:-O1>)
elseif(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  set(TESSERA_LITTLE_OPTIMIZATION $<$<CONFIG:Release>:-O0>)
else()
  set(TESSERA_LITTLE_OPTIMIZATION $<$<CONFIG:Release>:-Og>)
endif()

# tessera_strategy_families(<header>): the assembly strategies that a header lists, one a line, by family. Sets families,
# and strategies_<family> for each that is not empty.
function(tessera_strategy_families header)
  file(STRINGS ${header} lines REGEX "^ +assembly::[A-Za-z]+")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${header})
  set(families "")
  foreach(line IN LISTS lines)
    string(REGEX REPLACE "^ +assembly::([A-Za-z]+).*" "\\1" strategy "${line}")
    set(family others)
    if(strategy MATCHES "^(Element|Row|Nz)")
      set(family ${CMAKE_MATCH_1})
    endif()
    list(APPEND families ${family})
    list(APPEND strategies_${family} ${strategy})
  endforeach()
  list(REMOVE_DUPLICATES families)
  set(families ${families} PARENT_SCOPE)
  foreach(family IN LISTS families)
    set(strategies_${family} ${strategies_${family}} PARENT_SCOPE)
  endforeach()
endfunction()

# tessera_element_groups(<header>): the elements that a header lists, a text for each line of its list; those of
# TESSERA_ELEMENTS alone unless it is empty. Sets element_groups.
function(tessera_element_groups header)
  file(READ ${header} text)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${header})
  list(JOIN TESSERA_ELEMENTS "|" wanted)
  string(REGEX MATCHALL "\n +X\\([^\n]*\\)" lines "${text}")
  set(groups "")
  set(unknown ${TESSERA_ELEMENTS})
  foreach(line IN LISTS lines)
    string(REGEX MATCHALL "[A-Z][a-z]+<[0-9]>" elements "${line}")
    list(REMOVE_ITEM unknown ${elements})
    if(TESSERA_ELEMENTS)
      list(FILTER elements INCLUDE REGEX "^(${wanted})$")
    endif()
    list(JOIN elements " " group)
    if(group)
      list(APPEND groups "${group}")
    endif()
  endforeach()
  if(unknown)
    message(FATAL_ERROR "TESSERA_ELEMENTS: there is no element ${unknown} in ${header}")
  endif()
  set(element_groups ${groups} PARENT_SCOPE)
endfunction()

# tessera_write_compiled_elements(<file>): a header with TESSERA_FOR_EACH_COMPILED_ELEMENT and CompiledElements, for the
# elements of element_groups. Few sources include it, so that more elements compile few of them again.
function(tessera_write_compiled_elements file)
  string(REPLACE ";" " " elements "${element_groups}")
  string(REPLACE " " ";" elements "${elements}")
  list(TRANSFORM elements REPLACE "(.+)" "  X(\\1 __VA_OPT__(, ) __VA_ARGS__)" OUTPUT_VARIABLE expansions)
  list(JOIN expansions " \\\n" expansions)
  list(JOIN elements ", " elements)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/compiled/compiled_elements.hpp.in ${file} @ONLY)
endfunction()

# Names that the catalogue's kernels have in the compiled library (strategies/CMakeLists.txt says why).
set(TESSERA_CATALOGUE_NAMES assembly=compiled_assembly Pack=CompiledPack)
