// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// RowSharedProduct: the operator by the assembly RowShared, which writes a vector instead of a matrix
/// (paper 1, Table III and section 5).

#include <tessera/strategies/common/element_passes.hpp>
#include <tessera/strategies/common/node_blocks.hpp>
#include <tessera/strategies/common/team.hpp>
#include <tessera/strategies/common/traffic.hpp>
#include <tessera/strategies/common/with_default_instance.hpp>
#include <tessera/strategies/matrix_free/common/matrix_free_operator.hpp>
#include <tessera/strategies/matrix_free/detail/element_product.hpp>

#include <algorithm>
#include <string>

namespace TESSERA_KERNELS::matrix_free {

/// A team owns a block of nodes. It computes the matrices of all elements around them as an assembly does and
/// leaves their products with x in its scratch; then a thread per row sums those of the elements around its
/// node, in the mesh's order, and writes the row once. Elements at the seams are computed by several teams;
/// blocks whose elements do not fit into scratch take several passes.
///
/// Deterministic, and the same bits whatever the blocks. The plan holds 9 bytes for each node of each
/// element, 8 for each node and 4 for each element of each block.
struct RowSharedProduct : WithDefaultInstance<RowSharedProduct> {
  using WithDefaultInstance<RowSharedProduct>::plan;
  static constexpr const char* name = "RowSharedProduct";
  static constexpr const char* source = "paper 1, Table III and section 5";
  static constexpr bool deterministic = true;

  /// Blocks of nodes.
  Partitioner partitioner = Partitioner::curve;
  /// Threads of a team; 0: chosen for the device.
  int team_size = 0;
  /// Scratch of a team; 0: chosen for the device.
  long scratch_bytes = 0;

  template <class Element, class ExecutionSpace, class Kernel, class Scalar>
  class Operator;
  template <class Element, class ExecutionSpace>
  class Plan;
  template <class ExecutionSpace>
  struct Layout;

  /// \throws ArgumentError for options out of range; UnsupportedError with the bytes if scratch does not hold
  ///   the result of one element; OutOfMemoryError
  template <class Element, class ExecutionSpace>
  Plan<Element, ExecutionSpace> plan(const ExecutionSpace& exec,
                                     const FunctionSpace<Element, ExecutionSpace>& space) const {
    return {exec, space, *this};
  }

  /// Mesh, lists, x and y once, as if no element were in two blocks.
  template <class Element, class Form, class Scalar, class ExecutionSpace>
  Cost cost(const FunctionSpace<Element, ExecutionSpace>& space) const {
    const double elements = space.mesh().num_elements();
    return {input_bytes(space) + 2.0 * space.num_dofs() * sizeof(Scalar) +
                elements * (sizeof(Ordinal) + Element::nodes * (sizeof(Ordinal) + 1.0)) +
                space.mesh().num_nodes() * static_cast<double>(sizeof(Offset) + sizeof(Ordinal)),
            detail::flops_of_integrated_products<Element, Form>(space) +
                elements * Element::nodes * Form::components};
  }
};

/// What the plan prepares: blocks of nodes, their elements, and where a row finds its elements' results.
template <class ExecutionSpace>
struct RowSharedProduct::Layout {
  int team_size = 1;
  NodeBlocks<ExecutionSpace> blocks;
  ElementPasses<ExecutionSpace> passes;
  NodeToElement<ExecutionSpace> incidence;
  Kokkos::View<Ordinal*, ExecutionSpace>
      positions; ///< of incidence's elements in the list of the node's block

