// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// What the plans of all families keep, and what their steps have in common.

#include <tessera/core/cost.hpp>
#include <tessera/core/error.hpp>
#include <tessera/core/forms/form_kernel.hpp>
#include <tessera/core/space/function_space.hpp>
#include <tessera/core/weak_form/detail/side_sums.hpp>
#include <tessera/strategies/common/in_use.hpp>
#include <tessera/strategies/common/preparation.hpp>
#include <tessera/strategies/common/status.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

namespace tessera::detail {

/// By its largest coordinate from its first node.
template <class Element, class ExecutionSpace>
struct SmallestElement {
  MeshKernel<Element, ExecutionSpace> mesh;
  KOKKOS_FUNCTION void operator()(Ordinal e, double& smallest) const {
    const auto cell = mesh.template cell<double>(e);
    double size = 0;
    for (const auto& x : cell.coordinates)
      for (int d = 0; d < Element::dimension; ++d) size = Kokkos::fmax(size, Kokkos::abs(x[d]));
    smallest = Kokkos::fmin(smallest, size);
  }
};

/// Space, report and preparations of a plan. A class of its own, which is compiled once for an element and
/// not for every strategy.
template <class Element, class ExecutionSpace>
class PlanState {
public:
  using Space = FunctionSpace<Element, ExecutionSpace>;

  PlanState(const char* strategy, const ExecutionSpace& exec, const Space& space)
      : strategy_(strategy), preparation_(strategy_, "plan"), exec_(exec), space_(space),
        mesh_revision_(space.mesh().revision()) {}

  /// Closes the making of the plan: notes its memory and the time since its base was made.
  void prepared(std::size_t bytes) {
    exec_.fence("Tessera::Plan::prepared");
    report_.seconds = preparation_.finish();
    report_.bytes = bytes;
  }
  /// Notes memory that a preparation took, less what it gave back.
  void hold(std::size_t bytes, std::size_t given_back = 0) { report_.bytes += bytes - given_back; }

  const ExecutionSpace& exec() const { return exec_; }
  const Space& space() const { return space_; }
  const Status<ExecutionSpace>& status() const { return status_; }

  /// Brings constraints, loads and Robin sides that have changed to the device.
  void update_space() const {
    space_.equations(exec_);
    space_.nodal_loads(exec_);
    space_.robin(exec_);
  }

  /// \throws ArgumentError for another number of components, and what the form's own check throws
  template <class Form>
  void check_form(const Form& form) const {
    tessera::check_form<ExecutionSpace>(strategy_, form, space_);
  }
  /// Element kernels multiply the lengths of two sides (3D: two areas). In single precision such products
  /// have lost digits below 1.2e-38, and are zero below 1.4e-45, long before the matrix's entries are small.
  /// Double's range is that of the mesh itself.
  /// \throws UnsupportedError with the smallest element's size, and the least that `Scalar` takes
  template <class Scalar>
  void check_range() const {
    if constexpr (std::is_same_v<Scalar, float>) check_single_range();
  }

  /// Makes what a form's functions on sides need, if it has any. \throws as `SideSums::prepare`
  template <class Form>
  void prepare_sides(const Form& form, SidePart part) {
    if constexpr (HasSideTerms<Form>) {
      if (has_sides(form, part)) return;
      Preparation preparation(strategy_, "prepare");
      const std::size_t before = sides_.bytes();
      sides_.prepare(exec_, strategy_, space_.mesh(), form.side_terms(), part);
      hold(sides_.bytes(), before);
      report_.prepare_seconds += preparation.finish();
    }
  }
  /// Whether that is done.
  template <class Form>
  bool has_sides(const Form& form, SidePart part) const {
    if constexpr (HasSideTerms<Form>)
      return sides_.is_prepared(form.side_terms(), part);
    else
      return true;
  }

  /// An address that stands for a type of kernel and scalar.
  template <class Scalar, class Kernel>
  static const void* mark_of(const Kernel&) {
    static constexpr char mark = 0;
    return &mark;
  }
  /// Whether the plan was prepared for the scalar and kernel that the mark stands for.
  bool knows(const void* mark) const {
    return std::find(prepared_.begin(), prepared_.end(), mark) != prepared_.end();
  }
  void note_prepared(const void* mark, Preparation& preparation) {
    if (!knows(mark)) prepared_.push_back(mark);
    exec_.fence("Tessera::Plan::prepare");
    report_.prepare_seconds += preparation.finish();
  }

  /// Whether no mesh has been moved since the last preparation.
  bool follows_mesh() const { return mesh_revision_ == space_.mesh().revision(); }
  void note_mesh() { mesh_revision_ = space_.mesh().revision(); }

  /// \param arguments what `prepare` takes, `numeric_step` what prepares where that was not done
  [[noreturn]] void throw_unprepared(const char* arguments, const char* numeric_step) const {
    throw ArgumentError(strategy_ +
                        ": the plan is not prepared for this form, scalar, options or state of the mesh; "
                        "call prepare(" +
                        arguments + "), or " + numeric_step + ", which does");
  }

protected:
  std::string strategy_;
  Preparation preparation_;
  ExecutionSpace exec_;
  Space space_;
  Status<ExecutionSpace> status_;
  InUse use_;
  PlanReport report_;
  std::size_t mesh_revision_;                       ///< when the plan was prepared last
  std::vector<const void*> prepared_;               ///< marks of scalars and kernels
  mutable SideSums<Element, ExecutionSpace> sides_; ///< plans whose `prepare` is const add lists

private:
  void check_single_range() const {
    const auto& mesh = space_.mesh();
    if (mesh.num_elements() == 0) return;
    const double least =
        std::pow(100.0 * std::numeric_limits<float>::min(), 1.0 / (2 * (Element::dimension - 1)));
    double smallest = 0;
    Kokkos::parallel_reduce(
        "Tessera::check_range", Kokkos::RangePolicy<ExecutionSpace>(exec_, 0, mesh.num_elements()),
        SmallestElement<Element, ExecutionSpace>{mesh.kernel()}, Kokkos::Min<double>(smallest));
    if (smallest >= least) return;
    char numbers[96];
    std::snprintf(numbers, sizeof numbers, "an element of size %.1e, single precision takes %.1e or more",
                  smallest, least);
    throw UnsupportedError(strategy_ + ": the mesh has " + numbers +
                           "; take another unit of length, or double");
  }
};

} // namespace tessera::detail
