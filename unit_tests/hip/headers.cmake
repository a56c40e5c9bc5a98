# SPDX-License-Identifier: BSD-3-Clause
# cmake -DKOKKOS=<folder> -DDEVICE=<gfx…> -DFOLDER=<folder> -P headers.cmake: the headers in which Kokkos' configuration says for
# which backends it was built, as they would be of one built for HIP on that device and Serial in place of OpenMP.

# edit(<file> <line> <replacement> ...): a copy of the file with other lines.
function(edit file)
  file(READ ${KOKKOS}/${file} text)
  set(edits ${ARGN})
  while(edits)
    list(POP_FRONT edits line replacement)
    string(FIND "${text}" "\n${line}\n" place)
    if(place EQUAL -1)
      message(FATAL_ERROR "${KOKKOS}/${file} has no line '${line}': this Kokkos writes its configuration in another way")
    endif()
    string(REPLACE "\n${line}\n" "\n${replacement}\n" text "${text}")
  endwhile()
  file(CONFIGURE OUTPUT ${FOLDER}/${file} CONTENT "${text}" @ONLY)
endfunction()

string(TOUPPER ${DEVICE} name)
edit(KokkosCore_config.h
     "#define KOKKOS_ENABLE_OPENMP" "#define KOKKOS_ENABLE_SERIAL"
     "/* #undef KOKKOS_ENABLE_HIP */" "#define KOKKOS_ENABLE_HIP"
     "/* #undef KOKKOS_ARCH_AMD_${name} */" "#define KOKKOS_ARCH_AMD_${name}"
     "/* #undef KOKKOS_ARCH_AMD_GPU */" "#define KOKKOS_ARCH_AMD_GPU \"${DEVICE}\"")
edit(KokkosCore_Config_DeclareBackend.hpp "#include <decl/Kokkos_Declare_OPENMP.hpp>"
     "#include <decl/Kokkos_Declare_SERIAL.hpp>\n#include <decl/Kokkos_Declare_HIP.hpp>")
edit(KokkosCore_Config_FwdBackend.hpp "#include <fwd/Kokkos_Fwd_OPENMP.hpp>"
     "#include <fwd/Kokkos_Fwd_SERIAL.hpp>\n#include <fwd/Kokkos_Fwd_HIP.hpp>")
edit(KokkosCore_Config_SetupBackend.hpp "#define KOKKOS_SETUP_HPP_"
     "#define KOKKOS_SETUP_HPP_\n#include <setup/Kokkos_Setup_HIP.hpp>")
edit(desul/atomics/Config.hpp "/* #undef DESUL_ATOMICS_ENABLE_HIP */" "#define DESUL_ATOMICS_ENABLE_HIP")
