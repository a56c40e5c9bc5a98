// SPDX-License-Identifier: BSD-3-Clause
#include "report.hpp"

#include <tessera/core/elements/element.hpp>
#include <tessera/strategies/assembly/detail/reduction/element_data.hpp>

#include "support/report/records.hpp"
#include <string>

namespace tessera::tools {

namespace {

/// Of an element's data in scratch, in the strategies that keep it there.
double scratch_bytes(const Row& r) {
  if (r.strategy.find("Shared") == std::string::npos || r.part != "figure13") return 0;
  const int nodes = (r.order + 1) * (r.order + 2) / 2;
  return 8.0 * assembly::detail::element_data_entries(nodes, 1, true);
}

const Fields<Row>& fields() {
  static const Fields<Row> all{
      {"part", true, [](const Row& r) { return r.part; }},
      {"strategy", true, [](const Row& r) { return r.strategy; }},
      {"kernel", true, [](const Row& r) { return r.kernel; }},
      {"scalar", true, [](const Row& r) { return r.scalar; }},
      {"order", false, [](const Row& r) { return std::to_string(r.order); }},
      {"colors", false, [](const Row& r) { return std::to_string(r.colors); }},
      {"nodes", false, [](const Row& r) { return std::to_string(r.nodes); }},
      {"elements", false, [](const Row& r) { return std::to_string(r.elements); }},
      {"nonzeros", false, [](const Row& r) { return std::to_string(r.nonzeros); }},
      {"seconds_median", false, [](const Row& r) { return number(r.seconds); }},
      {"seconds_min", false, [](const Row& r) { return number(r.seconds_min); }},
      {"element_seconds", false, [](const Row& r) { return number(r.element_seconds); }},
      {"ns_per_element", false, [](const Row& r) { return number(r.ns_per_element()); }},
      {"plan_seconds", false, [](const Row& r) { return number(r.plan_seconds); }},
      {"plan_cpu_seconds", false, [](const Row& r) { return number(r.plan_cpu_seconds); }},
      {"plan_bytes", false, [](const Row& r) { return std::to_string(r.plan_bytes); }},
      {"model_bytes", false, [](const Row& r) { return number(r.model_bytes); }},
      {"model_flops", false, [](const Row& r) { return number(r.model_flops); }},
      {"scratch_bytes_per_element", false, [](const Row& r) { return number(scratch_bytes(r)); }},
      {"nodal_numbers", false, [](const Row& r) { return std::to_string(r.numbers[0]); }},
      {"coordinate_numbers", false, [](const Row& r) { return std::to_string(r.numbers[1]); }},
      {"element_numbers", false, [](const Row& r) { return std::to_string(r.numbers[2]); }},
      {"symmetric_numbers", false, [](const Row& r) { return std::to_string(r.numbers[3]); }},
      {"error", false, [](const Row& r) { return r.error < 0 ? "null" : number(r.error); }},
      {"unsupported", true, [](const Row& r) { return r.unsupported; }}};
  return all;
}

constexpr int nodes_of_simplex(int dimension, int order) {
  int n = 1; // (order + 1) ... (order + dimension) / dimension!
  for (int d = 1; d <= dimension; ++d) n = n * (order + d) / d;
  return n;
}
static_assert(nodes_of_simplex(2, 5) == Tri<5>::nodes && nodes_of_simplex(3, 3) == Tet<3>::nodes);

/// The paper's Table IV: e_n(n_d + n_f), e_f(e_f + 1), e_f(e_f + 3)/2; of a simplex whether there is an
/// element or not.
Row storage_row(int dimension, int order) {
  const int n = nodes_of_simplex(dimension, order);
  const auto entries = [n](bool symmetric) {
    return static_cast<int>(assembly::detail::element_data_entries(n, 1, symmetric));
  };
  Row row;
  row.part = "table4";
  row.strategy = (dimension == 2 ? "tri" : "tet") + std::to_string(order);
  row.order = order;
  row.nodes = n;
  row.numbers = {n * (dimension + 1), n * dimension, entries(false), entries(true)};
  return row;
}

} // namespace

std::string study_json(const Machine& machine, const std::vector<Row>& rows) {
  return json_report(Kokkos::DefaultExecutionSpace::name(), machine, fields(), rows);
}

std::vector<Row> storage_rows() {
  std::vector<Row> rows;
  for (int order = 1; order <= 6; ++order) rows.push_back(storage_row(2, order));
  for (int order = 1; order <= 5; ++order) rows.push_back(storage_row(3, order));
  return rows;
}

} // namespace tessera::tools
