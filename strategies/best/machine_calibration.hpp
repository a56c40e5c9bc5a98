// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// The table of times that holds for the machine that the program runs on.

#include <tessera/core/execution_spaces.hpp>
#include <tessera/strategies/best/calibration.hpp>
#include <tessera/strategies/best/machine.hpp>
#include <tessera/strategies/cuda/device_name.hpp>

#include <functional>
#include <memory>
#include <string>

namespace tessera {

namespace detail {

/// What `machine_calibration` needs to know of an execution space.
struct MachineKind {
  std::string device;               ///< as `device_name`
  bool host = true;                 ///< whether kernels run on the host's cores
  std::function<Machine()> measure; ///< its rates, which take a fraction of a second
};

std::shared_ptr<const Calibration> calibration_of(const MachineKind& kind);

/// The processor's name, as Linux tells it.
std::string processor_name();

} // namespace detail

/// The name of a machine in tables: the device's, or the processor's with the number of its threads.
template <class ExecutionSpace>
std::string device_name(const ExecutionSpace& exec) {
  if constexpr (!runs_on_host<ExecutionSpace>)
    return name_of_device(exec);
  else
    return detail::processor_name() + ", " + std::to_string(exec.concurrency()) +
           (exec.concurrency() == 1 ? " thread" : " threads");
}

/// The first of these: the file that the environment's TESSERA_CALIBRATION names; the file that an earlier
/// program left for this device in the cache folder; a table that the library has for it; and else a table of
/// the library for another device of its kind, each time changed as the cost model says for the rates of this
/// one, which are measured once and left in the cache folder. Read once in a process.
/// The cache folder is $TESSERA_CACHE, $XDG_CACHE_HOME/tessera or ~/.cache/tessera; where it cannot be
/// written, rates are measured anew by the next program.
/// \throws ArgumentError for a file that is damaged, naming the line, or that is of another device
template <class ExecutionSpace>
std::shared_ptr<const Calibration> machine_calibration(const ExecutionSpace& exec) {
  return detail::calibration_of(
      {device_name(exec), runs_on_host<ExecutionSpace>, [exec] { return measure_machine(exec); }});
}

} // namespace tessera
