// SPDX-License-Identifier: BSD-3-Clause
#include <tessera/core/error.hpp>
#include <tessera/strategies/best/calibration.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <span>
#include <sstream>
#include <string_view>
#include <utility>

namespace tessera {

namespace {

constexpr std::string_view first_line = "tessera calibration 1",
                           kept_first_line = "tessera kept calibration 1";

/// The columns of a row, in the order of the file.
constexpr std::array<std::pair<const char*, std::string CalibrationRow::*>, 6> texts{
    {{"family", &CalibrationRow::family},
     {"strategy", &CalibrationRow::strategy},
     {"element", &CalibrationRow::element},
     {"form", &CalibrationRow::form},
     {"scalar", &CalibrationRow::scalar},
     {"mesh", &CalibrationRow::mesh}}};
constexpr std::array<std::pair<const char*, double CalibrationRow::*>, 9> numbers{
    {{"elements", &CalibrationRow::elements},
     {"spread", &CalibrationRow::spread},
     {"bent", &CalibrationRow::bent},
     {"crowding", &CalibrationRow::crowding},
     {"bytes", &CalibrationRow::bytes},
     {"flops", &CalibrationRow::flops},
     {"seconds", &CalibrationRow::seconds},
     {"plan_seconds", &CalibrationRow::plan_seconds},
     {"plan_bytes", &CalibrationRow::plan_bytes}}};
constexpr std::array<std::pair<const char*, std::string Calibration::*>, 4> facts{
    {{"device", &Calibration::device},
     {"kokkos", &Calibration::kokkos},
     {"date", &Calibration::date},
     {"commit", &Calibration::commit}}};
constexpr std::array<std::pair<const char*, double Calibration::*>, 2> rates{
    {{"bytes_per_second", &Calibration::bytes_per_second},
     {"flops_per_second", &Calibration::flops_per_second}}};

/// The columns of a mesh that was kept.
constexpr std::array<std::pair<const char*, std::string CalibrationRow::*>, 2> mesh_texts{
    {{"element", &CalibrationRow::element}, {"mesh", &CalibrationRow::mesh}}};
constexpr std::array<std::pair<const char*, double CalibrationRow::*>, 4> mesh_numbers{
    {{"elements", &CalibrationRow::elements},
     {"spread", &CalibrationRow::spread},
     {"bent", &CalibrationRow::bent},
     {"crowding", &CalibrationRow::crowding}}};

/// A mesh that times are kept of: which bytes hold on it, the last where none do, which no prediction needs.
struct KeptMesh {
  std::string_view name;
  std::size_t bytes;
};
constexpr std::array<std::string_view, 3> kept_bytes{
    calibration_mesh::ordered, calibration_mesh::ordered_third, calibration_mesh::uneven};
constexpr std::array<KeptMesh, 7> kept_meshes{{{calibration_mesh::small, kept_bytes.size()},
                                               {calibration_mesh::ordered, 0},
                                               {calibration_mesh::shuffled, 0},
                                               {calibration_mesh::ordered_third, 1},
                                               {calibration_mesh::shuffled_third, 1},
                                               {calibration_mesh::bent, 0},
                                               {calibration_mesh::uneven, 2}}};

template <class Texts, class Numbers>
std::string columns(const Texts& names_of_texts, const Numbers& names_of_numbers) {
  std::string line;
  for (const auto& [name, member] : names_of_texts) line += std::string(name) + ',';
  for (const auto& [name, member] : names_of_numbers) line += std::string(name) + ',';
  line.pop_back();
  return line;
}

/// The columns of times that were kept: a row's without its mesh, and for each mesh its time.
std::string kept_columns() {
  std::string line;
  for (std::size_t text = 0; text + 1 < texts.size(); ++text) line += std::string(texts[text].first) + ',';
  line += "plan_seconds,plan_bytes,flops";
  for (const std::string_view mesh : kept_bytes) line += ",bytes " + std::string(mesh);
  for (const KeptMesh& mesh : kept_meshes) line += ',' + std::string(mesh.name);
  return line;
}

/// The lines of a text, and where it is wrong.
class Reader {
public:
  Reader(const std::string& text, const std::string& source) : stream_(text), source_(source) {}

