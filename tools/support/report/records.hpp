// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Rows of results as JSON and CSV, from one list of their fields.

#include <tessera/strategies/best/machine.hpp>

#include <functional>
#include <string>
#include <vector>

namespace tessera::tools {

/// A named value of a row: a text, or a number, `true`, `false` or `null` as JSON spells them.
template <class Row>
struct Field {
  const char* name;
  bool is_text;
  std::function<std::string(const Row&)> value;
};

template <class Row>
using Fields = std::vector<Field<Row>>;

/// printf for one number.
std::string format(const char* pattern, double value);
/// Nine digits; `null` for infinity and NaN, which JSON does not have.
std::string number(double value);
/// Quoted, with JSON's escapes.
std::string json_text(const std::string& text);
/// Quoted, with quotes doubled.
std::string csv_text(const std::string& text);

/// [{"name": value, ...}, ...]
template <class Row>
std::string json_records(const Fields<Row>& fields, const std::vector<Row>& rows) {
  std::string text = "[";
  for (const Row& row : rows) {
    text += text.size() == 1 ? "\n    {" : ",\n    {";
    const char* comma = "";
    for (const Field<Row>& field : fields) {
      const std::string value = field.value(row);
      text += comma + json_text(field.name) + ": " + (field.is_text ? json_text(value) : value);
      comma = ", ";
    }
    text += '}';
  }
  return text + "\n  ]";
}

/// {"space": ..., what the tools were built from, and the measured ceilings of the execution space}
std::string machine_json(const std::string& space, const Machine& machine);

/// {"machine": {...}, "results": [{...}, ...]}
template <class Row>
std::string json_report(const std::string& space, const Machine& machine, const Fields<Row>& fields,
                        const std::vector<Row>& rows) {
  return "{\n  \"machine\": " + machine_json(space, machine) +
         ",\n  \"results\": " + json_records(fields, rows) + "\n}\n";
}

/// One header line, one line per row; nothing where a number is null.
template <class Row>
std::string csv_records(const Fields<Row>& fields, const std::vector<Row>& rows) {
  std::string text;
  for (const Field<Row>& field : fields) text += (text.empty() ? "" : ",") + std::string(field.name);
  text += '\n';
  for (const Row& row : rows) {
    std::string line;
    for (const Field<Row>& field : fields) {
      std::string value = field.is_text ? csv_text(field.value(row)) : field.value(row);
      if (value == "null") value.clear();
      line += (line.empty() ? "" : ",") + value;
    }
    text += line + '\n';
  }
  return text;
}

} // namespace tessera::tools
