#pragma once

// What tessera-paper3 measures, and its tables.

#include <string>
#include <vector>

namespace tessera::paper3 {

struct Settings {
  double cells = 10e6; ///< of the large meshes
  int repetitions = 20;
  double copy_bandwidth = 0; ///< bytes per second, read and written
};

/// One time in the paper's setting.
struct Row {
  std::string problem, element, scalar, coefficient, strategy;
  double cells = 0, seconds = 0;
  double flops = 0; ///< by the paper's count (3.5)
  double bytes = 0; ///< compulsory, see `Model`
  double paper = 0; ///< GFLOP/s that the paper reports for a GTX 580, 0 where it does not
};

/// One time of Table 6.2.
struct TableEntry {
  std::string scalar;
  int blocks = 0, batches = 0;
  double seconds = 0, flops = 0;
};

std::vector<Row> measure_triangles(const Settings& settings);
std::vector<Row> measure_tetrahedra(const Settings& settings);
/// Table 6.2: 2D Poisson, 66,049 unknowns.
std::vector<TableEntry> measure_table(const Settings& settings);

void print_model(const Settings& settings);
void print_rows(const std::vector<Row>& rows, const Settings& settings);
void print_table(const std::vector<TableEntry>& entries);

} // namespace tessera::paper3
