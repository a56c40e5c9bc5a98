#pragma once

/// \file
/// Rows of linear simplices by closed form: a thread or two (on the host: a vector lane) per node.

#include <tessera/core/element_system.hpp>
#include <tessera/strategies/assembly/common/system_kernel.hpp>
#include <tessera/strategies/assembly/row_owner/coefficient_table.hpp>
#include <tessera/strategies/assembly/row_owner/finish_row.hpp>
#include <tessera/strategies/assembly/row_owner/star_elements.hpp>
#include <tessera/strategies/assembly/row_owner/star_scratch.hpp>
#include <tessera/strategies/common/status.hpp>
#include <tessera/strategies/common/team.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <string>
#include <type_traits>

namespace tessera::assembly::detail {

/// Computes the rows of a window of nodes.
///
/// A thread brings its neighbours' coordinates, relative to its node, into scratch once; from then on an
/// element costs its corners' positions in that list, a byte or less each. Two threads of a node bring half
/// of the neighbours each and take every other element. Coordinates and sums of a warp's lanes lie side by
/// side, so that lanes that look at different neighbours still use different banks. On devices the finished
/// rows of a window are put together in scratch, in place of the coordinates, and leave it in one contiguous
/// stream.
///
/// Coefficients that vary are fetched once for each element of a window, into a table in scratch, where nodes
/// look them up by the element's place.
///
/// \tparam Varying coefficients that may vary from element to element, the first ones of the form
/// \tparam Crowded whether it is the turn of the crowded nodes. They have a team to themselves, and their
///   neighbours take one place in scratch each, not one for every lane of a slice.
template <class Element, class ExecutionSpace, class Scalar, class Kernel, int Varying, bool Crowded>
struct StarRows {
  using Stars = NodeStars<Element, ExecutionSpace>;
  using Policy = Kokkos::TeamPolicy<ExecutionSpace>;
  using Member = typename Policy::member_type;
  static constexpr int width = Stars::width;
  using Real = std::conditional_t<Stars::on_host, Pack<Scalar, width>, Scalar>;
  static constexpr int lanes = lanes_v<Real>;
  /// Elements whose corners, and neighbours whose coordinates, are fetched together: enough to cover the
  /// memory's latency, few enough to leave registers (measured: docs/performance/owner_computes.md).
  static constexpr int ahead = Stars::on_host ? 1 : Element::dimension == 2 ? 3 : 4;
  static constexpr int together = Stars::on_host ? 1 : 8;
  static constexpr int dimension = Element::dimension;
  static constexpr int components = Kernel::components;
  static constexpr int blocks = components * components;
  /// From one neighbour's place in scratch to the next, and from one lane's to the next.
  static constexpr int stride = Crowded ? 1 : width, spread = Crowded ? 0 : 1;
  /// Whether the rows of a team fit in the place of its coordinates.
  static constexpr bool staged = !Stars::on_host && blocks <= dimension;
  static constexpr int threads = Crowded ? 1 : star_threads<Stars>(components);
  /// Neighbours that are fetched together after the first ones.
  static constexpr int rest = threads == 1 ? together : 2;
  static constexpr int step = threads * width; ///< from one of a thread's elements to its next
  static constexpr int team_size = Stars::team_slices * width * threads / lanes;
  static constexpr int seats_per_team = Crowded ? Stars::window : Stars::team_slices * width;
  static_assert(threads == 1 || staged, "the barriers of staging keep the threads of a node in step");
  static constexpr int position_bits = Crowded ? Stars::crowded_bits : Stars::position_bits;
  /// Coefficients whose values may lie in the table; 0: elements fetch what they need.
  static constexpr int tabled = Crowded ? 0 : Kokkos::min(Varying, fields_in_table<Kernel>(Stars::on_host));
  /// Whether the table's loads and the neighbours' are under way together, for which triangles lack
  /// registers.
  static constexpr bool overlapped = tabled > 0 && threads > 1;

  Kernel kernel;
  MeshKernel<Element, ExecutionSpace> mesh;
  Stars stars;
  StarElements<ExecutionSpace> elements; ///< empty where nothing varies
  SystemKernel<ExecutionSpace, Scalar> system;
  Status<ExecutionSpace> status;
  int room; ///< neighbours of all nodes of a team, padding included: the most that any team has

  /// Coordinates and sums of the neighbours, what all threads of a node but the first have of its load, and
  /// the table.
  KOKKOS_FUNCTION int scratch_bytes() const {
    return (table_begin() + tabled * elements.most) * static_cast<int>(sizeof(Scalar));
  }

