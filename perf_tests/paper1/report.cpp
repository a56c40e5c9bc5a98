#include "report.hpp"

#include <tessera/core/elements/element.hpp>
#include <tessera/strategies/assembly/detail/reduction/element_data.hpp>

#include "support/records.hpp"

namespace tessera::tools {

namespace {

/// Of an element's data in scratch, in the strategies that keep it there.
double scratch_bytes(const Row& r) {
  if (!r.strategy.ends_with("Shared") || r.part != "figure13") return 0;
  const int nodes = (r.order + 1) * (r.order + 2) / 2;
  return 8.0 * tessera::detail::element_data_entries(nodes, 1, true);
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

/// The paper's Table IV, where it has one: e_n(n_d + n_f), e_f(e_f + 1), e_f(e_f + 3)/2.
template <class Element>
Row storage_row() {
  constexpr int n = Element::nodes;
  Row row;
  row.part = "table4";
  row.strategy = Element::name;
  row.order = Element::order;
  row.nodes = n;
  row.numbers = {n * (Element::dimension + 1), n * Element::dimension,
                 tessera::detail::element_data_entries(n, 1, false),
                 tessera::detail::element_data_entries(n, 1, true)};
  return row;
}

} // namespace

std::string study_json(const Machine& machine, const std::vector<Row>& rows) {
  return json_report(Kokkos::DefaultExecutionSpace::name(), machine, fields(), rows);
}

std::vector<Row> storage_rows() {
  return {storage_row<Tri<1>>(), storage_row<Tri<2>>(), storage_row<Tri<3>>(), storage_row<Tri<4>>(),
          storage_row<Tri<5>>(), storage_row<Tet<1>>(), storage_row<Tet<2>>(), storage_row<Tet<3>>()};
}

} // namespace tessera::tools
