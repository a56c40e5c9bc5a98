# Target format brings all sources into the format of .clang-format, and the test format.check fails where one is not;
# target tidy runs clang-tidy with .clang-tidy on the sources of io. All of them only where the program is.

# Older versions break lines at requires clauses in another way.
set(TESSERA_CLANG_FORMAT_MINIMUM 21)
find_program(TESSERA_CLANG_FORMAT NAMES clang-format clang-format-${TESSERA_CLANG_FORMAT_MINIMUM})
find_program(TESSERA_CLANG_TIDY NAMES clang-tidy)
mark_as_advanced(TESSERA_CLANG_FORMAT TESSERA_CLANG_TIDY)

set(clang_format_version 0)
if(TESSERA_CLANG_FORMAT)
  execute_process(COMMAND ${TESSERA_CLANG_FORMAT} --version OUTPUT_VARIABLE clang_format_version)
  string(REGEX REPLACE ".*version ([0-9]+).*" "\\1" clang_format_version "${clang_format_version}")
endif()
if(NOT clang_format_version VERSION_LESS TESSERA_CLANG_FORMAT_MINIMUM)
  set(patterns *.hpp)
  foreach(room core examples io perf_tests solvers strategies unit_tests)
    list(APPEND patterns ${room}/*.hpp ${room}/*.cpp)
  endforeach()
  list(TRANSFORM patterns PREPEND ${PROJECT_SOURCE_DIR}/)
  list(POP_FRONT patterns umbrella)
  file(GLOB_RECURSE formatted CONFIGURE_DEPENDS ${patterns})
  file(GLOB umbrella CONFIGURE_DEPENDS ${umbrella})
  add_custom_target(format COMMAND ${TESSERA_CLANG_FORMAT} -i ${umbrella} ${formatted} VERBATIM)
  if(TESSERA_ENABLE_TESTS)
    add_test(NAME format.check COMMAND ${TESSERA_CLANG_FORMAT} --dry-run --Werror ${umbrella} ${formatted})
  endif()
endif()

if(TESSERA_CLANG_TIDY AND TARGET tessera_io)
  get_target_property(tidied tessera_io SOURCES)
  list(FILTER tidied INCLUDE REGEX "\\.cpp$")
  add_custom_target(tidy COMMAND ${TESSERA_CLANG_TIDY} --quiet -p ${PROJECT_BINARY_DIR} ${tidied} VERBATIM)
endif()