  /// \throws UnsupportedError with the bytes if the scratch memory of a team is too small
  void run(const ExecutionSpace& exec) const {
    const Ordinal windows = Crowded ? stars.num_windows() - stars.num_fitting : stars.num_fitting;
    if (windows == 0) return;
    const int bytes = scratch_bytes();
    if (const std::size_t limit = scratch_limit<ExecutionSpace>(); static_cast<std::size_t>(bytes) > limit)
      throw UnsupportedError("RowOwner: " + std::to_string(room) + " neighbours need " +
                             std::to_string(bytes) + " bytes of scratch, a team on " +
                             ExecutionSpace::name() + " has at most " + std::to_string(limit));
    Policy policy(exec, windows * (Stars::window / seats_per_team), team_size);
    policy.set_scratch_size(0, Kokkos::PerTeam(bytes));
    Kokkos::parallel_for("Tessera::RowOwner::star_rows", policy, *this);
  }

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    auto* const scratch = static_cast<Scalar*>(team.team_scratch(0).get_shmem(scratch_bytes()));
    const Ordinal first_seat =
        team.league_rank() * seats_per_team + (Crowded ? stars.num_fitting * Stars::window : 0);
    const int rank = team.team_rank(), part = rank / width % threads;
    const Ordinal seat = first_seat + (rank / (width * threads) * width + rank % width) * lanes;
    const Ordinal slice = seat / width;
    const NodeWindow window = stars.windows(seat / Stars::window);
    const int lane = seat % width;
    const int own =
        Crowded
            ? 0
            : static_cast<int>(stars.neighbor_begin(slice) - stars.neighbor_begin(first_seat / width)) + lane;
    Scalar* const coordinates = scratch + (own - lane * spread) * dimension + lane * spread;
    Scalar* const sums = scratch + room * dimension + own;
    Scalar* const load_of_others =
        scratch + room * (dimension + threads * blocks) + (seat - first_seat) * components;

    Scalar* const table = scratch + table_begin();
    const auto fill = [&](int first) {
      if constexpr (tabled > 0)
        fill_table<tabled, together, team_size>(kernel, mesh, elements, seat / Stars::window, first, table);
    };
    [[maybe_unused]] TableTurn<Kokkos::max(1, tabled), together, team_size, Scalar> turn;
    if constexpr (overlapped)
      turn.fetch_numbers(elements, seat / Stars::window, rank);
    else
      fill(rank);
    const Offset list = stars.element_begin(slice) + part * width + lane;
    const int length =
        turns(static_cast<int>(stars.element_begin(slice + 1) - stars.element_begin(slice)) / width, part);
    const Batch batch = fetch(list, length, 0);
    Own center[lanes];
    for (int l = 0; l < lanes; ++l) center[l] = take_seat(seat + l, part, window);
    if constexpr (overlapped) turn.fetch_values(kernel, mesh);
    for (int l = 0; l < lanes; ++l)
      load(center[l], part, slice, lane + l, coordinates + l * spread, sums + l * spread);
    if constexpr (overlapped) {
      turn.write(table);
      fill(rank + together * team_size);
    }
    if constexpr (threads > 1 || tabled > 0) team.team_barrier();
    const auto place = [&](const Scalar* at) { return static_cast<unsigned>(at - scratch) * unit; };
    const Terms terms{scratch, place(coordinates), place(sums + part * blocks * room), place(table),
                      seat / Stars::window};
    add_elements(list, length, batch, terms, center);
    for (int l = 0; l < lanes; ++l) add_center(sums + part * blocks * room + l * spread, center[l]);
    for (int a = 0; part > 0 && a < components; ++a) load_of_others[a] = center[0].load(a);

    if constexpr (staged) team.team_barrier();
    const Offset first_value = staged ? value_begin(window.first) : 0;
    for (int a = 0; threads > 1 && a < components; ++a) center[0].load(a) += load_of_others[a];
    for (int l = 0; l < lanes; ++l)
      finish(part, slice, lane + l, sums + l * spread, center[l], scratch, first_value);
    if constexpr (staged) {
      team.team_barrier();
      const int values = static_cast<int>(value_begin(window.first + window.nodes) - first_value);
      Scalar* const target = system.values.data() + first_value;
      TESSERA_UNROLL(4)
      for (int k = rank; k < values; k += team_size) target[k] = scratch[k];
    }
  }

private:
  KOKKOS_FORCEINLINE_FUNCTION int table_begin() const {
    const int loads = threads > 1 ? Stars::window * components : 0;
    return room * star_numbers<Stars>(components, threads) + loads;
  }

  /// What a thread keeps of its own node.
  struct Own {
    Ordinal node; ///< -1: nobody has the seat
    int degree;
    int elements;  ///< around it that are this thread's
    int position;  ///< of the node among its neighbours
    int signs = 0; ///< of the determinants of its elements: negative if one is
    Matrix<Scalar, components> diagonal = {};
    Vector<Scalar, components> load = {};
  };

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

