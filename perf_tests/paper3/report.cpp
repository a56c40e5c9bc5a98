// SPDX-License-Identifier: BSD-3-Clause
#include <tessera/core/execution_spaces.hpp>

#include "model.hpp"
#include "rows.hpp"
#include "support/report/records.hpp"
#include <cstdio>

namespace tessera::paper3 {

namespace {

using tools::number;

const tools::Fields<Row>& fields() {
  static const tools::Fields<Row> all{
      {"part", true, [](const Row& r) { return r.part; }},
      {"problem", true, [](const Row& r) { return r.problem; }},
      {"element", true, [](const Row& r) { return r.element; }},
      {"scalar", true, [](const Row& r) { return r.scalar; }},
      {"coefficient", true, [](const Row& r) { return r.coefficient; }},
      {"strategy", true, [](const Row& r) { return r.strategy; }},
      {"numbering", true, [](const Row& r) { return r.numbering; }},
      {"points", false, [](const Row& r) { return std::to_string(r.points); }},
      {"blocks", false, [](const Row& r) { return std::to_string(r.blocks); }},
      {"batches", false, [](const Row& r) { return std::to_string(r.batches); }},
      {"threads", false, [](const Row& r) { return std::to_string(r.threads); }},
      {"groups", false, [](const Row& r) { return std::to_string(r.groups); }},
      {"block_cells", false, [](const Row& r) { return std::to_string(r.block_cells); }},
      {"serial_quadrature_cells", false, [](const Row& r) { return std::to_string(r.serial_cells[0]); }},
      {"serial_basis_cells", false, [](const Row& r) { return std::to_string(r.serial_cells[1]); }},
      {"scratch_bytes", false, [](const Row& r) { return number(r.scratch_bytes); }},
      {"scratch_of_cell", false, [](const Row& r) { return number(r.scratch_of_cell[0]); }},
      {"scratch_of_cell_bound", false, [](const Row& r) { return number(r.scratch_of_cell[1]); }},
      {"scratch_of_cell_without_f0", false, [](const Row& r) { return number(r.scratch_of_cell[2]); }},
      {"kernel_scratch_bytes", false, [](const Row& r) { return number(r.kernel_scratch_bytes); }},
      {"cells", false, [](const Row& r) { return number(r.cells); }},
      {"nodes", false, [](const Row& r) { return number(r.nodes); }},
      {"seconds", false, [](const Row& r) { return number(r.seconds); }},
      {"flops", false, [](const Row& r) { return number(r.flops); }},
      {"bytes", false, [](const Row& r) { return number(r.bytes); }},
      {"paper_bytes", false, [](const Row& r) { return number(r.paper_bytes); }},
      {"balance", false, [](const Row& r) { return number(r.balance); }},
      {"unsupported", true, [](const Row& r) { return r.unsupported; }}};
  return all;
}

Row model_row(const std::string& name, const Model& m) {
  constexpr double fermi = 48 * 1024; // scratch memory of a GTX 580's multiprocessor
  const double cells = m.N_bc();
  return {.part = "model",
          .problem = name,
          .scalar = "float",
          .points = m.N_q,
          .blocks = m.N_bl,
          .threads = m.N_t(),
          .groups = concurrent_groups(m.scratch_bytes(), fermi, m.N_t(), 1536, 16),
          .block_cells = m.N_bs(),
          .serial_cells = {m.N_sqc(), m.N_sbc()},
          .scratch_bytes = m.scratch_bytes(),
          .scratch_of_cell = {m.scratch_bytes_per_cell(), m.scratch_bytes_per_cell_bound(),
                              m.scratch_bytes_per_cell_without_f0()},
          .kernel_scratch_bytes = m.N_comp == 1 && m.N_q > 1 && m.N_b == (m.d + 1) * (m.d + 2) / 2
                                      ? kernel_scratch_bytes(m.d, m.N_bl)
                                      : 0,
          .cells = cells,
          .flops = m.flops_per_batch(),
          .bytes = m.compulsory_bytes_per_cell() * cells,
          .paper_bytes = m.bytes_per_batch(),
          .balance = m.balance()};
}

} // namespace

std::vector<Row> model_rows() {
  return {model_row("Figure 3.1", {2, 3, 2, 1, 1}),        model_row("Figure 3.3", {2, 3, 2, 2, 2}),
          model_row("Poisson 2D P1", {2, 3, 1, 1, 32}),    model_row("Poisson 3D P1", {3, 4, 1, 1, 32}),
          model_row("elasticity 2D P1", {2, 3, 1, 2, 32}), model_row("elasticity 3D P1", {3, 4, 1, 3, 32}),
          model_row("Poisson 2D P2", {2, 6, 3, 1, 32}),    model_row("Poisson 3D P2", {3, 10, 4, 1, 32})};
}

void print(const Row& r, double copy_bandwidth) {
  if (r.part == "model")
    std::printf("model      %-26s %4d threads %8.0f bytes of scratch, balance %6.3f\n", r.problem.c_str(),
                r.threads, r.scratch_bytes, r.balance);
  else if (!r.unsupported.empty())
    std::printf("%-10s %-26s %-5s %-7s %-9s %-20s %s\n", r.part.c_str(), r.problem.c_str(), r.element.c_str(),
                r.scalar.c_str(), r.coefficient.c_str(), r.strategy.c_str(), r.unsupported.c_str());
  else
    std::printf(
        "%-10s %-26s %-5s %-7s %-9s %-28s %-7s %2d points %9.0f cells %9.5f ns/cell %8.1f GF/s, by (3.6) "
        "%8.1f; %2d x %2d\n",
        r.part.c_str(), r.problem.c_str(), r.element.c_str(), r.scalar.c_str(), r.coefficient.c_str(),
        r.strategy.c_str(), r.numbering.c_str(), r.points, r.cells, 1e9 * r.seconds / r.cells,
        1e-9 * r.flops / r.seconds, 1e-9 * r.balance * copy_bandwidth, r.blocks, r.batches);
  std::fflush(stdout);
}

std::string rows_json(const tessera::Machine& machine, const std::vector<Row>& rows) {
  return tools::json_report(Kokkos::DefaultExecutionSpace::name(), machine, fields(), rows);
}

} // namespace tessera::paper3
