// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Rows of linear simplices by closed form: a thread or two (on the host: a vector lane) per node.

#include <tessera/core/elements/cell.hpp>
#include <tessera/core/instruction_sets.hpp>
#include <tessera/strategies/assembly/common/system_kernel.hpp>
#include <tessera/strategies/assembly/detail/row_owner/finish_row.hpp>
#include <tessera/strategies/assembly/detail/row_owner/stars/star_neighbors.hpp>
#include <tessera/strategies/assembly/detail/row_owner/stars/star_scratch.hpp>
#include <tessera/strategies/common/status.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <string>
#include <type_traits>

namespace TESSERA_KERNELS::assembly::detail {

/// Computes the rows of a window of nodes; the words are explained in README.md beside this file.
///
/// A thread brings its neighbours' coordinates, relative to its node, into scratch once; from then on an
/// element costs its corners' positions in that list, a byte or less each. Two threads of a node bring half
/// of the neighbours each and take every other element. Coordinates and sums of a warp's lanes lie side by
/// side, so that lanes that look at different neighbours still use different banks. On devices the finished
/// rows of a window are put together in scratch, in place of the coordinates, and leave it in one contiguous
/// stream.
///
/// Coefficients that vary are fetched, by the numbers of elements beside their corners, for all elements
/// whose corners came together.
template <class Shape, class ExecutionSpace>
struct StarRows {
  using Element = typename Shape::Element;
  using Scalar = typename Shape::Scalar;
  using Kernel = typename Shape::Kernel;
  using Real = typename Shape::Real;
  using Stars = typename Shape::Stars;
  using Scratch = StarScratch<Shape>;
  using Own = StarNode<Shape>;
  using Mesh = MeshKernel<Element, ExecutionSpace>;
  using Policy = Kokkos::TeamPolicy<ExecutionSpace>;
  using Member = typename Policy::member_type;
  static constexpr bool Crowded = Shape::crowded, staged = Shape::staged;
  static constexpr int Varying = Shape::varying, width = Shape::width, lanes = Shape::lanes,
                       dimension = Shape::dimension, components = Shape::components, blocks = Shape::blocks,
                       ahead = Shape::ahead, together = Shape::together, threads = Shape::threads,
                       spread = Shape::spread, stride = Shape::stride, fields = Shape::fields,
                       team_size = Shape::team_size, seats_per_team = Shape::seats_per_team;

  Kernel kernel;
  Mesh mesh;
  Stars stars;
  Kokkos::View<const Ordinal*, ExecutionSpace>
      elements; ///< see `star_elements`; may be empty if nothing varies
  SystemKernel<ExecutionSpace, Scalar> system;
  Status<ExecutionSpace> status;
  int capacity; ///< see `StarScratch`