  /// Fetches coordinates of this thread's neighbours and clears their sums.
  KOKKOS_FORCEINLINE_FUNCTION void load(Own& own, int part, Ordinal slice, int lane, Scalar* coordinates,
                                        Scalar* sums) const {
    if (own.degree <= part) return;
    const Ordinal node = own.node;
    double origin[dimension];
    for (int d = 0; d < dimension; ++d) origin[d] = mesh.position(node)[d];
    const Ordinal* const neighbors = stars.neighbors.data() + stars.neighbor_begin(slice) + lane;
    int k = part;
    if constexpr (rest < together) {
      bring<together>(own, neighbors, origin, k, coordinates, sums);
      k += threads * together;
    }
    TESSERA_UNROLL(1)
    for (; k < own.degree; k += threads * rest) bring<rest>(own, neighbors, origin, k, coordinates, sums);
  }

  /// `load` for `Count` neighbours, from `first`. Where there are fewer, two threads take their last one
  /// again: a condition for each would have every load wait for the one before.
  template <int Count>
  KOKKOS_FORCEINLINE_FUNCTION void bring(Own& own, const Ordinal* neighbors,
                                         const double (&origin)[dimension], int first, Scalar* coordinates,
                                         Scalar* sums) const {
    const int last = first + (own.degree - 1 - first) / threads * threads;
    int place[Count];
    Ordinal neighbor[Count];
    double position[Count][dimension];
    TESSERA_UNROLL(Count)
    for (int i = 0; i < Count; ++i)
      place[i] = threads == 1 ? first + i : Kokkos::min(first + i * threads, last);
    TESSERA_UNROLL(Count)
    for (int i = 0; i < Count; ++i)
      neighbor[i] = threads == 1 && place[i] >= own.degree ? own.node : neighbors[place[i] * width];
    TESSERA_UNROLL(Count)
    for (int i = 0; i < Count; ++i)
      for (int d = 0; d < dimension; ++d) position[i][d] = mesh.position(neighbor[i])[d];
    TESSERA_UNROLL(Count)
    for (int i = 0; i < Count; ++i) {
      if (threads == 1 && place[i] >= own.degree) break;
      if (threads == 1 && neighbor[i] == own.node) own.position = place[i];
      Scalar* const to = coordinates + place[i] * dimension * stride;
      for (int d = 0; d < dimension; ++d) to[d * stride] = static_cast<Scalar>(position[i][d] - origin[d]);
      for (int ab = 0; ab < threads * blocks; ++ab) sums[ab * room + place[i] * stride] = Scalar(0);
    }
  }

  /// `ahead` elements of each lane: their corners, and their places in the window where corners hold none.
  struct Batch {
    typename Stars::Corners corners[ahead][lanes];
    std::uint16_t places[ahead][lanes];
  };

  /// Places in scratch are counted in bytes for tetrahedra, which spares instructions that scale indices;
  /// triangles are faster with indices (measured: docs/performance/owner_computes.md).
  static constexpr unsigned unit = dimension == 2 ? 1 : sizeof(Scalar);

  /// Where an element finds what it needs and leaves its sums.
  struct Terms {
    Scalar* scratch;
    unsigned coordinates, sums, table; ///< in units
    Ordinal window;

    KOKKOS_FORCEINLINE_FUNCTION Scalar* at(unsigned place) const {
      if constexpr (unit == 1)
        return scratch + static_cast<int>(place);
      else
        return reinterpret_cast<Scalar*>(reinterpret_cast<char*>(scratch) + place);
    }
  };

  static constexpr bool fetches_places = Varying > 0 && !Crowded && !Stars::holds_places;

  /// \param begin the first lane's first entry, of `length` for every lane of this thread
  KOKKOS_FORCEINLINE_FUNCTION Batch fetch(Offset begin, int length, int k) const {
    Batch batch;
    for (int i = 0; i < ahead; ++i)
      for (int l = 0; l < lanes; ++l) {
        const Offset at = begin + (k + i) * step + l;
        batch.corners[i][l] = k + i < length ? stars.corners(at) : 0;
        if constexpr (fetches_places) batch.places[i][l] = k + i < length ? elements.places(at) : 0;
      }
    return batch;
  }

  /// Adds the elements around the nodes; the next elements' corners are on their way while one is computed.
  KOKKOS_FORCEINLINE_FUNCTION void add_elements(Offset begin, int length, Batch next, const Terms& terms,
                                                Own (&center)[lanes]) const {
    int most = center[0].elements; // lanes are in descending order, but for those at the end of a window
    for (int l = 1; l < lanes; ++l) most = Kokkos::max(most, center[l].elements);
    TESSERA_UNROLL(1)
    for (int k = 0; k < most; k += ahead) {
      const Batch batch = next;
      next = fetch(begin, length, k + ahead);
      TESSERA_UNROLL(ahead)
      for (int i = 0; i < ahead; ++i)
        if (k + i < most) add_element(k + i, batch.corners[i], batch.places[i], terms, center);
    }
    for (int l = 0; l < lanes; ++l) {
      Scalar finite = center[l].diagonal.entry[0];
      for (int a = 0; a < components; ++a) finite += center[l].load(a);
      if (center[l].signs < 0 || !Kokkos::isfinite(finite)) status.fail(0);
    }
  }

