# SPDX-License-Identifier: BSD-3-Clause
# tessera.pc, for builds on hosts without CMake: core, catalogue, solvers and io. Where the library uses Kokkos Kernels, VTK
# or a device, programs need what the packages of those alone know, and there is none.
if(Kokkos_ENABLE_CUDA OR Kokkos_ENABLE_HIP OR Kokkos_ENABLE_SYCL OR TESSERA_HAVE_KOKKOSKERNELS OR TESSERA_HAVE_VTK)
  return()
endif()

set(modules "")
foreach(module io solvers catalogue compiled best) # a static library before those that it uses
  if(TARGET tessera_${module})
    string(APPEND modules " -ltessera_${module}")
  endif()
endforeach()
get_target_property(definitions tessera_core INTERFACE_COMPILE_DEFINITIONS)
set(flags "")
if(NOT definitions)
  set(definitions "")
endif()
foreach(definition IN LISTS definitions)
  string(APPEND flags " -D${definition}")
endforeach()
set(gklib "")
if(METIS_GKLIB_LIBRARY)
  set(gklib ${METIS_GKLIB_LIBRARY})
endif()
file(RELATIVE_PATH up /${CMAKE_INSTALL_LIBDIR}/pkgconfig /) # wherever the prefix is moved to
string(REGEX REPLACE "/$" "" up ${up})
set(threads "")
if(Kokkos_ENABLE_OPENMP)
  set(threads -fopenmp)
endif()
configure_file(${CMAKE_CURRENT_LIST_DIR}/tessera.pc.in ${PROJECT_BINARY_DIR}/generated/tessera.pc.in @ONLY)
file(GENERATE OUTPUT ${PROJECT_BINARY_DIR}/tessera.pc INPUT ${PROJECT_BINARY_DIR}/generated/tessera.pc.in)
install(FILES ${PROJECT_BINARY_DIR}/tessera.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
