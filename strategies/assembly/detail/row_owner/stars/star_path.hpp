// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// RowOwner's way for linear simplices whose form has a closed form: lists, sizes and launches.

#include <tessera/core/error.hpp>
#include <tessera/core/unroll.hpp>
#include <tessera/strategies/assembly/common/system_kernel.hpp>
#include <tessera/strategies/assembly/detail/row_owner/stars/name_star_failure.hpp>
#include <tessera/strategies/assembly/detail/row_owner/stars/star_elements.hpp>
#include <tessera/strategies/assembly/detail/row_owner/stars/star_rows.hpp>
#include <tessera/strategies/common/status.hpp>
#include <tessera/strategies/common/team.hpp>
#include <tessera/strategies/cuda/by_value.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace TESSERA_KERNELS::assembly::detail {

/// The stars of a mesh's nodes, and the numbers of their elements once a form has coefficients that vary.
template <class Element, class ExecutionSpace>
class StarPath {
public:
  using Stars = NodeStars<Element, ExecutionSpace>;
  using Space = FunctionSpace<Element, ExecutionSpace>;

  /// \param wanted scratch of a team; 0: chosen for the device
  /// \throws UnsupportedError for a node with more than 256 neighbours; OutOfMemoryError
  StarPath(const ExecutionSpace& exec, const Space& space, long wanted)
      : stars_(node_stars(exec, space.mesh(), rooms(exec, space.components(), wanted))) {
    capacity_ = most_neighbors(exec, stars_, 0, stars_.num_fitting);
    crowded_capacity_ = most_neighbors(exec, stars_, stars_.num_fitting, stars_.num_windows());
    crowded_capacity_ /= Stars::width; // alone a node needs no padding
  }

  std::size_t bytes() const { return stars_.bytes() + bytes_of(elements_); }

  /// Whether the numbers of elements are there if a form's kernel needs them: for coefficients that vary.
  template <class Kernel>
  bool is_ready(const Kernel& kernel) const {
    return elements_.extent(0) == stars_.corners.extent(0) || uniform(kernel);
  }
  template <class Kernel>
  void make_ready(const ExecutionSpace& exec, const Space& space, const Kernel& kernel) {
    if (!is_ready(kernel)) elements_ = star_elements(exec, space.mesh(), stars_);
  }

  template <class Kernel, class Scalar>
  void run(const ExecutionSpace& exec, const Space& space, const Kernel& kernel,
           const SystemKernel<ExecutionSpace, Scalar>& system, const Status<ExecutionSpace>& status) const {
    const Launch<Scalar> launch{*this, exec, space.mesh().kernel(), system, status};
    if constexpr (NamesCellFields<Kernel>)
      if (const auto uniform = uniform_kernel(kernel)) {
        launch.template rows<0, false>(*uniform);
        launch.template rows<0, true>(*uniform);
        return;
      }
    constexpr int fields = fields_ahead<Kernel>(Stars::on_host), all = std::max(fields, 1);
    const int varying = last_varying<fields>(kernel);
    tessera::detail::for_constants<all>([&](auto before) {
      if (before + 1 == varying) launch.template rows<before + 1, false>(kernel);
    });
    launch.template rows<all, true>(kernel);
  }

  /// Names an element that could not be integrated; rows do not say which it was.
  /// \throws FormError if no element shows it alone: a sum overflowed, or a determinant is zero to rounding
  template <class Kernel, class Scalar>
  static void name_failure(const ExecutionSpace& exec, const Space& space, const Kernel& kernel,
                           const SystemKernel<ExecutionSpace, Scalar>&,
                           const Status<ExecutionSpace>& status) {
    status.reset();
    const auto& mesh = space.mesh();
    NameStarFailure<Element, ExecutionSpace, Scalar, Kernel>{kernel, mesh.kernel(), status}.run(
        exec, mesh.num_elements());
    if (!status.failed(exec))
      throw FormError("RowOwner: what elements add at a node is not finite, or a Jacobian is zero to "
                      "rounding; the values of the system are unspecified");
  }

private:
  /// How many of a form's coefficients are fetched: up to the last one that varies, at least one.
  template <int fields, class Kernel>
  static int last_varying(const Kernel& kernel) {
    int last = 1;
    for (int i = 1; i < fields; ++i)
      if constexpr (fields > 1)
        if (varies(kernel.field(i))) last = i + 1;
    return last;
  }