  /// An element's place in the window: the k-th around a crowded node.
  KOKKOS_FORCEINLINE_FUNCTION static int place_of(int k, typename Stars::Corners corners,
                                                  std::uint16_t place) {
    return Crowded               ? k
           : Stars::holds_places ? static_cast<int>(corners >> (dimension * position_bits % 32))
                                 : place;
  }

  /// The kernel for the coefficients of elements at hand.
  KOKKOS_FORCEINLINE_FUNCTION decltype(auto) at_hand(Cell<Element, Real>& cell, const int (&place)[lanes],
                                                     const Terms& terms) const {
    if constexpr (Varying == 0) {
      return (kernel);
    } else if constexpr (tabled > 0) {
      const Scalar* const values = terms.at(terms.table + place[0] * static_cast<unsigned>(tabled) * unit);
      Real value[tabled];
      for (int f = 0; f < tabled; ++f) value[f] = values[f];
      return kernel.fetched(value);
    } else {
      const Offset begin = elements.windows(terms.window).begin;
      for (int l = 0; l < lanes; ++l) {
        cell.element[l] = elements.elements(begin + place[l]);
        cell.material[l] = mesh.material(cell.element[l]);
      }
      return (kernel);
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION void add_element(int k, const typename Stars::Corners (&packed)[lanes],
                                               const std::uint16_t (&places)[lanes], const Terms& terms,
                                               Own (&center)[lanes]) const {
    unsigned corner[lanes][dimension]; // units from the first neighbour's sums
    int place[lanes];
    for (int l = 0; l < lanes; ++l) {
      place[l] = Varying > 0 ? place_of(k, packed[l], places[l]) : 0;
      for (int n = 0; n < dimension; ++n)
        corner[l][n] =
            Stars::template corner<position_bits>(packed[l], n) * static_cast<unsigned>(stride) * unit;
    }
    Cell<Element, Real> cell;
    for (int d = 0; d < dimension; ++d) {
      cell.coordinates[0][d] = Real(Scalar(0));
      for (int n = 0; n < dimension; ++n)
        cell.coordinates[n + 1][d] = from_lanes<Real>([&](int l) {
          return terms.at(terms.coordinates + corner[l][n] * dimension)[d * stride + l * spread];
        });
    }
    const Simplex<Element, Real> simplex(cell);
    const auto integral = at_hand(cell, place, terms).over(simplex);
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
          terms.at(terms.sums + corner[l][n])[ab * room + l * spread] +=
              lane_of(stiffness[n + 1].entry[ab], l);
      }
      for (int a = 0; a < components; ++a) center[l].load(a) += lane_of(element_load(a), l);
    }
  }

  /// The entry of the node itself: what its other entries leave of the row's sum, if the form knows that.
  template <class Integral>
  KOKKOS_FORCEINLINE_FUNCTION static Matrix<Real, components>
  own_entry(const Integral& integral, const Matrix<Real, components> (&stiffness)[Element::nodes]) {
    if constexpr (requires { integral.row_sum(0); }) {
      Matrix<Real, components> rest = integral.row_sum(0);
      for (int n = 1; n < Element::nodes; ++n)
        for (int ab = 0; ab < blocks; ++ab) rest.entry[ab] -= stiffness[n].entry[ab];
      return rest;
    } else {
      return integral.stiffness(0, 0);
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION void add_center(Scalar* sums, const Own& own) const {
    for (int ab = 0; own.degree > 0 && ab < blocks; ++ab)
      sums[ab * room + own.position * stride] = own.diagonal.entry[ab];
  }

  /// Writes the rows of one node: on devices into scratch, where they follow the window's first value.
  KOKKOS_FORCEINLINE_FUNCTION void finish(int part, Ordinal slice, int lane, Scalar* sums, const Own& own,
                                          Scalar* scratch, Offset first_value) const {
    if (own.node < 0) return;
    const Ordinal* const neighbors = stars.neighbors.data() + stars.neighbor_begin(slice) + lane;
    Scalar* const values = staged ? scratch - first_value : system.values.data();
    finish_rows(
        system, own.node, own.degree, own.load, values, [&](int k) { return neighbors[k * width]; },
        [&](int a, int k, int b) {
          const Scalar* const first = sums + (a * components + b) * room + k * stride;
          Scalar sum = first[0];
          for (int t = 1; t < threads; ++t) sum += first[t * blocks * room];
          return sum;
        },
        part, threads);
  }
};

} // namespace tessera::assembly::detail
