#include "model.hpp"
#include "rows.hpp"
#include <cstdio>

namespace tessera::paper3 {

void print_model(const Settings& settings) {
  std::printf("\nSection 3.3, single precision, 32 blocks\n%-24s %8s %8s %10s %10s %8s %14s\n", "", "threads",
              "scratch", "bytes/cell", "flops/cell", "balance", "bound, ns/cell");
  const struct {
    const char* name;
    Model model;
  } examples[] = {{"Poisson 2D P1", {2, 3, 1, 1, 32}},    {"Poisson 3D P1", {3, 4, 1, 1, 32}},
                  {"elasticity 2D P1", {2, 3, 1, 2, 32}}, {"elasticity 3D P1", {3, 4, 1, 3, 32}},
                  {"Poisson 2D P2", {2, 6, 3, 1, 32}},    {"Poisson 3D P2", {3, 10, 4, 1, 32}}};
  for (const auto& [name, m] : examples)
    std::printf("%-24s %8d %8.0f %10.1f %10.1f %8.2f %14.5f\n", name, m.N_t(), m.scratch_bytes(),
                m.bytes_per_batch() / m.N_bc(), m.flops_per_cell(), m.balance(),
                1e9 * m.compulsory_bytes_per_cell() / settings.copy_bandwidth);
}

void print_rows(const std::vector<Row>& rows, const Settings& settings) {
  std::printf(
      "\nFigures 6.1 and 6.2: the paper's setting\n%-11s %-5s %-7s %-9s %-20s %9s %9s %7s %8s %10s %7s\n",
      "problem", "", "", "a", "strategy", "cells", "ns/cell", "GB/s", "of copy", "model's", "GF/s");
  for (const Row& row : rows) {
    const double predicted = row.bytes / settings.copy_bandwidth;
    std::printf("%-11s %-5s %-7s %-9s %-20s %9.0f %9.5f %7.0f %7.1f%% %+9.1f%% %7.0f", row.problem.c_str(),
                row.element.c_str(), row.scalar.c_str(), row.coefficient.c_str(), row.strategy.c_str(),
                row.cells, 1e9 * row.seconds / row.cells, 1e-9 * row.bytes / row.seconds,
                100 * predicted / row.seconds, 100 * (row.seconds / predicted - 1),
                1e-9 * row.flops / row.seconds);
    if (row.paper > 0) std::printf("  (GTX 580: %.0f)", row.paper);
    std::printf("\n");
  }
  std::printf("model's: how much longer than the compulsory bytes at the copy's bandwidth\n");
}

void print_table(const std::vector<TableEntry>& entries) {
  // GFLOP/s of the paper's Table 6.2: rows are blocks per batch, columns 4, 8, 12, 16 batches.
  static constexpr int of_float[6][4] = {{180, 181, 176, 162}, {189, 179, 177, 154}, {183, 174, 164, 164},
                                         {190, 193, 173, 173}, {209, 196, 209, 200}, {189, 183, 173, 178}};
  static constexpr int of_double[6][4] = {{85, 83, 80, 81}, {91, 88, 86, 78},  {80, 78, 76, 73},
                                          {81, 78, 75, 70}, {102, 98, 94, 88}, {81, 78, 75, 75}};
  std::printf("\nTable 6.2: 2D Poisson, 66,049 unknowns, GFLOP/s (GTX 580's in parentheses)\n");
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const TableEntry& entry = entries[i];
    const std::size_t row = i / 4 % 6, column = i % 4;
    const int paper = entry.scalar == "float" ? of_float[row][column] : of_double[row][column];
    if (column == 0) std::printf("%-7s %2d blocks", entry.scalar.c_str(), entry.blocks);
    std::printf("  %2d: %6.0f (%3d)", entry.batches, 1e-9 * entry.flops / entry.seconds, paper);
    if (column == 3) std::printf("\n");
  }
}

} // namespace tessera::paper3