  template <class Kernel>
  static bool uniform(const Kernel& kernel) {
    if constexpr (NamesCellFields<Kernel>)
      return uniform_kernel(kernel).has_value();
    else
      return false;
  }

  template <class Scalar>
  struct Launch {
    const StarPath& path;
    const ExecutionSpace& exec;
    MeshKernel<Element, ExecutionSpace> mesh;
    const SystemKernel<ExecutionSpace, Scalar>& system;
    const Status<ExecutionSpace>& status;

    /// The rows of all nodes that fit, or of the crowded ones.
    template <int Varying, bool Crowded, class Kernel>
    void rows(const Kernel& kernel) const {
      using Shape = StarShape<Element, ExecutionSpace, Scalar, Kernel, Varying, Crowded>;
      using Rows = StarRows<Shape, ExecutionSpace>;
      const Stars& stars = path.stars_;
      const Ordinal windows = Crowded ? stars.num_windows() - stars.num_fitting : stars.num_fitting;
      if (windows == 0) return;
      const Rows rows{kernel,
                      mesh,
                      stars,
                      path.elements_,
                      system,
                      status,
                      Crowded ? path.crowded_capacity_ : path.capacity_};
      const int bytes = rows.scratch_bytes();
      if (const std::size_t limit = scratch_limit<ExecutionSpace>(); static_cast<std::size_t>(bytes) > limit)
        throw UnsupportedError("RowOwner: " + std::to_string(rows.capacity) + " neighbours need " +
                               std::to_string(bytes) + " bytes of scratch, a team on " +
                               ExecutionSpace::name() + " has at most " + std::to_string(limit));
      typename Rows::Policy policy(exec, windows * (Stars::window / Shape::seats_per_team), Shape::team_size);
      policy.set_scratch_size(0, Kokkos::PerTeam(bytes));
      Kokkos::parallel_for("Tessera::RowOwner::star_rows", by_value<Rows>(policy), rows);
    }
  };

  /// What a team's scratch may hold: a share of the multiprocessor's for each number of teams that is worth
  /// trying, or what the user wants.
  static std::vector<StarRoom> rooms(const ExecutionSpace& exec, int components, long wanted) {
    const int threads = star_threads<Stars>(components);
    const std::size_t limit = scratch_limit<ExecutionSpace>();
    const std::size_t loads = threads > 1 ? Stars::window * components * sizeof(double) : 0;
    const std::size_t neighbor = star_numbers<Stars>(components, threads) * sizeof(double);
    const auto room = [&](std::size_t bytes, int teams) {
      return StarRoom{bytes < loads ? 0 : static_cast<int>((bytes - loads) / neighbor), teams};
    };
    if (wanted > 0 || threads == 1)
      return {room(scratch_budget<ExecutionSpace>("RowOwner", wanted, limit), 1)};
    std::vector<StarRoom> rooms;
    for (const int teams : star_teams)
      rooms.push_back(room(std::min(limit, star_scratch_share(exec, teams, limit / 2)), teams));
    return rooms;
  }

  Stars stars_;
  int capacity_ = 0, crowded_capacity_ = 0; ///< neighbours of a team of nodes that fit, and of a crowded one
  Kokkos::View<Ordinal*, ExecutionSpace> elements_; ///< see `star_elements`; empty where nothing varied yet
};

} // namespace TESSERA_KERNELS::assembly::detail
