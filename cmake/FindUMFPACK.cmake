# SPDX-License-Identifier: BSD-3-Clause
# Finds SuiteSparse's UMFPACK. Sets UMFPACK_FOUND, UMFPACK_VERSION and the target SuiteSparse::UMFPACK. SuiteSparse's own
# configuration asks for OpenMP, which the shared library brings along.

find_path(UMFPACK_INCLUDE_DIR umfpack.h PATH_SUFFIXES suitesparse)
find_library(UMFPACK_LIBRARY umfpack)
mark_as_advanced(UMFPACK_INCLUDE_DIR UMFPACK_LIBRARY)

if(UMFPACK_INCLUDE_DIR)
  set(UMFPACK_VERSION "")
  foreach(_part MAIN_VERSION SUB_VERSION SUBSUB_VERSION)
    file(STRINGS ${UMFPACK_INCLUDE_DIR}/umfpack.h _line REGEX "define[ \t]+UMFPACK_${_part}[ \t]")
    string(REGEX REPLACE ".*UMFPACK_${_part}[ \t]+([0-9]+).*" "\\1" _line "${_line}")
    string(APPEND UMFPACK_VERSION ".${_line}")
  endforeach()
  string(SUBSTRING "${UMFPACK_VERSION}" 1 -1 UMFPACK_VERSION)
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(UMFPACK REQUIRED_VARS UMFPACK_LIBRARY UMFPACK_INCLUDE_DIR VERSION_VAR UMFPACK_VERSION
                                  REASON_FAILURE_MESSAGE "Debian has it in libsuitesparse-dev.")

if(UMFPACK_FOUND AND NOT TARGET SuiteSparse::UMFPACK)
  add_library(SuiteSparse::UMFPACK UNKNOWN IMPORTED)
  set_target_properties(SuiteSparse::UMFPACK PROPERTIES IMPORTED_LOCATION ${UMFPACK_LIBRARY}
                                                        INTERFACE_INCLUDE_DIRECTORIES ${UMFPACK_INCLUDE_DIR})
endif()
