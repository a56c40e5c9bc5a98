// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// A matrix-free operator of a rank's local mesh as an operator over all ranks.

#include <tessera/core/allocate.hpp>
#include <tessera/core/error.hpp>
#include <tessera/core/space/equations.hpp>
#include <tessera/distributed/split_sum.hpp>
#include <tessera/distributed/tpetra/detail/operator_base.hpp>
#include <tessera/distributed/tpetra/maps.hpp>
#include <tessera/solvers/operator.hpp>

#include <Kokkos_Core.hpp>

#include <Teuchos_RCP.hpp>
#include <optional>
#include <string>
#include <utility>

namespace tessera::distributed {

/// y = A x by an operator on all local equations (`plan.prepare(form)` of a matrix-free strategy on the space
/// of `Mesh::local()`): ghosts of x are imported, and the owned part of the product is whole, as owned rows
/// are. Messages: those of one import a product. A copy of the operator is kept.
///
/// Made of two operators, of the interior and the border of a `SplitMesh`, it computes the interior while the
/// import is under way. That costs a second launch, a vector and its addition a product, and pays where
/// messages take longer: on one host they do not.
template <class LocalOperator, class ExecutionSpace>
  requires solvers::Operator<LocalOperator, ExecutionSpace, double>
class TpetraOperator final : public detail::OperatorBase<ExecutionSpace> {
  using Base = detail::OperatorBase<ExecutionSpace>;

public:
  /// \throws ArgumentError if the operator has not a row for each local equation; OutOfMemoryError
  TpetraOperator(const ExecutionSpace& exec, const TpetraMaps<ExecutionSpace>& maps,
                 const LocalOperator& local)
      : Base(maps.owned), exec_(exec), maps_(maps), local_(local), x_(new Vector(maps.local, false)),
        y_(make_values("y")) {
    check(local);
  }

  /// \param equations of the local space (`TpetraSystem::local().graph().equations`)
  /// \throws as above
  TpetraOperator(const ExecutionSpace& exec, const TpetraMaps<ExecutionSpace>& maps,
                 const LocalOperator& interior, const LocalOperator& border,
                 const Equations<ExecutionSpace>& equations)
      : TpetraOperator(exec, maps, interior) {
    check(border);
    border_.emplace(Border{border, equations, make_values("border")});
  }

private:
  using typename Base::Vector;
  using Values = Kokkos::View<double*, ExecutionSpace>;

  struct Border {
    LocalOperator local;
    Equations<ExecutionSpace> equations;
    Values y;
  };

  Values make_values(const std::string& name) const {
    return allocate<Values>(exec_, "Tessera::TpetraOperator::" + name, maps_.local->getLocalNumElements());
  }

  void check(const LocalOperator& local) const {
    if (local.rows() != maps_.local->getLocalNumElements())
      throw ArgumentError("TpetraOperator: the operator has " + std::to_string(local.rows()) + " rows for " +
                          std::to_string(maps_.local->getLocalNumElements()) + " local equations");
  }

  void apply_local(const LocalOperator& local, const Values& y) const {
    const Values x = Kokkos::subview(x_->getLocalViewDevice(Tpetra::Access::ReadWrite), Kokkos::ALL, 0);
    local.apply(exec_, x, y);
  }

  /// y_ = A x for owned rows.
  void apply_both(const Vector& x) const {
    if (maps_.import.is_null()) {
      x_->assign(x);
      apply_local(local_, y_);
    } else if (!border_) {
      x_->doImport(x, *maps_.import, Tpetra::REPLACE);
      apply_local(local_, y_);
    } else {
      x_->beginImport(x, *maps_.import, Tpetra::REPLACE);
      apply_local(local_, y_);
      exec_.fence("Tessera::TpetraOperator::interior"); // Tpetra may move all of x to the host and back
      x_->endImport(x, *maps_.import, Tpetra::REPLACE);
    }
    if (!border_) return;
    apply_local(border_->local, border_->y);
    detail::add_border(exec_, border_->equations, y_, border_->y);
  }

  void apply_to(const Vector& x, Vector& y) const override {
    apply_both(x);
    const auto to = Kokkos::subview(y.getLocalViewDevice(Tpetra::Access::OverwriteAll), Kokkos::ALL, 0);
    Kokkos::deep_copy(exec_, to, Kokkos::subview(y_, std::make_pair(std::size_t(0), to.extent(0))));
    exec_.fence("Tessera::TpetraOperator::apply");
  }

  ExecutionSpace exec_;
  TpetraMaps<ExecutionSpace> maps_;
  LocalOperator local_; ///< of all elements or of the interior
  std::optional<Border> border_;
  Teuchos::RCP<Vector> x_; ///< with the ghosts' values
  Values y_;
};

} // namespace tessera::distributed
