// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Results of a comparison: one row per strategy and backend, as a table, JSON and CSV.

#include <tessera/core/cost.hpp>
#include <tessera/io/output_file.hpp>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace tessera::tools {

/// One strategy on one backend. Field by field the schema of docs/comparison.md.
struct Result {
  std::string strategy, source, backend, element, form, scalar, mesh;
  std::int64_t elements = 0, unknowns = 0, nonzeros = 0;
  std::string unsupported;  ///< why the strategy could not run; empty if it ran
  double graph_seconds = 0; ///< of the sparsity graph and its incidence, which all strategies share
  double plan_seconds = 0;
  std::int64_t plan_bytes = 0;
  std::string path; ///< what the plan says of how it computes; of `Best`, what it took and why
  double seconds_median = 0, seconds_min = 0, seconds_max = 0;
  double ns_per_element = 0;
  double gb_per_s = 0, gflop_per_s = 0;
  double bandwidth_share = 0;   ///< of the measured copy bandwidth
  double model_ratio = 0;       ///< measured time over the strategy's own cost model
  double predicted_seconds = 0; ///< by the times that `Best` chooses by; 0 if they do not know the strategy
  Cost cost;                    ///< of one call, by the strategy's cost model; not written
  double bound_ratio = 0;       ///< measured time over the time of compulsory traffic and flops
  double error = 0; ///< against the oracle, relative to the sum of absolute products; negative: not checked
  std::int64_t checked_rows = 0; ///< how many rows the error is of
  bool deterministic = false;    ///< whether repeated assemblies of this run were equal bit by bit
  bool agrees = true;            ///< with the oracle, and with what the strategy says of its determinism
};

/// Facts about the run that travel with the numbers.
using Context = std::map<std::string, std::string>;

/// A table for people, sorted by time within each backend, the fastest marked.
std::string table(std::vector<Result> results);

/// A section with the problem, what was measured of the machine, and a table sorted as `table`'s.
std::string markdown(const Context& context, std::vector<Result> results);

/// {"context": {...}, "results": [{...}, ...]}
std::string json(const Context& context, const std::vector<Result>& results);

/// One header line, one line per result.
std::string csv(const std::vector<Result>& results);

using io::write_file;

} // namespace tessera::tools
