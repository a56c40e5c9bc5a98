# SPDX-License-Identifier: BSD-3-Clause
# Finds METIS, which ships no configuration of its own. Sets METIS_FOUND, METIS_VERSION and the target METIS::METIS.

find_path(METIS_INCLUDE_DIR metis.h)
find_library(METIS_LIBRARY metis)
# Builds from source keep GKlib apart; Debian's METIS has it inside.
find_library(METIS_GKLIB_LIBRARY GKlib)
mark_as_advanced(METIS_INCLUDE_DIR METIS_LIBRARY METIS_GKLIB_LIBRARY)

if(METIS_INCLUDE_DIR)
  set(METIS_VERSION "")
  foreach(_part MAJOR MINOR SUBMINOR)
    file(STRINGS ${METIS_INCLUDE_DIR}/metis.h _line REGEX "define[ \t]+METIS_VER_${_part}[ \t]")
    string(REGEX REPLACE ".*METIS_VER_${_part}[ \t]+([0-9]+).*" "\\1" _line "${_line}")
    string(APPEND METIS_VERSION ".${_line}")
  endforeach()
  string(SUBSTRING "${METIS_VERSION}" 1 -1 METIS_VERSION)
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(METIS REQUIRED_VARS METIS_LIBRARY METIS_INCLUDE_DIR VERSION_VAR METIS_VERSION
                                  REASON_FAILURE_MESSAGE "Debian has it as libmetis-dev.")

if(METIS_FOUND AND NOT TARGET METIS::METIS)
  add_library(METIS::METIS UNKNOWN IMPORTED)
  set_target_properties(METIS::METIS PROPERTIES IMPORTED_LOCATION ${METIS_LIBRARY}
                                                INTERFACE_INCLUDE_DIRECTORIES ${METIS_INCLUDE_DIR})
  if(METIS_GKLIB_LIBRARY)
    target_link_libraries(METIS::METIS INTERFACE ${METIS_GKLIB_LIBRARY})
  endif()
endif()
