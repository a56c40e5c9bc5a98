// SPDX-License-Identifier: BSD-3-Clause
#include <tessera/distributed/tpetra/belos.hpp>
#include <tessera/distributed/tpetra/muelu.hpp>
#include <tessera/distributed/tpetra/multigrid.hpp>
#include <tessera/distributed/tpetra/system.hpp>
#include <tessera/strategies/catalogue/any_assembly.hpp>

#include "problem.hpp"
#include <optional>

namespace tessera::tools::messages {

namespace {

using Types = distributed::TpetraTypes<Space>;

void solve_by(const std::string& name, const distributed::TpetraSystem<Space>& system,
              const std::function<Teuchos::RCP<Types::Operator>()>& make) {
  Teuchos::RCP<Types::Operator> preconditioner;
  measure(name + ", set-up", [&] { preconditioner = make(); });
  const auto x = system.make_vector();
  distributed::BelosResult result;
  measure(name + ", solution", [&] {
    result = distributed::belos_cg<Space>(system.matrix(), system.rhs(), x.owned, preconditioner);
  });
  if (system.ranks().rank() == 0)
    std::printf("%s: %d iterations%s\n", name.c_str(), result.iterations,
                result.converged ? "" : ", not converged");
}

} // namespace

template <class Element>
void solve(const Problem<Element>& problem) {
  std::optional<distributed::TpetraSystem<Space>> made;
  measure("Tpetra's system", [&] { made.emplace(problem.mesh, problem.space); });
  const auto& system = *made;
  const auto plan = make_assembly(problem.strategy, problem.space, system.local().graph());
  if (problem.space.components() == 1)
    plan->assemble(Helmholtz<>{.sigma = 1.0, .lambda = 0.0, .source = 1.0}, system.local());
  else
    plan->assemble(LinearElasticity<3>{.young = 1.0, .poisson = 0.3, .body_force = {0, 0, -1}},
                   system.local());
  const auto x = system.make_vector(), y = system.make_vector();
  measure("product, first", [&] { system.matrix()->apply(*x.owned, *y.owned); });
  measure("product, again", [&] { system.matrix()->apply(*x.owned, *y.owned); });
  solve_by("Tessera's multigrid", system,
           [&] { return Teuchos::rcp(new distributed::TpetraMultigrid<Space>(system, problem.mesh)); });
  solve_by("MueLu", system, [&] { return distributed::muelu(system, problem.mesh); });
}

template void solve(const Problem<Tet<1>>&);
template void solve(const Problem<Hex<1>>&);

} // namespace tessera::tools::messages
