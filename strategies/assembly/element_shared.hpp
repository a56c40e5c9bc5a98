// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// ElementShared: element data in team scratch, then the team adds it to the system (paper 1, Table III and
/// section 4.1.3).

#include <tessera/core/graphs/coloring.hpp>
#include <tessera/strategies/assembly/common/assembly_plan.hpp>
#include <tessera/strategies/assembly/common/assembly_traffic.hpp>
#include <tessera/strategies/assembly/common/interleaved_elements.hpp>
#include <tessera/strategies/assembly/common/system_kernel.hpp>
#include <tessera/strategies/assembly/detail/reduction/element_data.hpp>
#include <tessera/strategies/common/element_real.hpp>
#include <tessera/strategies/common/team.hpp>
#include <tessera/strategies/common/with_default_instance.hpp>

#include <algorithm>
#include <string>

namespace TESSERA_KERNELS::assembly {

/// Color by color, a team computes some elements into its scratch; then its threads share the elements' rows,
/// so that neighbouring threads write to one row instead of as many as there are elements.
///
/// Paper 1 expects little of it, and it shows on low orders; it pays where rows of an element are long.
/// Colors make it deterministic. The plan holds ElementLocal's lists.
struct ElementShared : WithDefaultInstance<ElementShared> {
  using WithDefaultInstance<ElementShared>::plan;
  static constexpr const char* name = "ElementShared";
  static constexpr const char* source = "paper 1, Table III";
  static constexpr bool deterministic = true;

  /// At least this many colors; 0: as few as the coloring finds.
  Ordinal colors = 0;
  /// Threads of a team; 0: chosen for the device.
  int team_size = 0;
  /// Scratch of a team; 0: chosen for the device.
  long scratch_bytes = 0;

  template <class Element, class ExecutionSpace>
  class Plan;

  /// \throws ArgumentError if the graph does not fit the space or an option is out of range; UnsupportedError
  ///   for rows beyond 65535 entries, and when assembling, with the bytes, if scratch does not hold one
  ///   element's data; OutOfMemoryError
  template <class Element, class ExecutionSpace>
  Plan<Element, ExecutionSpace> plan(const ExecutionSpace& exec,
                                     const FunctionSpace<Element, ExecutionSpace>& space,
                                     const SparsityGraph<ExecutionSpace>& graph) const {
    return {exec, space, graph, *this};
  }

