#pragma once

/// \file
/// A matrix-free operator of a rank's local mesh as an operator over all ranks.

#include <tessera/core/allocate.hpp>
#include <tessera/core/error.hpp>
#include <tessera/distributed/tpetra/detail/operator_base.hpp>
#include <tessera/distributed/tpetra/maps.hpp>
#include <tessera/solvers/operator.hpp>

#include <Kokkos_Core.hpp>

#include <Teuchos_RCP.hpp>
#include <string>
#include <utility>

namespace tessera::distributed {

/// y = A x by an operator on all local equations (`plan.prepare(form)` of a matrix-free strategy on the space
/// of `Mesh::local()`): ghosts of x are imported, and the owned part of the product is whole, as owned rows
/// are. Messages: those of one import a product. A copy of the operator is kept.
template <class LocalOperator, class ExecutionSpace>
  requires solvers::Operator<LocalOperator, ExecutionSpace, double>
class TpetraOperator final : public detail::OperatorBase<ExecutionSpace> {
  using Base = detail::OperatorBase<ExecutionSpace>;

public:
  /// \throws ArgumentError if the operator has not a row for each local equation; OutOfMemoryError
  TpetraOperator(const ExecutionSpace& exec, const TpetraMaps<ExecutionSpace>& maps,
                 const LocalOperator& local)
      : Base(maps.owned), exec_(exec), maps_(maps), local_(local),
        x_(new Vector(maps.local, /*zeroOut=*/false)),
        y_(allocate<Values>(exec, "Tessera::TpetraOperator::y", maps.local->getLocalNumElements())) {
    if (local.rows() != maps.local->getLocalNumElements())
      throw ArgumentError("TpetraOperator: the operator has " + std::to_string(local.rows()) + " rows for " +
                          std::to_string(maps.local->getLocalNumElements()) + " local equations");
  }

private:
  using typename Base::Vector;
  using Values = Kokkos::View<double*, ExecutionSpace>;

  void apply_to(const Vector& x, Vector& y) const override {
    if (maps_.import.is_null())
      x_->assign(x);
    else
      x_->doImport(x, *maps_.import, Tpetra::REPLACE);
    const Values imported =
        Kokkos::subview(x_->getLocalViewDevice(Tpetra::Access::ReadWrite), Kokkos::ALL, 0);
    local_.apply(exec_, imported, y_);
    const auto to = Kokkos::subview(y.getLocalViewDevice(Tpetra::Access::OverwriteAll), Kokkos::ALL, 0);
    Kokkos::deep_copy(exec_, to, Kokkos::subview(y_, std::make_pair(std::size_t(0), to.extent(0))));
    exec_.fence("Tessera::TpetraOperator::apply");
  }

  ExecutionSpace exec_;
  TpetraMaps<ExecutionSpace> maps_;
  LocalOperator local_;
  Teuchos::RCP<Vector> x_; ///< with the ghosts' values
  Values y_;
};

} // namespace tessera::distributed
