# SPDX-License-Identifier: BSD-3-Clause
# Finds hypre. Sets HYPRE_FOUND, HYPRE_VERSION and the target HYPRE::HYPRE. hypre's own configuration asks for what only its
# sources need. A static hypre that was built for devices needs their libraries too: give them by HYPRE_LIBRARIES_EXTRA.

find_path(HYPRE_INCLUDE_DIR HYPRE_parcsr_ls.h PATH_SUFFIXES hypre)
find_library(HYPRE_LIBRARY HYPRE)
set(HYPRE_LIBRARIES_EXTRA "" CACHE STRING "What a static hypre is linked with: BLAS, LAPACK, a device's libraries")
mark_as_advanced(HYPRE_INCLUDE_DIR HYPRE_LIBRARY HYPRE_LIBRARIES_EXTRA)

if(HYPRE_INCLUDE_DIR)
  file(STRINGS ${HYPRE_INCLUDE_DIR}/HYPRE_config.h HYPRE_VERSION REGEX "define[ \t]+HYPRE_RELEASE_VERSION[ \t]")
  string(REGEX REPLACE ".*\"([0-9.]+)\".*" "\\1" HYPRE_VERSION "${HYPRE_VERSION}")
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(HYPRE REQUIRED_VARS HYPRE_LIBRARY HYPRE_INCLUDE_DIR VERSION_VAR HYPRE_VERSION
                                  REASON_FAILURE_MESSAGE "Debian has it as libhypre-dev.")

if(HYPRE_FOUND AND NOT TARGET HYPRE::HYPRE)
  add_library(HYPRE::HYPRE UNKNOWN IMPORTED)
  set_target_properties(HYPRE::HYPRE PROPERTIES IMPORTED_LOCATION ${HYPRE_LIBRARY}
                                                INTERFACE_INCLUDE_DIRECTORIES ${HYPRE_INCLUDE_DIR}
                                                INTERFACE_LINK_LIBRARIES "${HYPRE_LIBRARIES_EXTRA}")
endif()