  std::size_t bytes() const {
    return blocks.bytes() + passes.bytes() + bytes_of(incidence.offsets) + bytes_of(incidence.elements) +
           bytes_of(incidence.local_nodes) + bytes_of(positions);
  }
};

template <class Element, class ExecutionSpace, class Kernel, class Scalar>
class RowSharedProduct::Operator
    : public MatrixFreeOperator<RowSharedProduct::Operator<Element, ExecutionSpace, Kernel, Scalar>, Element,
                                ExecutionSpace, Kernel, Scalar> {
  using Base = MatrixFreeOperator<Operator, Element, ExecutionSpace, Kernel, Scalar>;

public:
  static constexpr const char* strategy_name = RowSharedProduct::name;

  /// Checks every element. Plans call it.
  Operator(const ExecutionSpace& exec, const typename Base::Space& space, const Kernel& kernel,
           const Layout<ExecutionSpace>& layout)
      : Base(space, kernel), layout_(layout) {
    this->check_elements(exec);
  }

  /// Device memory besides the mesh and the vectors.
  std::size_t bytes() const { return layout_.bytes(); }

  void multiply(const ExecutionSpace& exec, const typename Base::ConstVector& x,
                const typename Base::Vector& y) const {
    const Ordinal count = layout_.blocks.nodes.count;
    if (count == 0) return;
    const MultiplyBlock block{{this->kernel(), this->space().mesh().kernel(), {this->equations()}, x},
                              layout_.blocks.elements,
                              layout_.passes,
                              layout_.blocks.nodes.offsets,
                              layout_.blocks.nodes.items,
                              layout_.incidence,
                              layout_.positions,
                              y};
    Kokkos::parallel_for(
        "Tessera::RowSharedProduct::apply",
        team_policy(exec, strategy_name, block, count, layout_.team_size, block.scratch_bytes()), block);
  }

  // Kernels are public: nvcc takes no private type in the template arguments of a kernel.
  struct MultiplyBlock {
    using Product = detail::IntegratedProduct<Element, ExecutionSpace, Kernel, Scalar>;
    using Real = typename Product::Real;
    using Member = typename Kokkos::TeamPolicy<ExecutionSpace>::member_type;
    /// Of dof i of element e of the pass at i * passes.size + e.
    using Results =
        Kokkos::View<Scalar*, typename ExecutionSpace::scratch_memory_space, Kokkos::MemoryUnmanaged>;

    Product product;
    BlockLists<ExecutionSpace> elements;
    ElementPasses<ExecutionSpace> passes;
    Kokkos::View<const Ordinal*, ExecutionSpace> offsets, nodes; ///< of the blocks
    NodeToElement<ExecutionSpace> incidence;
    Kokkos::View<const Ordinal*, ExecutionSpace> positions;
    typename Base::Vector y;

    std::size_t scratch_bytes() const { return Results::shmem_size(Product::dofs * passes.size); }

    KOKKOS_FUNCTION void operator()(const Member& member) const {
      constexpr int components = Product::components;
      const Ordinal block = member.league_rank(), first = offsets(block);
      const Ordinal rows = (offsets(block + 1) - first) * components;
      const Results results(member.team_scratch(0), Product::dofs * passes.size);
      for (Ordinal group = passes.first_group(block); group < passes.first_group(block + 1); ++group) {
        const Ordinal begin = passes.begin(group), rest = elements.size(block) - begin;
        const Ordinal count = rest < passes.size ? rest : passes.size;
        Kokkos::parallel_for(
            Kokkos::TeamThreadRange(member, (count + lanes_v<Real> - 1) / lanes_v<Real>), [&](Ordinal chunk) {
              compute(elements.offsets(block) + begin, chunk * lanes_v<Real>, count, results);
            });
        member.team_barrier();
        Kokkos::parallel_for(Kokkos::TeamThreadRange(member, rows), [&](Ordinal k) {
          add_row(nodes(first + k / components), k % components, begin, results);
        });
        member.team_barrier();
      }
    }

    /// Elements from number e of the pass on, as many as there are lanes.
    KOKKOS_FUNCTION void compute(Offset first, Ordinal e, Ordinal count, const Results& results) const {
      Real v[Product::dofs];
      product([&](int lane) { return elements.items(first + (e + lane < count ? e + lane : count - 1)); }, v);
      TESSERA_UNROLL(unroll_up_to_8<Product::dofs>)
      for (int i = 0; i < Product::dofs; ++i)
        for (int lane = 0; lane < lanes_v<Real> && e + lane < count; ++lane)
          results(i * passes.size + e + lane) = lane_of(v[i], lane);
    }

    /// Adds a pass's results to the row of a node's component; the first pass finds nothing there.
    KOKKOS_FUNCTION void add_row(Ordinal node, int a, Ordinal begin, const Results& results) const {
      const auto& equations = product.node_values.equations;
      const bool constrained = equations.is_constrained(node, a);
      if (constrained && equations.removed) return;
      const Ordinal row = equations.equation(node, a);
      if (constrained) {
        y(row) = product.x(row);
        return;
      }
      Scalar sum = begin == 0 ? Scalar(0) : y(row);
      for (Offset p = incidence.offsets(node); p < incidence.offsets(node + 1); ++p) {
        const Ordinal e = positions(p) - begin;
        if (e < 0 || e >= passes.size) continue;
        sum += results((incidence.local_nodes(p) * Product::components + a) * passes.size + e);
      }
      y(row) = sum;
    }
  };

private:
  Layout<ExecutionSpace> layout_;
};

template <class Element, class ExecutionSpace>
class RowSharedProduct::Plan
    : public MatrixFreePlan<RowSharedProduct::Plan<Element, ExecutionSpace>, Element, ExecutionSpace> {
  using Base = MatrixFreePlan<Plan, Element, ExecutionSpace>;

public:
  static constexpr const char* strategy_name = RowSharedProduct::name;

  Plan(const ExecutionSpace& exec, const typename Base::Space& space, const RowSharedProduct& options)
      : Base(exec, space) {
    const auto& mesh = space.mesh();
    layout_.team_size = team_threads<ExecutionSpace>(name, options.team_size);
    const Ordinal capacity = elements_in_scratch(options.scratch_bytes);
    // On devices enough for a few elements a thread; several teams share a multiprocessor.
    const Ordinal wanted =
        runs_on_host<ExecutionSpace> ? capacity : std::min<Ordinal>(capacity, 8 * layout_.team_size);
    constexpr int attempts = 2;
    layout_.blocks = node_blocks(exec, mesh, options.partitioner, wanted, attempts);
    layout_.passes = element_passes(exec, layout_.blocks.elements,
                                    std::max(1, std::min(capacity, layout_.blocks.most_elements)));
    layout_.incidence = node_to_element(exec, mesh.kernel().connectivity, mesh.num_nodes());
    layout_.positions = allocate<decltype(layout_.positions)>(exec, "Tessera::RowSharedProduct::positions",
                                                              layout_.incidence.elements.extent(0));
    Kokkos::parallel_for("Tessera::RowSharedProduct::find",
                         Kokkos::RangePolicy<ExecutionSpace>(exec, 0, mesh.num_nodes()),
                         FindElements{layout_.blocks.elements, layout_.blocks.nodes.block_of_item,
                                      layout_.incidence, layout_.positions});
    layout_.blocks.nodes.block_of_item = {}; // only the lists were made with it
    this->prepared(layout_.bytes());
  }

  /// Passes of all blocks, for tests.
  Ordinal passes() const { return layout_.passes.groups; }
  /// Blocks of nodes, for tests.
  Ordinal blocks() const { return layout_.blocks.nodes.count; }

  template <class Scalar, class, class Kernel>
  Operator<Element, ExecutionSpace, Kernel, Scalar> make(const Kernel& kernel) const {
    return {this->exec(), this->space(), kernel, layout_};
  }

  // Kernels are public: nvcc takes no private type in the template arguments of a kernel.
  struct FindElements {
    BlockLists<ExecutionSpace> elements;
    Kokkos::View<const Ordinal*, ExecutionSpace> block_of_node;
    NodeToElement<ExecutionSpace> incidence;
    Kokkos::View<Ordinal*, ExecutionSpace> positions;

    KOKKOS_FUNCTION void operator()(Ordinal node) const {
      for (Offset p = incidence.offsets(node); p < incidence.offsets(node + 1); ++p)
        positions(p) = elements.find(block_of_node(node), incidence.elements(p));
    }
  };

private:
  /// How many elements' results of double precision fit.
  Ordinal elements_in_scratch(long wanted) const {
    constexpr std::size_t alignment = 64; // what views in scratch may add
    const std::size_t element = Element::nodes * this->space().components() * sizeof(double);
    const std::size_t scratch = scratch_budget<ExecutionSpace>(name, wanted, element + alignment);
    if (scratch < element + alignment)
      throw UnsupportedError(std::string(name) + ": the result of one element takes " +
                             std::to_string(element + alignment) + " bytes of scratch, " +
                             std::to_string(scratch) + " are allowed");
    return static_cast<Ordinal>((scratch - alignment) / element);
  }

  Layout<ExecutionSpace> layout_;
};

} // namespace TESSERA_KERNELS::matrix_free
