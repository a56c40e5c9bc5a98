# SPDX-License-Identifier: BSD-3-Clause
# tessera_find_mpiexec(<variable>): the command before a number of ranks, a list.
function(tessera_find_mpiexec variable)
  # Open MPI refuses to run as root and more ranks than cores unless it is told, and looks for a cluster's network: a second of
  # each start and end, that ranks of one machine do without. A rank that waits leaves its core to the others: four ranks on
  # two cores take half the time. The presets' environment keeps programs without mpiexec from that network, too, and UCX from
  # replacing functions of memory in each rank, for 0.4 s, which only its own network has a use for.
  set(open_mpi_flags "")
  execute_process(COMMAND ${MPIEXEC_EXECUTABLE} --version OUTPUT_VARIABLE mpiexec_version ERROR_QUIET)
  if(mpiexec_version MATCHES "Open ?(MPI|RTE)")
    set(open_mpi_flags --allow-run-as-root --oversubscribe --mca pml ob1 --mca btl ^ofi --mca mpi_yield_when_idle 1)
  endif()
  set(${variable} ${MPIEXEC_EXECUTABLE} ${open_mpi_flags} ${MPIEXEC_PREFLAGS} ${MPIEXEC_NUMPROC_FLAG} PARENT_SCOPE)
endfunction()

# tessera_add_mpi_tests(<name> <target> <ranks>... [ARGUMENTS <argument>...]): the tests <name>.<ranks>, that program on so
# many ranks. A rank that waits for another in vain would wait for ever: each has a time limit.
function(tessera_add_mpi_tests name target)
  cmake_parse_arguments(PARSE_ARGV 2 test "" "" ARGUMENTS)
  tessera_find_mpiexec(mpiexec)
  foreach(ranks IN LISTS test_UNPARSED_ARGUMENTS)
    add_test(NAME ${name}.${ranks}
             COMMAND ${mpiexec} ${ranks} $<TARGET_FILE:${target}> ${MPIEXEC_POSTFLAGS} ${test_ARGUMENTS})
    set_tests_properties(${name}.${ranks} PROPERTIES ENVIRONMENT "OMP_NUM_THREADS=1;OMP_PROC_BIND=false"
                                                     PROCESSORS ${ranks} TIMEOUT 300)
  endforeach()
endfunction()
