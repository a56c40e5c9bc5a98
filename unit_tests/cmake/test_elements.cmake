# SPDX-License-Identifier: BSD-3-Clause
# cmake -DSOURCE=... -DFOLDER=... -P test_elements.cmake: TESSERA_ELEMENTS chooses what is compiled; another element than those
# that there are is refused.
cmake_minimum_required(VERSION 3.25)

if(DEFINED ELEMENTS) # a process of its own
  set(PROJECT_SOURCE_DIR ${SOURCE})
  set(TESSERA_ELEMENTS ${ELEMENTS})
  include(${SOURCE}/cmake/TesseraTargets.cmake)
  tessera_choose_elements(${FOLDER}/compiled_elements.hpp)
  message("compiled: ${compiled_elements}")
  return()
endif()

# expect(<elements> <pattern>...): what choosing them says, in the header that is written too.
function(expect elements)
  execute_process(COMMAND ${CMAKE_COMMAND} -DSOURCE=${SOURCE} -DFOLDER=${FOLDER} "-DELEMENTS=${elements}"
                          -P ${CMAKE_CURRENT_FUNCTION_LIST_FILE} ERROR_VARIABLE said RESULT_VARIABLE result)
  if(result EQUAL 0)
    file(READ ${FOLDER}/compiled_elements.hpp header)
    string(APPEND said "${header}")
  endif()
  foreach(pattern IN LISTS ARGN)
    if(NOT said MATCHES "${pattern}")
      message(SEND_ERROR "TESSERA_ELEMENTS '${elements}': expected '${pattern}' in\n${said}")
    endif()
  endforeach()
endfunction()

expect("hex1\;tet1\;tet2" "compiled: tet1.hex1.tet2\n" "std::tuple<Tet<1>, Hex<1>, Tet<2>>;"
       "X\\(Hex<1> __VA_OPT__\\(, \\) __VA_ARGS__\\)")
expect("hex20" "compiled: hex20\n" "COMPILED_MESH.X, .... .\n  X.Hex20 [^\n]*\n  X.Hex<1> [^\n]*\n")
expect("" "compiled: tri1.*hex2" "std::tuple<Tri<1>, .*, Hex<2>, Quad8, Hex20, .*, Wedge<2>, Wedge15, Pyramid13>;")
expect("tet1\;tet9" "there is no element tet9; there are tri1, .*, hex2, quad8,.* hex20,.* wedge1, pyramid1, wedge2,.* wedge15, pyramid13")
