// SPDX-License-Identifier: BSD-3-Clause
#include "support/report/result.hpp"

#include "support/report/records.hpp"
#include <algorithm>
#include <sstream>

namespace tessera::tools {

namespace {

const Fields<Result>& fields() {
  static const Fields<Result> all{
      {"strategy", true, [](const Result& r) { return r.strategy; }},
      {"source", true, [](const Result& r) { return r.source; }},
      {"backend", true, [](const Result& r) { return r.backend; }},
      {"element", true, [](const Result& r) { return r.element; }},
      {"form", true, [](const Result& r) { return r.form; }},
      {"scalar", true, [](const Result& r) { return r.scalar; }},
      {"mesh", true, [](const Result& r) { return r.mesh; }},
      {"elements", false, [](const Result& r) { return std::to_string(r.elements); }},
      {"unknowns", false, [](const Result& r) { return std::to_string(r.unknowns); }},
      {"nonzeros", false, [](const Result& r) { return std::to_string(r.nonzeros); }},
      {"unsupported", true, [](const Result& r) { return r.unsupported; }},
      {"graph_seconds", false, [](const Result& r) { return number(r.graph_seconds); }},
      {"plan_seconds", false, [](const Result& r) { return number(r.plan_seconds); }},
      {"plan_bytes", false, [](const Result& r) { return std::to_string(r.plan_bytes); }},
      {"seconds_median", false, [](const Result& r) { return number(r.seconds_median); }},
      {"seconds_min", false, [](const Result& r) { return number(r.seconds_min); }},
      {"seconds_max", false, [](const Result& r) { return number(r.seconds_max); }},
      {"predicted_seconds", false, [](const Result& r) { return number(r.predicted_seconds); }},
      {"ns_per_element", false, [](const Result& r) { return number(r.ns_per_element); }},
      {"gb_per_s", false, [](const Result& r) { return number(r.gb_per_s); }},
      {"gflop_per_s", false, [](const Result& r) { return number(r.gflop_per_s); }},
      {"bandwidth_share", false, [](const Result& r) { return number(r.bandwidth_share); }},
      {"model_ratio", false, [](const Result& r) { return number(r.model_ratio); }},
      {"bound_ratio", false, [](const Result& r) { return number(r.bound_ratio); }},
      {"checked_rows", false, [](const Result& r) { return std::to_string(r.checked_rows); }},
      {"error", false, [](const Result& r) { return r.error < 0 ? "null" : number(r.error); }},
      {"deterministic", false,
       [](const Result& r) { return std::string(r.deterministic ? "true" : "false"); }},
      {"agrees", false, [](const Result& r) { return std::string(r.agrees ? "true" : "false"); }},
      {"path", true, [](const Result& r) { return r.path; }}};
  return all;
}

/// By backends, those that ran by their time, the others last.
void sort_by_time(std::vector<Result>& results) {
  std::stable_sort(results.begin(), results.end(), [](const Result& a, const Result& b) {
    if (a.backend != b.backend) return a.backend < b.backend;
    if (a.unsupported.empty() != b.unsupported.empty()) return a.unsupported.empty();
    return a.seconds_median < b.seconds_median;
  });
}

std::string error_text(const Result& r) {
  return r.error < 0 ? "-" : format("%.1e", r.error) + (r.agrees ? "" : " WRONG");
}

} // namespace

std::string table(std::vector<Result> results) {
  sort_by_time(results);
  std::vector<std::vector<std::string>> rows{{"", "strategy", "backend", "plan s", "plan MB", "median ms",
                                              "predicted", "min ms", "spread %", "ns/elem", "GB/s", "GFLOP/s",
                                              "% copy", "x model", "x bound", "error", "repeats"}};
  std::string graphs, notes, last_backend;
  for (const Result& r : results) {
    if (!r.unsupported.empty()) {
      notes += "  " + r.strategy + " on " + r.backend + ": " + r.unsupported + '\n';
      continue;
    }
    const bool best = r.backend != last_backend;
    if (best) graphs += "graph on " + r.backend + ": " + format("%.3f", r.graph_seconds) + " s\n";
    last_backend = r.backend;
    rows.push_back({best ? "*" : "", r.strategy, r.backend, format("%.3f", r.plan_seconds),
                    format("%.1f", r.plan_bytes / 1e6), format("%.3f", r.seconds_median * 1e3),
                    r.predicted_seconds > 0 ? format("%.3f", r.predicted_seconds * 1e3) : "",
                    format("%.3f", r.seconds_min * 1e3),
                    format("%.1f", 100 * (r.seconds_max - r.seconds_min) / r.seconds_median),
                    format("%.4g", r.ns_per_element), format("%.1f", r.gb_per_s),
                    format("%.1f", r.gflop_per_s), format("%.0f", 100 * r.bandwidth_share),
                    format("%.2f", r.model_ratio), format("%.2f", r.bound_ratio), error_text(r),
                    r.deterministic ? "bitwise" : "rounding"});
  }
  std::vector<std::size_t> width(rows[0].size(), 0);
  for (const auto& row : rows)
    for (std::size_t c = 0; c < row.size(); ++c) width[c] = std::max(width[c], row[c].size());
  std::string text;
  for (const auto& row : rows) {
    for (std::size_t c = 0; c < row.size(); ++c) {
      const std::string pad(width[c] - row[c].size(), ' ');
      text += (c == 0 ? "" : "  ") + (c <= 2 ? row[c] + pad : pad + row[c]);
    }
    text += '\n';
  }
  if (!notes.empty()) text += "not run:\n" + notes;
  return text + graphs;
}

std::string markdown(const Context& context, std::vector<Result> results) {
  sort_by_time(results);
  const Result& first = results.front();
  std::string text = "## " + first.form + " on " + first.mesh + ", " + first.element + ", " + first.scalar +
                     "\n\n" + std::to_string(first.elements) + " elements, " +
                     std::to_string(first.unknowns) + " unknowns, " + std::to_string(first.nonzeros) +
                     " nonzeros";
  for (const auto& [name, value] : context)
    if (name == "coefficients" || name.ends_with("_copy_gb_per_s") || name.ends_with("_gflop_per_s"))
      text += "; " + name + " " + value;
  text += ".\n\n| strategy | backend | plan [s] | plan [MB] | ns/element | GB/s | x model | x bound | error "
          "| repeats "
          "|\n|---|---|---|---|---|---|---|---|---|---|\n";
  std::string notes;
  for (const Result& r : results) {
    if (!r.unsupported.empty()) {
      notes += "\nNot run: `" + r.strategy + "` on " + r.backend + ": " + r.unsupported + "\n";
      continue;
    }
    text += "| `" + r.strategy + "` | " + r.backend + " | " + format("%.3f", r.plan_seconds) + " | " +
            format("%.0f", r.plan_bytes / 1e6) + " | " + format("%.3g", r.ns_per_element) + " | " +
            format("%.0f", r.gb_per_s) + " | " + format("%.2f", r.model_ratio) + " | " +
            format("%.2f", r.bound_ratio) + " | " + error_text(r) + " | " +
            (r.deterministic ? "bitwise" : "rounding") + " |\n";
  }
  return text + notes;
}

std::string json(const Context& context, const std::vector<Result>& results) {
  std::ostringstream out;
  out << "{\n  \"context\": {";
  const char* separator = "\n";
  for (const auto& [key, value] : context) {
    out << separator << "    " << json_text(key) << ": " << json_text(value);
    separator = ",\n";
  }
  out << "\n  },\n  \"results\": " << json_records(fields(), results) << "\n}\n";
  return out.str();
}

std::string csv(const std::vector<Result>& results) { return csv_records(fields(), results); }

} // namespace tessera::tools
