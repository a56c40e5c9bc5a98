# SPDX-License-Identifier: BSD-3-Clause
# Finds Kokkos, Kokkos Kernels, METIS, VTK, MPI, hypre, UMFPACK and nanobind. Sets TESSERA_HAVE_KOKKOSKERNELS, TESSERA_HAVE_VTK,
# TESSERA_HAVE_MPI, TESSERA_HAVE_HYPRE, TESSERA_HAVE_UMFPACK and TESSERA_HAVE_PYTHON.

set(TESSERA_KOKKOS_MINIMUM 4.7)
set(TESSERA_HYPRE_MINIMUM 2.29) # HYPRE_Initialized
set(TESSERA_VTK_COMPONENTS CommonCore CommonDataModel CommonMisc FiltersCore FiltersGeometry IOExodus IOImage IOLegacy IOXML
                           RenderingAnnotation RenderingCore RenderingFreeType RenderingOpenGL2 exodusII)

# tessera_find_optional(<AUTO|ON|OFF> <found variable> find_package arguments...)
# A macro, so that what the package sets stays visible.
macro(tessera_find_optional wanted found)
  string(TOUPPER "${wanted}" _tessera_wanted)
  set(${found} OFF)
  if(_tessera_wanted STREQUAL "AUTO")
    find_package(${ARGN} QUIET)
  elseif(_tessera_wanted)
    find_package(${ARGN} REQUIRED)
  endif()
  if(_tessera_wanted AND ${ARGV2}_FOUND)
    set(${found} ON)
  endif()
  unset(_tessera_wanted)
endmacro()

# Kokkos counts every newer version as compatible, so this accepts 5.x too.
find_package(Kokkos ${TESSERA_KOKKOS_MINIMUM} REQUIRED)
find_package(METIS REQUIRED)

# Trilinos installs Kokkos Kernels without a version file, so no version is asked for here: it is that of
# the Kokkos that it was built with.
tessera_find_optional("${TESSERA_ENABLE_KOKKOSKERNELS}" TESSERA_HAVE_KOKKOSKERNELS KokkosKernels)
if(TESSERA_HAVE_KOKKOSKERNELS AND NOT TARGET KokkosKernels::kokkoskernels)
  # Trilinos's spelling of the target.
  add_library(KokkosKernels::kokkoskernels INTERFACE IMPORTED)
  target_link_libraries(KokkosKernels::kokkoskernels INTERFACE KokkosKernels::all_libs)
endif()

tessera_find_optional("${TESSERA_ENABLE_VTK}" TESSERA_HAVE_VTK VTK COMPONENTS ${TESSERA_VTK_COMPONENTS})

tessera_find_optional("${TESSERA_ENABLE_MPI}" TESSERA_HAVE_MPI MPI COMPONENTS CXX)

set(TESSERA_HAVE_HYPRE OFF)
if(TESSERA_HAVE_MPI)
  tessera_find_optional("${TESSERA_ENABLE_HYPRE}" TESSERA_HAVE_HYPRE HYPRE ${TESSERA_HYPRE_MINIMUM} MODULE)
elseif("${TESSERA_ENABLE_HYPRE}" STREQUAL "ON")
  message(FATAL_ERROR "TESSERA_ENABLE_HYPRE is ON, and there is no MPI for it (TESSERA_ENABLE_MPI is ${TESSERA_ENABLE_MPI}).")
endif()

tessera_find_optional("${TESSERA_ENABLE_UMFPACK}" TESSERA_HAVE_UMFPACK UMFPACK)

# nanobind's package asks for Python's to be there already. It takes each major version for incompatible with those before,
# which it is not with what the bindings use: no version is asked for.
tessera_find_optional("${TESSERA_ENABLE_PYTHON}" TESSERA_HAVE_PYTHON Python 3.9 COMPONENTS Interpreter Development.Module)
if(TESSERA_HAVE_PYTHON)
  tessera_find_optional("${TESSERA_ENABLE_PYTHON}" TESSERA_HAVE_PYTHON nanobind CONFIG)
endif()

message(STATUS "Tessera ${PROJECT_VERSION}: Kokkos ${Kokkos_VERSION} (${Kokkos_DEVICES}), METIS ${METIS_VERSION}, "
               "Kokkos Kernels ${TESSERA_HAVE_KOKKOSKERNELS}, VTK ${TESSERA_HAVE_VTK} ${VTK_VERSION}, MPI ${TESSERA_HAVE_MPI} ${MPI_CXX_VERSION}, "
               "hypre ${TESSERA_HAVE_HYPRE} ${HYPRE_VERSION}, UMFPACK ${TESSERA_HAVE_UMFPACK} ${UMFPACK_VERSION}, "
               "Python ${TESSERA_HAVE_PYTHON} ${Python_VERSION}")