  [[noreturn]] void fail(const std::string& problem) const {
    throw ArgumentError(source_ + ", line " + std::to_string(line_) + ": " + problem);
  }
  std::string next(const char* wanted) {
    std::string line;
    ++line_;
    if (!std::getline(stream_, line)) fail(std::string("the table ends before ") + wanted);
    return line;
  }
  double number(std::string_view text, std::string_view name) const {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value) || value < 0)
      fail(std::string(name) + " is '" + std::string(text) + "'; it must be a number from 0");
    return value;
  }
  /// The value of a line `name = value`.
  std::string value(const char* name) {
    const std::string line = next(name), begin = std::string(name) + " = ";
    if (!line.starts_with(begin)) fail("must begin with '" + begin + "'");
    return line.substr(begin.size());
  }

private:
  std::istringstream stream_;
  std::string source_;
  int line_ = 0;
};

/// The cells of a line, one after the other.
class Cells {
public:
  Cells(const std::string& line, const Reader& reader) : line_(line), reader_(reader) {}

  std::string_view text(std::string_view name) {
    if (at_ > line_.size()) reader_.fail("has no " + std::string(name));
    const auto end = std::min(line_.find(',', at_), line_.size());
    const std::string_view cell = std::string_view(line_).substr(at_, end - at_);
    at_ = end + 1;
    return cell;
  }
  double number(std::string_view name) { return reader_.number(text(name), name); }
  /// Nothing for an empty cell.
  std::optional<double> number_if_any(std::string_view name) {
    const std::string_view cell = text(name);
    if (cell.empty()) return {};
    return reader_.number(cell, name);
  }
  template <class Texts, class Numbers>
  void read(const Texts& members_of_text, const Numbers& members_of_number, CalibrationRow& row) {
    for (const auto& [name, member] : members_of_text) row.*member = text(name);
    for (const auto& [name, member] : members_of_number) row.*member = number(name);
  }
  void end() const {
    if (at_ <= line_.size()) reader_.fail("has more than the columns of the table");
  }

private:
  const std::string& line_;
  const Reader& reader_;
  std::size_t at_ = 0;
};

/// The lines of a part of the table: their number as `name = count`, the names of their columns, and each by
/// `read(Cells&)`.
template <class Read>
void read_lines(Reader& reader, const char* name, const std::string& columns, const Read& read) {
  const double count = reader.number(reader.value(name), name);
  if (reader.next("the names of its columns") != columns) reader.fail("must be '" + columns + "'");
  for (double row = 0; row < count; ++row) {
    const std::string line = reader.next("its last row");
    Cells cells(line, reader);
    read(cells);
    cells.end();
  }
}

/// Rows as they were measured.
std::vector<CalibrationRow> measured_rows(Reader& reader) {
  std::vector<CalibrationRow> rows;
  read_lines(reader, "rows", columns(texts, numbers),
             [&](Cells& cells) { cells.read(texts, numbers, rows.emplace_back()); });
  return rows;
}

/// Element and mesh: what all its rows have.
using Meshes = std::map<std::pair<std::string, std::string_view>, CalibrationRow>;

