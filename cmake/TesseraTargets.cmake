# What all compiled code of the project shares. Nothing here reaches the users of the installed library.

# tessera_compile_options(<target>): warnings, sanitizers, the machine's own instructions.
function(tessera_compile_options target)
  target_compile_options(${target} PRIVATE -Wall -Wextra)
  if(TESSERA_SANITIZE)
    target_compile_options(${target} PRIVATE -fsanitize=${TESSERA_SANITIZE} -fno-sanitize-recover=all
                                             -fno-omit-frame-pointer)
    target_link_options(${target} PRIVATE -fsanitize=${TESSERA_SANITIZE})
  endif()
  if(TESSERA_NATIVE)
    target_compile_options(${target} PRIVATE -march=native)
  endif()
endfunction()

# nvcc and its kin compile a translation unit several times and cannot use a precompiled header.
set(TESSERA_PRECOMPILE ON)
if(Kokkos_ENABLE_CUDA OR Kokkos_ENABLE_HIP OR Kokkos_ENABLE_SYCL)
  set(TESSERA_PRECOMPILE OFF)
endif()