  /// ElementLocal's traffic.
  template <class Element, class Form, class Scalar, class ExecutionSpace>
  static Cost cost(const FunctionSpace<Element, ExecutionSpace>& space,
                   const SparsityGraph<ExecutionSpace>& graph) {
    return colored_cost<Element, Form, Scalar>(space, graph);
  }
};

template <class Element, class ExecutionSpace>
class ElementShared::Plan
    : public AssemblyPlan<ElementShared::Plan<Element, ExecutionSpace>, Element, ExecutionSpace> {
  using Base = AssemblyPlan<Plan, Element, ExecutionSpace>;

public:
  static constexpr const char* strategy_name = ElementShared::name;
  static constexpr bool can_add = true;

  Plan(const ExecutionSpace& exec, const typename Base::Space& space, const typename Base::Graph& graph,
       const ElementShared& options)
      : Base(exec, space, graph), team_size_(team_threads<ExecutionSpace>(name, options.team_size)),
        wanted_scratch_(options.scratch_bytes),
        elements_(interleave_by_color(exec, space, graph, options.colors)) {
    scratch_budget<ExecutionSpace>(name, wanted_scratch_); // throws here, where the option is given
    this->prepared(elements_.bytes());
  }

  template <class Scalar, class Kernel>
  std::string make_ready(const Kernel&) const {
    elements_per_team<AddColor<Kernel, Scalar>>(); // throws where not even one fits
    return integration_path<Element, Kernel, Scalar>();
  }

  template <class Kernel, class Scalar>
  void accumulate(const Kernel& kernel, const SystemKernel<ExecutionSpace, Scalar>& system) const {
    const auto& exec = this->exec();
    this->clear(this->exec(), system);
    using Add = AddColor<Kernel, Scalar>;
    Add add{kernel,         this->space().mesh().kernel(), elements_, system,
            this->status(), elements_per_team<Add>(),      0,         0};
    for (Ordinal color = 0; color < elements_.colors(); ++color) {
      add.begin = elements_.first_slot[color];
      add.end = add.begin + elements_.sizes[color];
      const Ordinal teams = (elements_.sizes[color] + add.size - 1) / add.size;
      Kokkos::parallel_for("Tessera::ElementShared::add_color",
                           team_policy(exec, name, add, teams, team_size_, Add::scratch_bytes(add.size)),
                           add);
    }
  }

  // Kernels are public: nvcc takes no private type in the template arguments of a kernel.
  template <class Kernel, class Scalar>
  struct AddColor {
    using Real = element_real_t<ExecutionSpace, Scalar>;
    using Data = detail::element_data_t<Element, Kernel, Scalar>;
    using Member = typename Kokkos::TeamPolicy<ExecutionSpace>::member_type;
    using Scratch =
        Kokkos::View<Scalar*, typename ExecutionSpace::scratch_memory_space, Kokkos::MemoryUnmanaged>;
    Kernel kernel;
    MeshKernel<Element, ExecutionSpace> mesh;
    InterleavedSlots<Element, ExecutionSpace> elements;
    SystemKernel<ExecutionSpace, Scalar> system;
    Status<ExecutionSpace> status;
    Ordinal size;      ///< elements of a team
    Offset begin, end; ///< slots of the color

    static std::size_t scratch_bytes(Ordinal count) {
      return Scratch::shmem_size(static_cast<std::size_t>(Data::entries) * count);
    }

    KOKKOS_FUNCTION void operator()(const Member& member) const {
      const Scratch scratch(member.team_scratch(0), static_cast<std::size_t>(Data::entries) * size);
      const Data data{scratch.data(), static_cast<Offset>(size)};
      const Offset first = begin + static_cast<Offset>(member.league_rank()) * size;
      const Ordinal count =
          end - first < static_cast<Offset>(size) ? static_cast<Ordinal>(end - first) : size;
      Kokkos::parallel_for(Kokkos::TeamThreadRange(member, (count + lanes_v<Real> - 1) / lanes_v<Real>),
                           [&](Ordinal chunk) { compute(data, first, chunk * lanes_v<Real>, count); });
      member.team_barrier();
      constexpr int rows = Element::nodes * Kernel::components;
      Kokkos::parallel_for(Kokkos::TeamThreadRange(member, count * rows), [&](Ordinal k) {
        const Ordinal e = k / rows, row = k % rows;
        elements.add_row(system, first + e, row / Kernel::components, row % Kernel::components, data, e);
      });
    }

    KOKKOS_FUNCTION void compute(const Data& data, Offset first, Ordinal begin_of_chunk,
                                 Ordinal count) const {
      const Cell<Element, Real> cell = elements.template cell<Real>(mesh, first + begin_of_chunk, end);
      element_system_t<Element, Kernel, Real> local;
      if (!integrate(kernel, cell, local)) status.fail(kernel, cell);
      for (int lane = 0; lane < lanes_v<Real> && begin_of_chunk + lane < count; ++lane) {
        const Ordinal e = begin_of_chunk + lane;
        data.store(e, local, lane, system.equations, [&](int n) { return elements.node(first + e, n); });
      }
    }
  };

private:
  /// As many elements as scratch holds, on devices two a thread at most: more would leave too few teams.
  template <class Add>
  Ordinal elements_per_team() const {
    const std::size_t per_element = Add::Data::entries * sizeof(*Add::Data::data);
    constexpr std::size_t alignment = 64; // what views in scratch may add
    const auto scratch = scratch_budget<ExecutionSpace>(name, wanted_scratch_, per_element + alignment);
    if (scratch < per_element + alignment)
      throw UnsupportedError(std::string(name) + ": the data of one element takes " +
                             std::to_string(per_element + alignment) + " bytes of scratch, " +
                             std::to_string(scratch) + " are allowed");
    const std::size_t fit = (scratch - alignment) / per_element;
    return static_cast<Ordinal>(
        std::min<std::size_t>(fit, runs_on_host<ExecutionSpace> ? 64 : 2 * team_size_));
  }

  int team_size_;
  long wanted_scratch_;
  InterleavedElements<Element, ExecutionSpace> elements_;
};

} // namespace TESSERA_KERNELS::assembly
