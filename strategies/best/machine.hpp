// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// What this machine reaches: copy bandwidth and flop rate of an execution space, measured.

#include <tessera/core/execution_spaces.hpp>

#include <Kokkos_Core.hpp>
#include <Kokkos_Timer.hpp>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace tessera {

/// Measured ceilings of an execution space.
struct Machine {
  double bytes_per_second; ///< copy, bytes read plus bytes written: the best of 8 and 16 bytes a thread
  double flops_per_second; ///< independent chains of double-precision multiply-adds, two flops each
};

/// Median of a sample.
inline double median(std::vector<double> sample) {
  std::sort(sample.begin(), sample.end());
  const std::size_t n = sample.size();
  return n % 2 == 1 ? sample[n / 2] : 0.5 * (sample[n / 2 - 1] + sample[n / 2]);
}

/// Seconds of `repetitions` calls of `body` after two that do not count; fences around each. After three that
/// count it stops as soon as all together have taken `limit` seconds.
template <class ExecutionSpace, class Body>
std::vector<double> time_repeatedly(const ExecutionSpace& exec, int repetitions, const Body& body,
                                    double limit = 60.0) {
  std::vector<double> seconds;
  const Kokkos::Timer total;
  for (int repetition = -2; repetition < repetitions; ++repetition) {
    if (seconds.size() >= 3 && total.seconds() > limit) break;
    exec.fence("Tessera::Machine::before_timing");
    const Kokkos::Timer timer;
    body();
    exec.fence("Tessera::Machine::after_timing");
    if (repetition >= 0) seconds.push_back(timer.seconds());
  }
  return seconds;
}

/// What a thread moves with one load and one store.
struct alignas(2 * sizeof(double)) PairOfDoubles {
  double entry[2];
};

template <class Value, class ExecutionSpace>
struct CopyArray {
  Kokkos::View<const Value*, ExecutionSpace> from;
  Kokkos::View<Value*, ExecutionSpace> to;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { to(i) = from(i); }
};

/// Eight packs of eight chains per work item, so that latency is hidden and host compilers vectorise.
template <class ExecutionSpace>
struct MultiplyAdd {
  static constexpr int chains = 64, steps = 1024;
  Kokkos::View<double*, ExecutionSpace> out;
  double factor;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    double x[chains];
    for (int c = 0; c < chains; ++c) x[c] = static_cast<double>(i + c);
    for (int s = 0; s < steps; ++s)
      for (int c = 0; c < chains; ++c) x[c] = x[c] * factor + 1.0;
    double sum = 0;
    for (int c = 0; c < chains; ++c) sum += x[c];
    out(i) = sum;
  }
};

/// Bytes read plus bytes written in a second by a copy in which each thread moves one `Value`.
template <class Value, class ExecutionSpace>
double copy_bandwidth(const ExecutionSpace& exec, std::int64_t bytes) {
  const std::int64_t count = bytes / static_cast<std::int64_t>(sizeof(Value));
  const Kokkos::View<Value*, ExecutionSpace> from("Tessera::Machine::copy_from", count),
      to("Tessera::Machine::copy_to", count);
  return 2.0 * static_cast<double>(bytes) / median(time_repeatedly(exec, 7, [&] {
           Kokkos::parallel_for(
               "Tessera::Machine::copy",
               Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<std::int64_t>>(exec, 0, count),
               CopyArray<Value, ExecutionSpace>{from, to});
         }));
}

/// Measures an execution space; arrays of 128 MiB on hosts and 1 GiB on devices pass every cache. Compiled
/// once, in machine.cpp, with the optimization of the library.
template <class ExecutionSpace>
Machine measure_machine(const ExecutionSpace& exec) {
  constexpr bool host = runs_on_host<ExecutionSpace>;
  const std::int64_t bytes = (host ? 128ll : 1024ll) << 20, items = host ? 1 << 12 : 1 << 18;
  using Policy = Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<std::int64_t>>;
  Machine machine;
  machine.bytes_per_second =
      std::max(copy_bandwidth<double>(exec, bytes), copy_bandwidth<PairOfDoubles>(exec, bytes));
  Kokkos::View<double*, ExecutionSpace> out("Tessera::Machine::multiply_add", items);
  using Body = MultiplyAdd<ExecutionSpace>;
  machine.flops_per_second =
      2.0 * Body::chains * Body::steps * items / median(time_repeatedly(exec, 5, [&] {
        Kokkos::parallel_for("Tessera::Machine::multiply_add", Policy(exec, 0, items), Body{out, 0.999999});
      }));
  return machine;
}

#define TESSERA_MEASURE_MACHINE(Prefix, Space) Prefix template Machine measure_machine(const Space&);
TESSERA_FOR_EACH_SPACE(TESSERA_MEASURE_MACHINE, extern)

} // namespace tessera
