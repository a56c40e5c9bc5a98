# SPDX-License-Identifier: BSD-3-Clause
# Installs the headers, the compiled modules and the files that find_package(Tessera) reads. io's, distributed's,
# hypre's and direct's targets have files of their own, which are read where those are wanted: they name VTK's, MPI's, hypre's
# and UMFPACK's.

set(TESSERA_HAVE_IO OFF)
if(TARGET tessera_io)
  set(TESSERA_HAVE_IO ON)
endif()

set(TESSERA_HAVE_DISTRIBUTED ${TESSERA_HAVE_MPI})

set(config_dir ${CMAKE_INSTALL_LIBDIR}/cmake/Tessera)
foreach(module core strategies solvers distributed io)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/${module} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/tessera
          FILES_MATCHING PATTERN "*.hpp" PATTERN "*.inc" PATTERN compiled EXCLUDE)
endforeach()
install(FILES ${PROJECT_BINARY_DIR}/configured/tessera/core/version.hpp DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/tessera/core)
file(GLOB umbrella CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/*.hpp)
install(FILES ${umbrella} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/tessera)

# Shared libraries lie side by side, wherever the prefix is moved to.
foreach(target IN LISTS tessera_installed_targets ITEMS tessera_io tessera_distributed)
  if(TARGET ${target})
    get_target_property(type ${target} TYPE)
    if(type STREQUAL SHARED_LIBRARY)
      set_target_properties(${target} PROPERTIES INSTALL_RPATH "$<IF:$<PLATFORM_ID:Darwin>,@loader_path,$ORIGIN>")
    endif()
  endif()
endforeach()

install(TARGETS ${tessera_installed_targets} EXPORT TesseraTargets)
install(EXPORT TesseraTargets NAMESPACE Tessera:: DESTINATION ${config_dir})
if(TESSERA_HAVE_IO)
  install(TARGETS tessera_io EXPORT TesseraIoTargets)
  install(EXPORT TesseraIoTargets NAMESPACE Tessera:: DESTINATION ${config_dir})
endif()
if(TESSERA_HAVE_DISTRIBUTED)
  install(TARGETS tessera_distributed EXPORT TesseraDistributedTargets)
  install(EXPORT TesseraDistributedTargets NAMESPACE Tessera:: DESTINATION ${config_dir})
endif()
if(TESSERA_HAVE_HYPRE)
  install(TARGETS tessera_hypre EXPORT TesseraHypreTargets)
  install(EXPORT TesseraHypreTargets NAMESPACE Tessera:: DESTINATION ${config_dir})
endif()
if(TESSERA_HAVE_UMFPACK)
  install(TARGETS tessera_direct EXPORT TesseraDirectTargets)
  install(EXPORT TesseraDirectTargets NAMESPACE Tessera:: DESTINATION ${config_dir})
endif()
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/TesseraConfig.cmake.in
                              ${PROJECT_BINARY_DIR}/TesseraConfig.cmake INSTALL_DESTINATION ${config_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/TesseraConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/TesseraConfig.cmake ${PROJECT_BINARY_DIR}/TesseraConfigVersion.cmake
              ${PROJECT_SOURCE_DIR}/cmake/FindHYPRE.cmake ${PROJECT_SOURCE_DIR}/cmake/FindMETIS.cmake
              ${PROJECT_SOURCE_DIR}/cmake/FindUMFPACK.cmake
              ${PROJECT_SOURCE_DIR}/cmake/TesseraMpiTests.cmake
              ${PROJECT_SOURCE_DIR}/cmake/TesseraTrilinos.cmake
        DESTINATION ${config_dir})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/cmake/trilinos DESTINATION ${config_dir})
include(TesseraPkgConfig)

# The examples, a project of its own: built and run from there they show that what is installed works.
install(DIRECTORY ${PROJECT_SOURCE_DIR}/examples/ DESTINATION ${CMAKE_INSTALL_DATADIR}/tessera/examples
        PATTERN geometries EXCLUDE)
