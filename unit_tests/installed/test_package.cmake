# SPDX-License-Identifier: BSD-3-Clause
# cmake -DBUILD= -DFOLDER= -DKOKKOS= "-DDEPENDS=..." -P: the Debian package of a build, unpacked into <folder>/root, whose usr
# is the prefix of the other tests. It must name what it depends on, and its tools must run.
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(status)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "${command}: ${status}\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

string(REPLACE ", " ";" DEPENDS "${DEPENDS}")
file(REMOVE_RECURSE ${FOLDER})
run(${CMAKE_CPACK_COMMAND} --config ${BUILD}/CPackConfig.cmake -G DEB -B ${FOLDER})
file(GLOB package ${FOLDER}/libtessera-dev_*.deb)
run(dpkg-deb --field ${package} Depends)
if(KOKKOS MATCHES "^/usr/lib/") # of the system
  list(APPEND DEPENDS kokkos-dev)
endif()
foreach(name IN LISTS DEPENDS)
  string(FIND "${output}" "${name}" found)
  if(found EQUAL -1)
    message(FATAL_ERROR "${package} does not depend on ${name}, but on ${output}")
  endif()
endforeach()
run(dpkg-deb --extract ${package} ${FOLDER}/root)
run(${FOLDER}/root/usr/bin/tessera-compare --version)
