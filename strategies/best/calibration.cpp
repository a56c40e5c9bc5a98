// SPDX-License-Identifier: BSD-3-Clause
#include <tessera/core/error.hpp>
#include <tessera/strategies/best/calibration.hpp>

#include <array>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string_view>
#include <utility>

namespace tessera {

namespace {

constexpr const char* first_line = "tessera calibration 1";

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

std::string header() {
  std::string line;
  for (const auto& [name, member] : texts) line += std::string(name) + ',';
  for (const auto& [name, member] : numbers) line += std::string(name) + ',';
  line.pop_back();
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
  double number(std::string_view text, const char* name) const {
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

CalibrationRow row_of(const std::string& line, const Reader& reader) {
  CalibrationRow row;
  std::istringstream cells(line);
  std::string cell;
  const auto next = [&](const char* name) {
    if (!std::getline(cells, cell, ',')) reader.fail(std::string("has no ") + name);
  };
  for (const auto& [name, member] : texts) {
    next(name);
    row.*member = cell;
  }
  for (const auto& [name, member] : numbers) {
    next(name);
    row.*member = reader.number(cell, name);
  }
  if (std::getline(cells, cell)) reader.fail("has more than the columns of the table");
  return row;
}

std::string text_of(double value) {
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, value, std::chars_format::general, 6).ptr;
  return {text, end};
}

} // namespace

Calibration parse_calibration(const std::string& text, const std::string& source) {
  Reader reader(text, source);
  if (reader.next("its version") != first_line)
    reader.fail(std::string("is no table of times; its first line would be '") + first_line + "'");
  Calibration calibration;
  for (const auto& [name, member] : facts) calibration.*member = reader.value(name);
  for (const auto& [name, member] : rates) {
    calibration.*member = reader.number(reader.value(name), name);
    if (calibration.*member <= 0) reader.fail(std::string(name) + " must be positive");
  }
  const double count = reader.number(reader.value("rows"), "rows");
  if (reader.next("the names of its columns") != header()) reader.fail("must be '" + header() + "'");
  for (double row = 0; row < count; ++row) {
    const std::string line = reader.next("its last row");
    calibration.rows.push_back(row_of(line, reader));
  }
  if (reader.next("its end") != "end") reader.fail("must be 'end': there are more rows than the table says");
  return calibration;
}

std::string calibration_text(const Calibration& calibration) {
  std::string text = std::string(first_line) + '\n';
  for (const auto& [name, member] : facts) text += std::string(name) + " = " + calibration.*member + '\n';
  for (const auto& [name, member] : rates)
    text += std::string(name) + " = " + text_of(calibration.*member) + '\n';
  text += "rows = " + std::to_string(calibration.rows.size()) + '\n' + header() + '\n';
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
