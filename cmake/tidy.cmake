# SPDX-License-Identifier: BSD-3-Clause
# cmake -DPROGRAM=clang-tidy -DBUILD=... -DCONFIGURATION=.clang-tidy "-DSOURCES=a.cpp|b.cpp" -DTOGETHER=all.cpp -P tidy.cmake
# writes the sources into one file, where headers are included, and checks that. What is found in sources names that file;
# each begins with its path.
string(REPLACE "|" ";" SOURCES "${SOURCES}")
file(WRITE ${TOGETHER} "")
foreach(source IN LISTS SOURCES)
  if(source MATCHES "\\.hpp$")
    file(APPEND ${TOGETHER} "#include <${source}>\n")
  else()
    file(READ ${source} content)
    file(APPEND ${TOGETHER} "// ${source}\n${content}")
  endif()
endforeach()
# The analyzer follows the branches of a function to 20,000 states: to its default, ten times as many, it takes three times
# the time of all other checks.
execute_process(COMMAND ${PROGRAM} --quiet --config-file=${CONFIGURATION} -p ${BUILD}
                        --extra-arg=-Xclang --extra-arg=-analyzer-config --extra-arg=-Xclang --extra-arg=max-nodes=20000
                        ${TOGETHER} RESULT_VARIABLE result)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "clang-tidy has found mistakes in ${TOGETHER}")
endif()