  KOKKOS_FUNCTION int scratch_bytes() const { return Scratch::bytes(capacity); }

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    by_best_instructions<Real>([&]() TESSERA_INLINED { add_rows(team); });
  }

private:
  KOKKOS_FORCEINLINE_FUNCTION void add_rows(const Member& team) const {
    const Scratch scratch{static_cast<Scalar*>(team.team_scratch(0).get_shmem(scratch_bytes())), capacity};
    const Ordinal first_seat =
        team.league_rank() * seats_per_team + (Crowded ? stars.num_fitting * Stars::window : 0);
    const int rank = team.team_rank(), part = rank / width % threads;
    const Ordinal seat = first_seat + (rank / (width * threads) * width + rank % width) * lanes;
    const Ordinal slice = seat / width;
    const NodeWindow window = stars.windows(seat / Stars::window);
    const int lane = seat % width;
    const int own = Crowded ? 0 : stars.first_place(seat);
    Scalar* const coordinates = scratch.coordinates(own, lane);
    Scalar* const sums = scratch.sums(own);
    Scalar* const load_of_others = scratch.load(seat - first_seat);
    const Offset list = stars.element_begin(slice) + part * width + lane;
    const int length =
        turns(static_cast<int>(stars.element_begin(slice + 1) - stars.element_begin(slice)) / width, part);
    const Batch batch = fetch(list, length, 0);
    Own center[lanes];
    for (int l = 0; l < lanes; ++l) center[l] = take_seat(seat + l, part, window);
    for (int l = 0; l < lanes; ++l)
      StarNeighbors<Shape, Mesh>{mesh, neighbors_of(slice, lane + l), capacity}.load(
          center[l], part, coordinates + l * spread, sums + l * spread);
    if constexpr (threads > 1) team.team_barrier();
    Scalar* const own_sums = sums + part * scratch.sums_of_thread();
    const Terms terms{scratch, scratch.place(coordinates), scratch.place(own_sums)};
    add_elements(list, length, batch, terms, center);
    for (int l = 0; l < lanes; ++l) add_center(own_sums + l * spread, center[l]);
    for (int a = 0; part > 0 && a < components; ++a) load_of_others[a] = center[0].load(a);

    if constexpr (staged) team.team_barrier();
    const Offset first_value = staged ? value_begin(window.first) : 0;
    for (int a = 0; threads > 1 && a < components; ++a) center[0].load(a) += load_of_others[a];
    for (int l = 0; l < lanes; ++l)
      finish(part, slice, lane + l, sums + l * spread, center[l], scratch.memory, first_value);
    if constexpr (staged) {
      team.team_barrier();
      const int values = static_cast<int>(value_begin(window.first + window.nodes) - first_value);
      Scalar* const target = system.values.data() + first_value;
      TESSERA_UNROLL(4)
      for (int k = rank; k < values; k += team_size) target[k] = scratch.memory[k];
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION Offset value_begin(Ordinal node) const {
    return system.row_map(system.equations.first_equation(node));
  }

  /// How many of `items` that the threads of a node take in turn are those of thread `part`.
  KOKKOS_FORCEINLINE_FUNCTION static int turns(int items, int part) {
    return (items - part + threads - 1) / threads;
  }

  KOKKOS_FORCEINLINE_FUNCTION Own take_seat(Ordinal seat, int part, const NodeWindow& window) const {
    const Ordinal in_window = stars.node_in_window(seat);
    return {in_window < window.nodes ? window.first + in_window : -1, stars.degree(seat),
            turns(stars.valence(seat), part), threads > 1 ? stars.position(seat) : 0};
  }

  /// A node's neighbours, `width` apart.
  KOKKOS_FORCEINLINE_FUNCTION const Ordinal* neighbors_of(Ordinal slice, int lane) const {
    return stars.neighbors.data() + stars.neighbor_begin(slice) + lane;
  }

  /// `ahead` elements of each lane: their corners, and their numbers where coefficients vary.
  struct Batch {
    typename Stars::Corners corners[ahead][lanes];
    Ordinal numbers[ahead][lanes];
  };

  /// Coefficients that vary of the elements of a batch.
  struct Coefficients {
    Scalar value[Kokkos::max(1, fields)][ahead];
  };

  /// Where an element finds what it needs and leaves its sums.
  struct Terms {
    const Scratch& scratch;
    unsigned coordinates, sums; ///< places in scratch
  };

  /// \param begin the first lane's first entry, of `length` for every lane of this thread
  KOKKOS_FORCEINLINE_FUNCTION Batch fetch(Offset begin, int length, int k) const {
    Batch batch;
    for (int i = 0; i < ahead; ++i)
      for (int l = 0; l < lanes; ++l) {
        const Offset at = begin + (k + i) * Shape::step + l;
        batch.corners[i][l] = k + i < length ? stars.corners(at) : 0;
        if constexpr (Varying > 0) batch.numbers[i][l] = k + i < length ? elements(at) : 0;
      }
    return batch;
  }

  KOKKOS_FORCEINLINE_FUNCTION Coefficients coefficients([[maybe_unused]] const Batch& batch) const {
    Coefficients coefficients;
    if constexpr (fields > 0) {
      Ordinal number[ahead];
      for (int i = 0; i < ahead; ++i) number[i] = batch.numbers[i][0];
      TESSERA_UNROLL(fields)
      for (int f = 0; f < fields; ++f) fetch_values(kernel.field(f), mesh, number, coefficients.value[f]);
    }
    return coefficients;
  }

  /// Adds the elements around the nodes; the next elements' corners are on their way while one is computed.
  KOKKOS_FORCEINLINE_FUNCTION void add_elements(Offset begin, int length, Batch next, const Terms& terms,
                                                Own (&center)[lanes]) const {
    int most = center[0].elements; // lanes are in descending order, but for those at the end of a window
    for (int l = 1; l < lanes; ++l) most = Kokkos::max(most, center[l].elements);
    TESSERA_UNROLL(1)
    for (int k = 0; k < most; k += ahead) {
      const Batch batch = next;
      const Coefficients values = coefficients(batch);
      next = fetch(begin, length, k + ahead);
      TESSERA_UNROLL(ahead)
      for (int i = 0; i < ahead; ++i)
        if (k + i < most) add_element(k + i, i, batch, values, terms, center);
    }
    for (int l = 0; l < lanes; ++l) {
      const Scalar finite = sum_of_entries(center[l].diagonal) + sum_of_entries(center[l].load);
      if (center[l].signs < 0 || !Kokkos::isfinite(finite)) status.fail(0);
    }
  }

  /// The kernel for the coefficients of element i of a batch.
  KOKKOS_FORCEINLINE_FUNCTION decltype(auto) at_hand(Cell<Element, Real>& cell, int i, const Batch& batch,
                                                     const Coefficients& values) const {
    if constexpr (Varying == 0) {
      return (kernel);
    } else if constexpr (fields > 0) {
      Real value[fields];
      for (int f = 0; f < fields; ++f) value[f] = values.value[f][i];
      return kernel_with_values(kernel, value);
    } else {
      for (int l = 0; l < lanes; ++l) {
        cell.element[l] = batch.numbers[i][l];
        cell.material[l] = mesh.material(cell.element[l]);
      }
      return (kernel);
    }
  }

  /// Adds the k-th element around the nodes, which is the i-th of a batch.
  KOKKOS_FORCEINLINE_FUNCTION void add_element(int k, int i, const Batch& batch, const Coefficients& values,
                                               const Terms& terms, Own (&center)[lanes]) const {
    unsigned corner[lanes][dimension]; // units from the first neighbour's sums
    for (int l = 0; l < lanes; ++l)
      for (int n = 0; n < dimension; ++n)
        corner[l][n] = Stars::corner(batch.corners[i][l], n) * static_cast<unsigned>(stride) * Shape::unit;
    Cell<Element, Real> cell;
    for (int d = 0; d < dimension; ++d) {
      cell.coordinates[0][d] = Real(Scalar(0));
      for (int n = 0; n < dimension; ++n)
        cell.coordinates[n + 1][d] = from_lanes<Real>([&](int l) {
          return terms.scratch.at(terms.coordinates + corner[l][n] * dimension)[d * stride + l * spread];
        });
    }
    const Simplex<Element, Real> simplex(cell);
    const auto integral = at_hand(cell, i, batch, values).over(simplex);
    Matrix<Real, components> stiffness[Element::nodes];
    for (int n = 1; n < Element::nodes; ++n) stiffness[n] = integral.stiffness(0, n);
    stiffness[0] = own_entry(integral, stiffness);
    const auto element_load = integral.load(0);
    for (int l = 0; l < lanes; ++l) {
      if (lanes > 1 && k >= center[l].elements) continue;
      center[l].signs |= sign_word(lane_of(simplex.determinant(), l));
      for (int ab = 0; ab < blocks; ++ab) {
        center[l].diagonal.entry[ab] += lane_of(stiffness[0].entry[ab], l);
        for (int n = 0; n < dimension; ++n)
          terms.scratch.at(terms.sums + corner[l][n])[ab * capacity + l * spread] +=
              lane_of(stiffness[n + 1].entry[ab], l);
      }
      for (int a = 0; a < components; ++a) center[l].load(a) += lane_of(element_load(a), l);
    }
  }

  /// The entry of the node itself: what its other entries leave of the row's sum, if the form knows that.
  template <class Integral>
  KOKKOS_FORCEINLINE_FUNCTION static Matrix<Real, components>
  own_entry(const Integral& integral, const Matrix<Real, components> (&stiffness)[Element::nodes]) {
    if constexpr (requires { integral.row_sum(); }) {
      Matrix<Real, components> rest = integral.row_sum();
      for (int n = 1; n < Element::nodes; ++n)
        for (int ab = 0; ab < blocks; ++ab) rest.entry[ab] -= stiffness[n].entry[ab];
      return rest;
    } else {
      return integral.stiffness(0, 0);
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION void add_center(Scalar* sums, const Own& own) const {
    for (int ab = 0; own.degree > 0 && ab < blocks; ++ab)
      sums[ab * capacity + own.position * stride] = own.diagonal.entry[ab];
  }

  /// Writes the rows of one node: on devices into scratch, where they follow the window's first value.
  KOKKOS_FORCEINLINE_FUNCTION void finish(int part, Ordinal slice, int lane, Scalar* sums, const Own& own,
                                          Scalar* scratch, Offset first_value) const {
    if (own.node < 0) return;
    const Ordinal* const neighbors = neighbors_of(slice, lane);
    Scalar* const values = staged ? scratch - first_value : system.values.data();
    finish_rows(
        system, own.node, own.degree, own.load, values, [&](int k) { return neighbors[k * width]; },
        [&](int a, int k, int b) {
          const Scalar* const first = sums + (a * components + b) * capacity + k * stride;
          Scalar sum = first[0];
          for (int t = 1; t < threads; ++t) sum += first[t * blocks * capacity];
          return sum;
        },
        part, threads);
  }
};

} // namespace TESSERA_KERNELS::assembly::detail
