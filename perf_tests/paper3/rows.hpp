// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What tessera-paper3 measures.

#include <tessera/strategies/best/machine.hpp>

#include <string>
#include <vector>

namespace tessera::paper3 {

struct Settings {
  double small_cells = 131072; ///< of the paper's mesh; it does not say how many tetrahedra it has
  double cells = 10e6;         ///< of the large meshes; order 2 has a quarter, order 3 a sixteenth
  int repetitions = 20;
  std::string mesh; ///< a file of triangles or tetrahedra of order 1, or a generator's name
};

/// One measurement, or one example of the model.
struct Row {
  std::string part = {}; ///< "model", "table", "triangles", "tetrahedra", "whole", "mesh"
  std::string problem = {}, element = {}, scalar = {}, coefficient = {}, strategy = {}, numbering = {};
  int points = 0;
  int blocks = 0, batches = 0;  ///< of Table 6.2 and of the model
  int threads = 0, groups = 0;  ///< of the model: N_t, and work groups that 48 KB hold
  int block_cells = 0;          ///< N_bs
  int serial_cells[2] = {0, 0}; ///< N_sqc, N_sbc
  double scratch_bytes = 0;     ///< (3.1)
  /// A cell's, by the first and the last line of (3.2) and by (3.3); and the kernel's own, with several
  /// points.
  double scratch_of_cell[3] = {0, 0, 0}, kernel_scratch_bytes = 0;
  double cells = 0, seconds = 0; ///< `seconds` of one residual
  double flops = 0;              ///< by the paper's count (3.5)
  double bytes = 0;              ///< compulsory, see `Model`
  double paper_bytes = 0;        ///< (3.4)
  double balance = 0;            ///< (3.6)
  double nodes = 0;
  std::string unsupported = {}; ///< why there is no time
};

/// Adds the rows of one element in the paper's setting.
///@{
void measure_triangles1(const Settings& settings, std::vector<Row>& rows);
void measure_triangles2(const Settings& settings, std::vector<Row>& rows);
void measure_triangles3(const Settings& settings, std::vector<Row>& rows);
void measure_tetrahedra1(const Settings& settings, std::vector<Row>& rows);
void measure_tetrahedra2(const Settings& settings, std::vector<Row>& rows);
void measure_tetrahedra3(const Settings& settings, std::vector<Row>& rows);
///@}
/// Table 6.2: 2D Poisson, 66,049 unknowns.
void measure_table(const Settings& settings, std::vector<Row>& rows);
/// From nodal vector to nodal vector.
void measure_whole(const Settings& settings, std::vector<Row>& rows);
/// A mesh from a file as its numbers are, and along the Hilbert curve.
/// \throws ArgumentError for other elements than triangles and tetrahedra of order 1
void measure_file(const Settings& settings, std::vector<Row>& rows);

/// Bytes of scratch memory that the kernel takes for Poisson's equation on simplices of order 2 in single
/// precision.
double kernel_scratch_bytes(int dimension, int blocks);
/// The examples of section 3.3 and of Figures 3.1 and 3.3.
std::vector<Row> model_rows();
void print(const Row& row, double copy_bandwidth);
std::string rows_json(const tessera::Machine& machine, const std::vector<Row>& rows);

} // namespace tessera::paper3
