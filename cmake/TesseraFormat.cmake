# SPDX-License-Identifier: BSD-3-Clause
# Target format brings all sources into the format of .clang-format, and the test format.check fails where one is not;
# target tidy and the tests tidy.* run clang-tidy with .clang-tidy on the sources of io and the headers of the other modules.
# All of them only where the program is.

# Older versions break lines at requires clauses in another way.
set(TESSERA_CLANG_FORMAT_MINIMUM 21)
find_program(TESSERA_CLANG_FORMAT NAMES clang-format clang-format-${TESSERA_CLANG_FORMAT_MINIMUM})
find_program(TESSERA_CLANG_TIDY NAMES clang-tidy)
mark_as_advanced(TESSERA_CLANG_FORMAT TESSERA_CLANG_TIDY)

set(clang_format_version 0)
if(TESSERA_CLANG_FORMAT)
  execute_process(COMMAND ${TESSERA_CLANG_FORMAT} --version OUTPUT_VARIABLE clang_format_version)
  string(REGEX REPLACE ".*version ([0-9]+).*" "\\1" clang_format_version "${clang_format_version}")
endif()
if(NOT clang_format_version VERSION_LESS TESSERA_CLANG_FORMAT_MINIMUM)
  set(patterns *.hpp)
  foreach(module cmake core distributed examples io perf_tests python solvers strategies tools unit_tests)
    list(APPEND patterns ${module}/*.hpp ${module}/*.cpp)
  endforeach()
  list(TRANSFORM patterns PREPEND ${PROJECT_SOURCE_DIR}/)
  list(POP_FRONT patterns umbrella)
  file(GLOB_RECURSE formatted CONFIGURE_DEPENDS ${patterns})
  file(GLOB umbrella CONFIGURE_DEPENDS ${umbrella})
  add_custom_target(format COMMAND ${TESSERA_CLANG_FORMAT} -i ${umbrella} ${formatted} VERBATIM)
  if(TESSERA_ENABLE_TESTS)
    add_test(NAME format.check COMMAND ${TESSERA_CLANG_FORMAT} --dry-run --Werror ${umbrella} ${formatted})
  endif()
endif()

# tessera_add_tidy(<name> <like> <source>...): the target tidy_<name> and the test tidy.<name> check the sources, or headers
# by the names under which they are included, as one file, with the compiler's options for the source <like>.cpp. Nearly all
# the time goes into the headers, above all Kokkos': a quarter of a minute to a minute for each such file, where one source
# after another would take ten.
function(tessera_add_tidy name like)
  if(NOT ARGN)
    message(FATAL_ERROR "tidy.${name} has nothing to check")
  endif()
  list(JOIN ARGN "|" sources)
  # clang-tidy takes the options of the source of this name.
  set(together ${PROJECT_BINARY_DIR}/tidy/${name}/${like}.cpp)
  set(command ${CMAKE_COMMAND} -DPROGRAM=${TESSERA_CLANG_TIDY} -DBUILD=${PROJECT_BINARY_DIR}
              -DCONFIGURATION=${PROJECT_SOURCE_DIR}/.clang-tidy "-DSOURCES=${sources}" -DTOGETHER=${together}
              -P ${PROJECT_SOURCE_DIR}/cmake/tidy.cmake)
  add_custom_target(tidy_${name} COMMAND ${command} VERBATIM)
  add_dependencies(tidy tidy_${name})
  if(TESSERA_ENABLE_TESTS)
    add_test(NAME tidy.${name} COMMAND ${command})
  endif()
endfunction()

if(TESSERA_CLANG_TIDY)
  add_custom_target(tidy)
endif()

# The sources of io, with VTK and without.
if(TESSERA_CLANG_TIDY AND TARGET tessera_io)
  get_target_property(vtk tessera_io SOURCES)
  list(FILTER vtk INCLUDE REGEX "\\.cpp$")
  set(others ${vtk})
  list(FILTER vtk INCLUDE REGEX "/vtk/")
  list(FILTER others EXCLUDE REGEX "/vtk/")
  tessera_add_tidy(io read ${others})
  if(vtk)
    tessera_add_tidy(io_vtk vtk/reader ${vtk})
  endif()
endif()

# The modules of headers alone: as they are written, and every assembly strategy for one element.
if(TESSERA_CLANG_TIDY AND TARGET tessera_catalogue)
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/core/*.hpp
       ${PROJECT_SOURCE_DIR}/solvers/*.hpp ${PROJECT_SOURCE_DIR}/strategies/*.hpp)
  list(FILTER headers EXCLUDE REGEX "/sacado\\.hpp$")
  if(NOT TESSERA_HAVE_KOKKOSKERNELS)
    list(FILTER headers EXCLUDE REGEX "/kokkos_kernels")
  endif()
  list(TRANSFORM headers PREPEND tessera/)
  get_target_property(instantiations tessera_catalogue SOURCES)
  list(FILTER instantiations INCLUDE REGEX "assembly_tet3\\.cpp$")
  tessera_add_tidy(headers flops ${headers} ${instantiations})
endif()
if(TESSERA_CLANG_TIDY AND TARGET tessera_distributed)
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/distributed/*.hpp)
  list(FILTER headers EXCLUDE REGEX "/(hypre|tpetra)/")
  list(TRANSFORM headers PREPEND tessera/)
  tessera_add_tidy(distributed agree ${headers})
endif()
