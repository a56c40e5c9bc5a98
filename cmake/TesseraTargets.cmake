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

# tessera_strategy_families(<list>): the assembly strategies of a list, which C++ includes and CMake reads: a line
# TESSERA_ASSEMBLY(<strategy>) each. Sets families, and strategies_<family> for each that is not empty.
function(tessera_strategy_families list)
  macro(TESSERA_ASSEMBLY strategy)
    set(family others)
    if("${strategy}" MATCHES "^(Element|Row|Nz)")
      set(family ${CMAKE_MATCH_1})
    endif()
    list(APPEND families ${family})
    list(APPEND strategies_${family} ${strategy})
  endmacro()
  set(families "")
  include(${list})
  list(REMOVE_DUPLICATES families)
  set(families ${families} PARENT_SCOPE)
  foreach(family IN LISTS families)
    set(strategies_${family} ${strategies_${family}} PARENT_SCOPE)
  endforeach()
endfunction()

# The elements of core/elements/elements.hpp in its order, a text for those that are compiled in one source file: the two
# that the demo compares share one, the one that it solves on has its own. The compiler holds the list against the header.
set(TESSERA_ALL_ELEMENTS "Tri<1> Tri<2> Tri<3>" "Tri<4> Tri<5>" "Quad<1> Quad<2>" "Tet<1> Hex<1>" "Tet<2>" "Tet<3>" "Hex<2>")

# tessera_element_groups(): sets element_groups to TESSERA_ALL_ELEMENTS, or to those of TESSERA_ELEMENTS where it is not
# empty.
function(tessera_element_groups)
  set(groups "")
  set(unknown ${TESSERA_ELEMENTS})
  foreach(text IN LISTS TESSERA_ALL_ELEMENTS)
    separate_arguments(elements UNIX_COMMAND "${text}")
    set(group "")
    foreach(element IN LISTS elements)
      list(REMOVE_ITEM unknown ${element})
      if(NOT TESSERA_ELEMENTS OR element IN_LIST TESSERA_ELEMENTS)
        list(APPEND group ${element})
      endif()
    endforeach()
    list(JOIN group " " group)
    if(group)
      list(APPEND groups "${group}")
    endif()
  endforeach()
  if(unknown)
    list(JOIN TESSERA_ALL_ELEMENTS " " known)
    message(FATAL_ERROR "TESSERA_ELEMENTS: there is no element ${unknown}; there are ${known}")
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
  set(all_of_them false)
  if(NOT TESSERA_ELEMENTS)
    set(all_of_them true)
  endif()
  configure_file(${PROJECT_SOURCE_DIR}/cmake/compiled/compiled_elements.hpp.in ${file} @ONLY)
endfunction()

# Names that the catalogue's kernels have in the compiled library (strategies/CMakeLists.txt says why).
set(TESSERA_CATALOGUE_NAMES assembly=compiled_assembly Pack=CompiledPack)