/// The rows of a line of times that were kept, one a mesh that has a time.
void add_kept_rows(Cells& cells, const Meshes& meshes, const Reader& reader,
                   std::vector<CalibrationRow>& rows) {
  CalibrationRow common;
  cells.read(
      std::span(texts).first<texts.size() - 1>(),
      std::array<std::pair<const char*, double CalibrationRow::*>, 2>{
          {{"plan_seconds", &CalibrationRow::plan_seconds}, {"plan_bytes", &CalibrationRow::plan_bytes}}},
      common);
  const double flops = cells.number("flops");
  std::array<std::optional<double>, kept_bytes.size() + 1> bytes{};
  for (std::size_t mesh = 0; mesh < kept_bytes.size(); ++mesh)
    bytes[mesh] = cells.number_if_any("bytes " + std::string(kept_bytes[mesh]));
  bytes.back() = 0;
  for (const KeptMesh& mesh : kept_meshes) {
    const auto seconds = cells.number_if_any(mesh.name);
    if (!seconds) continue;
    const auto box = meshes.find({common.element, mesh.name});
    if (box == meshes.end())
      reader.fail("there is no " + std::string(mesh.name) + " box of " + common.element);
    if (!bytes[mesh.bytes]) reader.fail("has a time on the " + std::string(mesh.name) + " box and no bytes");
    CalibrationRow& row = rows.emplace_back(box->second);
    row.family = common.family;
    row.strategy = common.strategy;
    row.form = common.form;
    row.scalar = common.scalar;
    row.bytes = *bytes[mesh.bytes];
    row.flops = flops * row.elements;
    row.seconds = *seconds;
    row.plan_seconds = common.plan_seconds;
    row.plan_bytes = common.plan_bytes;
  }
}

/// Rows of a table that tools/compare/keep_times.py has made.
std::vector<CalibrationRow> kept_rows(Reader& reader) {
  Meshes meshes;
  read_lines(reader, "meshes", columns(mesh_texts, mesh_numbers), [&](Cells& cells) {
    CalibrationRow box;
    cells.read(mesh_texts, mesh_numbers, box);
    const auto* const mesh = std::find_if(kept_meshes.begin(), kept_meshes.end(),
                                          [&](const KeptMesh& known) { return known.name == box.mesh; });
    if (mesh == kept_meshes.end()) reader.fail("no prediction rests on a mesh '" + box.mesh + "'");
    meshes.insert({{box.element, mesh->name}, box});
  });
  std::vector<CalibrationRow> rows;
  read_lines(reader, "times", kept_columns(),
             [&](Cells& cells) { add_kept_rows(cells, meshes, reader, rows); });
  return rows;
}

std::string text_of(double value) {
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, value, std::chars_format::general, 6).ptr;
  return {text, end};
}

} // namespace

Calibration parse_calibration(const std::string& text, const std::string& source) {
  Reader reader(text, source);
  const std::string version = reader.next("its version");
  const bool kept = version == kept_first_line;
  if (!kept && version != first_line)
    reader.fail("is no table of times; its first line would be '" + std::string(first_line) + "'");
  Calibration calibration;
  for (const auto& [name, member] : facts) calibration.*member = reader.value(name);
  for (const auto& [name, member] : rates) {
    calibration.*member = reader.number(reader.value(name), name);
    if (calibration.*member <= 0) reader.fail(std::string(name) + " must be positive");
  }
  calibration.rows = kept ? kept_rows(reader) : measured_rows(reader);
  if (reader.next("its end") != "end") reader.fail("must be 'end': there are more rows than the table says");
  return calibration;
}

std::string calibration_text(const Calibration& calibration) {
  std::string text = std::string(first_line) + '\n';
  for (const auto& [name, member] : facts) text += std::string(name) + " = " + calibration.*member + '\n';
  for (const auto& [name, member] : rates)
    text += std::string(name) + " = " + text_of(calibration.*member) + '\n';
  text += "rows = " + std::to_string(calibration.rows.size()) + '\n' + columns(texts, numbers) + '\n';
  for (const CalibrationRow& row : calibration.rows) {
    for (const auto& [name, member] : texts) text += row.*member + ',';
    for (const auto& [name, member] : numbers) text += text_of(row.*member) + ',';
    text.back() = '\n';
  }
  return text + "end\n";
}

Calibration read_calibration(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  if (file && !text && std::filesystem::is_regular_file(path)) throw ArgumentError(path + ": is empty");
  if (!file || !text) throw ArgumentError(path + ": cannot be read");
  return parse_calibration(text.str(), path);
}

} // namespace tessera
