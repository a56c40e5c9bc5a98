// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Measured times of strategies on a machine: what `Best` chooses by, a text file a machine.

#include <string>
#include <vector>

namespace tessera {

/// The meshes whose times predictions rest on. Other rows of a table are there to check the predictions.
namespace calibration_mesh {
inline constexpr const char* ordered = "ordered";   ///< affine elements of a box, as the generator numbers it
inline constexpr const char* shuffled = "shuffled"; ///< the same, nodes and elements in random order
inline constexpr const char* ordered_third = "ordered third"; ///< boxes of a third of the elements, of which
inline constexpr const char* shuffled_third = "shuffled third"; ///< the caches hold more
inline constexpr const char* bent = "bent";                     ///< a box of elements that are not affine
inline constexpr const char* uneven = "uneven"; ///< nodes with many and few elements, along the Hilbert curve
inline constexpr const char* small = "small";   ///< a box whose time is that of launches
} // namespace calibration_mesh

/// What follows a form's name where all elements are integrated by quadrature, as those of an application's
/// own forms are.
namespace calibration_form {
inline constexpr const char* by_quadrature = " by quadrature";
} // namespace calibration_form

/// One strategy on one mesh.
struct CalibrationRow {
  std::string family;   ///< assembly, apply or residual
  std::string strategy; ///< its name in the catalogue
  std::string element;
  std::string form;   ///< perhaps with one of `calibration_form`
  std::string scalar; ///< double or float
  std::string mesh;   ///< of `calibration_mesh`, or another name
  double elements = 0;
  double spread = 0, bent = 0, crowding = 0; ///< as MeshFeatures
  double bytes = 0, flops = 0;               ///< by the strategy's cost model
  double seconds = 0;                        ///< of one assembly, product or residual; the median
  double plan_seconds = 0;                   ///< of plan and preparation
  double plan_bytes = 0;                     ///< that both keep
};

/// The table of one machine.
struct Calibration {
  std::string device;          ///< as `device_name`
  std::string kokkos;          ///< version of Kokkos
  std::string date;            ///< of the measurement
  std::string commit;          ///< of this library
  double bytes_per_second = 0; ///< of a copy, read and written
  double flops_per_second = 0; ///< of multiply-adds in double precision
  std::vector<CalibrationRow> rows;
};

/// Reads what `calibration_text` has written, or a table that `tools/compare/keep_times.py` has made of it,
/// as the library's own are: it has the meshes alone that predictions rest on, the plan of the ordered box in
/// all its rows, and no bytes on the small one.
/// \param source the file's name, for messages
/// \throws ArgumentError naming source and line where the text is not such a table, is cut short, or has a
///   number that is not finite
Calibration parse_calibration(const std::string& text, const std::string& source);

/// The table as text: a line of its version, `name = value` lines of the machine, a line of names, a line a
/// row, and a last line with their number, by which a table that was cut short is known.
std::string calibration_text(const Calibration& calibration);

/// The file's table. \throws ArgumentError as `parse_calibration`, and for a file that cannot be read
Calibration read_calibration(const std::string& path);

} // namespace tessera
