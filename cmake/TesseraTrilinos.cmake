# SPDX-License-Identifier: BSD-3-Clause
# Whether there are Tpetra, Belos and MueLu for the programs that include tessera/distributed/tpetra: TESSERA_HAVE_TRILINOS.
# Where it is ON, a folder that has such programs calls tessera_find_trilinos(). Installed, so that the examples can be built
# outside the source tree.
set(TESSERA_ENABLE_TRILINOS AUTO CACHE STRING "Build what needs Tpetra, Belos and MueLu: AUTO, ON or OFF")
set_property(CACHE TESSERA_ENABLE_TRILINOS PROPERTY STRINGS AUTO ON OFF)

# Distributions split Trilinos, and where a part is missing its CMake files end the configuration: tried in another, once
# for all folders.
if(NOT DEFINED TESSERA_HAVE_TRILINOS)
  string(TOUPPER "${TESSERA_ENABLE_TRILINOS}" TESSERA_HAVE_TRILINOS)
  if(TESSERA_HAVE_TRILINOS STREQUAL "AUTO")
    set(TESSERA_HAVE_TRILINOS OFF)
    set(_probe ${CMAKE_BINARY_DIR}/trilinos)
    execute_process(COMMAND ${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR}/trilinos -B ${_probe} -G ${CMAKE_GENERATOR}
                            -DCMAKE_C_COMPILER=${CMAKE_C_COMPILER} -DCMAKE_CXX_COMPILER=${CMAKE_CXX_COMPILER}
                            "-DCMAKE_PREFIX_PATH=${CMAKE_PREFIX_PATH}" -DKokkos_DIR=${Kokkos_DIR}
                    RESULT_VARIABLE _status OUTPUT_QUIET ERROR_QUIET)
    if(_status EQUAL 0)
      execute_process(COMMAND ${CMAKE_COMMAND} --build ${_probe} RESULT_VARIABLE _status OUTPUT_QUIET ERROR_QUIET)
    endif()
    if(_status EQUAL 0)
      set(TESSERA_HAVE_TRILINOS ON)
    endif()
    message(STATUS "Tessera's programs on Trilinos: ${TESSERA_HAVE_TRILINOS}")
  endif()
endif()

# tessera_find_trilinos(): sets trilinos_targets for this folder.
set(TESSERA_TRILINOS_DEPENDENCIES ${CMAKE_CURRENT_LIST_DIR}/trilinos/dependencies.cmake)
macro(tessera_find_trilinos)
  include(${TESSERA_TRILINOS_DEPENDENCIES})
endmacro()
