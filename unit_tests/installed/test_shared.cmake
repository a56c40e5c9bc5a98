# SPDX-License-Identifier: BSD-3-Clause
# cmake -DSOURCE= -DBUILD= -DFOLDER= -DOPTIONS= -P: the shared libraries of a build installed, moved, and used by a program.
# The linker of the roots leaves out what is not needed, so that each library must find those that it needs by itself.
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(status)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "${command}: ${status}\n${output}")
  endif()
endfunction()

separate_arguments(options UNIX_COMMAND "${OPTIONS}")
file(REMOVE_RECURSE ${FOLDER}/moved ${FOLDER}/prefix)
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${FOLDER}/prefix)
file(RENAME ${FOLDER}/prefix ${FOLDER}/moved)
run(${CMAKE_COMMAND} -G Ninja -S ${SOURCE} -B ${FOLDER}/application ${options} -DTessera_ROOT=${FOLDER}/moved
    -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG=)
run(${CMAKE_COMMAND} --build ${FOLDER}/application)
run(${CMAKE_COMMAND} -E chdir ${FOLDER}/application ./application)
