// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What operators of Tpetra's owe beside the product itself.

#include <tessera/core/error.hpp>
#include <tessera/distributed/tpetra/types.hpp>

#include <Teuchos_RCP.hpp>
#include <Teuchos_ScalarTraits.hpp>

namespace tessera::distributed::detail {

/// A symmetric square operator, or one that is never applied transposed, by its product with one vector.
template <class ExecutionSpace>
class OperatorBase : public TpetraTypes<ExecutionSpace>::Operator {
public:
  using Map = typename TpetraTypes<ExecutionSpace>::Map;
  using Vector = typename TpetraTypes<ExecutionSpace>::Vector;
  using MultiVector = typename TpetraTypes<ExecutionSpace>::MultiVector;

  explicit OperatorBase(const Teuchos::RCP<const Map>& owned) : owned_(owned) {}

  Teuchos::RCP<const Map> getDomainMap() const override { return owned_; }
  Teuchos::RCP<const Map> getRangeMap() const override { return owned_; }

  /// y = alpha A x + beta y for each column. Collective.
  /// \throws UnsupportedError for the transposed operator
  void apply(const MultiVector& x, MultiVector& y, Teuchos::ETransp mode = Teuchos::NO_TRANS,
             double alpha = 1, double beta = 0) const override {
    if (mode != Teuchos::NO_TRANS) throw UnsupportedError("the operator cannot be applied transposed");
    for (std::size_t column = 0; column < x.getNumVectors(); ++column) {
      const auto from = x.getVector(column);
      const auto to = y.getVectorNonConst(column);
      if (alpha == 1 && beta == 0) {
        apply_to(*from, *to);
      } else {
        Vector product(owned_, /*zeroOut=*/false);
        apply_to(*from, product);
        to->update(alpha, product, beta);
      }
    }
  }

private:
  virtual void apply_to(const Vector& x, Vector& y) const = 0;

  Teuchos::RCP<const Map> owned_;
};

} // namespace tessera::distributed::detail
