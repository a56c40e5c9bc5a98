// SPDX-License-Identifier: BSD-3-Clause
// tessera-compare: which strategy wins on this mesh, this element and this machine, and why.

#include <tessera/strategies/best/machine_calibration.hpp>

#include <Kokkos_Core.hpp>

#include "calibrate.hpp"
#include "compare.hpp"
#include "judge.hpp"
#include "mixed.hpp"
#include "support/report/catalogue_table.hpp"
#include "support/report/report.hpp"
#include "support/run_tool.hpp"
#include "support/version.hpp"
#include <build_info.hpp>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <iostream>
#include <optional>
#include <sstream>

namespace {

using namespace tessera;
using namespace tessera::tools;

/// Names of all backends, in the order of ExecutionSpaces.
std::vector<std::string> backend_names() {
  return std::apply(
      [](auto... space) { return std::vector<std::string>{backend_name<decltype(space)>()...}; },
      ExecutionSpaces());
}

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const auto& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

std::vector<std::string> strategy_names(const std::string& family) {
  std::vector<std::string> names;
  for (const StrategyInfo& info : strategies_of(family)) names.push_back(info.name);
  return names;
}

/// UTC, ISO 8601.
std::string now() {
  char date[32];
  const std::time_t time = std::time(nullptr);
  std::strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", std::gmtime(&time));
  return date;
}

Context context(const Comparison& comparison, const std::map<std::string, Machine>& machines) {
  Context facts;
  facts["family"] = comparison.family;
  facts["coefficients"] = comparison.problem.coefficients;
  facts["tessera_version"] = tessera::version();
  facts["git_hash"] = tessera::git_hash;
  facts["kokkos_version"] = kokkos_version();
  facts["compiler"] = __VERSION__;
  facts["processor"] = detail::processor_name();
  std::ostringstream configuration;
  Kokkos::print_configuration(configuration);
  facts["kokkos_configuration"] = configuration.str();
  facts["date"] = now();
  for (const auto& [name, machine] : machines) {
    facts[name + "_copy_gb_per_s"] = std::to_string(machine.bytes_per_second * 1e-9);
    facts[name + "_gflop_per_s"] = std::to_string(machine.flops_per_second * 1e-9);
  }
  return facts;
}

/// What the command line asks for.
struct Command {
  Comparison comparison;
  std::vector<std::string> strategies{"all"}, without, backends{"all"};
  std::string json_file, csv_file, markdown_file, report_file, calibration_file;
  std::vector<std::string> calibration_meshes, judged_files;
  bool list = false, help = false, show_version = false, no_check = false;
};

Options options_of(Command& command) {
  Comparison& comparison = command.comparison;
  Options options("tessera-compare: assembles one problem, applies its operator or computes its residual "
                  "with many strategies on many backends,\n"
                  "and compares them.\n"
                  "Example: tessera-compare --generate box:40 --element tet1 --form helmholtz");
  comparison.problem.declare(options, mixed_names(), {"stokes"});
  options.choice(
      "--family", comparison.family, {"assembly", "apply", "residual"},
      "what is compared: assemblies, products of operators without a matrix, or residuals K u - f");
  options.list("--strategies", command.strategies, "names as --list prints them, or all");
  options.list("--without", command.without, "strategies that are left out");
  options.list("--backends", command.backends, "of " + joined(backend_names()) + ", or all");
  options.choice("--scalar", comparison.scalar, {"double", "float"}, "scalar of the matrix");
  options.count("--repetitions", comparison.repetitions, 1, "timed assemblies of each strategy");
  options.number("--seconds", comparison.seconds_limit,
                 "stop repeating a strategy after so long (three runs at least)");
  options.flag("--check-all", comparison.check_all,
               "compare every row with the oracle; of more than " + std::to_string(whole_rows) +
                   " rows a sample of " + std::to_string(sampled_rows) + " else");
  options.flag("--no-check", command.no_check, "do not compare with the oracle");
  options.output("--json", command.json_file, "write results and context to this file");
  options.output("--csv", command.csv_file, "write results to this file");
  options.output("--markdown", command.markdown_file, "write results as a section with a table to this file");
  options.output("--report", command.report_file,
                 "write a page with table, plots and a picture of the mesh to this FILE.html");
  options.output(
      "--calibrate", command.calibration_file,
      "measure what Best chooses by, on the one backend of --backends, and write it to this file; devices "
      "need a build with CMake's TESSERA_CALIBRATE");
  options.list(
      "--judge", command.judged_files,
      "TIMES[,TABLE]: files of --calibrate; print how often Best is right about the times of the first, "
      "by the table of the second or its own");
  options.list("--calibrate-meshes", command.calibration_meshes,
               "NAME=FILE: meshes of linear elements that check predictions; those named uneven are what "
               "they rest on, too");
  options.flag(
      "--list", command.list,
      "list strategies, of --family where it is given, their sources and whether results repeat bitwise, "
      "as Markdown");
  options.flag("--version", command.show_version, "print version and Kokkos' configuration");
  options.flag("--help", command.help, "print this");
  return options;
}

/// \throws ArgumentError for options that have no effect beside others, or numbers out of range
void check(const Options& options, const Command& command) {
  options.exclude("--no-check", {"--check-all"});
  options.require("--calibrate-meshes", "--calibrate");
  options.exclude_all_but("--list", {"--family"});
  options.exclude_all_but("--judge", {});
  options.exclude_all_but("--calibrate", {"--calibrate-meshes", "--backends", "--element"});
  if (command.comparison.seconds_limit < 0)
    throw ArgumentError("--seconds: expected a number from 0, got " +
                        std::to_string(command.comparison.seconds_limit));
}

/// Checks the problem and replaces what the command leaves open: strategies, element, source.
void complete(Command& command, const Options& options) {
  Comparison& comparison = command.comparison;
  comparison.problem.check(options);
  comparison.check = !command.no_check;
  if (!comparison.problem.source) comparison.problem.source = 1; // loads are compared in every form
  if (comparison.problem.form == "stokes") comparison.problem.coefficients = "constant";
  const std::vector<std::string> known = strategy_names(comparison.family);
  comparison.strategies = choose(command.strategies, known, "strategy");
  for (const std::string& name : choose(command.without, known, "strategy"))
    std::erase(comparison.strategies, name);
  if (comparison.strategies.empty()) throw ArgumentError("--without leaves no strategy to compare");
  command.backends = choose(command.backends, backend_names(), "backend");
  if (comparison.problem.element.empty()) comparison.problem.element = default_elements(comparison.problem);
}

/// Runs the comparison on the backends that were chosen; notes what their machines can do.
std::vector<Result> results_of(Command& command, std::map<std::string, Machine>& machines) {
  Comparison& comparison = command.comparison;
  const Kokkos::Timer timer;
  std::vector<Result> results;
  const auto on_backend = [&]<class ExecutionSpace>(ExecutionSpace exec, const auto& compare) {
    const std::string name = backend_name<ExecutionSpace>();
    if (std::find(command.backends.begin(), command.backends.end(), name) == command.backends.end()) return;
    comparison.progress = [&](const std::string& what) {
      std::fprintf(stderr, "[%7.1f s] %s: %s\n", timer.seconds(), name.c_str(), what.c_str());
    };
    comparison.progress("measuring this machine");
    machines[name] = measure_machine(exec);
    comparison.predictions = machine_calibration(exec);
    const std::vector<Result> more = compare(exec, machines[name]);
    comparison.picture.clear(); // one of them is enough
    results.insert(results.end(), more.begin(), more.end());
  };
  const auto on_backends = [&](const auto& compare) {
    std::apply([&](auto... space) { (on_backend(space, compare), ...); }, ExecutionSpaces());
  };
  if (is_mixed(comparison.problem.element))
    on_backends([&]<class ExecutionSpace>(ExecutionSpace, const Machine& machine) {
      return compare_mixed<ExecutionSpace>(comparison, machine);
    });
  else
    with_element(comparison.problem.element, [&]<class Element>(std::type_identity<Element>) {
      on_backends([&]<class ExecutionSpace>(ExecutionSpace, const Machine& machine) {
        return compare_on<Element, ExecutionSpace>(comparison, machine);
      });
    });
  return results;
}

/// Measures all compiled elements on one backend. The table is written after each mesh, so that a run that is
/// cut short leaves what it has.
void calibrate(Command& command) {
  command.backends = choose(command.backends, backend_names(), "backend");
  if (command.backends.size() != 1) throw ArgumentError("--calibrate: name one backend with --backends");
  const std::vector<CalibrationFile> files = calibration_files(command.calibration_meshes);
  const Kokkos::Timer timer;
  const auto on_backend = [&]<class ExecutionSpace>(ExecutionSpace exec) {
    const std::string name = backend_name<ExecutionSpace>();
    if (name != command.backends.front()) return;
    if (!calibrates_devices && !runs_on_host<ExecutionSpace>)
      throw UnsupportedError("this build leaves out --calibrate on devices: set CMake's TESSERA_CALIBRATE");
    Comparison& comparison = command.comparison;
    // On devices more, for the first follow the making of the mesh, in which they rest.
    comparison.repetitions = runs_on_host<ExecutionSpace> ? 7 : 21;
    comparison.seconds_limit = 0.2;
    comparison.progress = [&](const std::string& what) {
      std::fprintf(stderr, "[%7.1f s] %s: %s\n", timer.seconds(), name.c_str(), what.c_str());
    };
    const Machine machine = measure_machine(exec);
    Calibration calibration{.device = device_name(exec),
                            .kokkos = kokkos_version(),
                            .date = now(),
                            .commit = tessera::git_hash,
                            .bytes_per_second = machine.bytes_per_second,
                            .flops_per_second = machine.flops_per_second,
                            .rows = {}};
    const auto keep = [&] { write_file(command.calibration_file, calibration_text(calibration)); };
    std::apply(
        [&]<class... Element>(Element...) {
          const auto measure = [&]<class One>(std::type_identity<One>) {
            if (comparison.problem.element.empty() || comparison.problem.element == One::name)
              calibrate_element<One, ExecutionSpace>(calibration, comparison, machine,
                                                     {"assembly", "apply", "residual"}, files, keep);
          };
          (measure(std::type_identity<Element>()), ...);
        },
        CompiledElements());
    std::cout << judgement(calibration, calibration);
  };
  std::apply([&](auto... space) { (on_backend(space), ...); }, ExecutionSpaces());
}

void judge(const std::vector<std::string>& files) {
  if (files.size() > 2) throw ArgumentError("--judge: name one file, or two");
  std::cout << judgement(read_calibration(files.front()), read_calibration(files.back()));
}

void print(const std::vector<Result>& results, const std::map<std::string, Machine>& machines) {
  const Result& first = results.front();
  std::printf("%s %s, %s, %s: %lld elements, %lld unknowns, %lld nonzeros\n", first.mesh.c_str(),
              first.element.c_str(), first.form.c_str(), first.scalar.c_str(),
              static_cast<long long>(first.elements), static_cast<long long>(first.unknowns),
              static_cast<long long>(first.nonzeros));
  for (const auto& [name, machine] : machines)
    std::printf("%s: copy %.1f GB/s, multiply-add %.1f GFLOP/s\n", name.c_str(),
                machine.bytes_per_second * 1e-9, machine.flops_per_second * 1e-9);
  std::int64_t checked = 0;
  for (const Result& result : results) checked = std::max(checked, result.checked_rows);
  if (checked > 0)
    std::printf("checked against the oracle: %lld of %lld rows%s\n", static_cast<long long>(checked),
                static_cast<long long>(first.unknowns),
                checked < first.unknowns ? ", a sample; --check-all checks them all" : "");
  std::cout << '\n' << table(results);
}

int run(int argc, char** argv) {
  Command command;
  Options options = options_of(command);
  options.parse(argc, argv);
  if (command.help) return std::cout << options.help(), 0;
  check(options, command);
  if (command.list && options.given("--family"))
    return std::cout << catalogue_table({command.comparison.family}), 0;
  if (command.list) return std::cout << catalogue_table(), 0;
  if (command.show_version) return print_version(std::cout), 0;
  if (!command.calibration_file.empty()) return calibrate(command), 0;
  if (!command.judged_files.empty()) return judge(command.judged_files), 0;
  complete(command, options);
  Comparison& comparison = command.comparison;

  std::optional<Report> report;
  if (!command.report_file.empty()) report.emplace(command.report_file);
#ifdef TESSERA_HAVE_VTK
  if (report) comparison.picture = report->part("mesh.png");
#endif
  const std::string picture = comparison.picture;

  std::map<std::string, Machine> machines;
  const std::vector<Result> results = results_of(command, machines);
  print(results, machines);
  const auto facts = context(comparison, machines);
  if (!command.json_file.empty()) write_file(command.json_file, json(facts, results));
  if (!command.csv_file.empty()) write_file(command.csv_file, csv(results));
  if (!command.markdown_file.empty()) write_file(command.markdown_file, markdown(facts, results));
  if (report) {
    const std::string part = report->part("comparison.json");
    write_file(part, json(facts, results));
    report->write(part, picture, command_line(argc, argv));
  }
  return std::all_of(results.begin(), results.end(), [](const Result& r) { return r.agrees; }) ? 0 : 1;
}

} // namespace

int main(int argc, char** argv) { return tessera::tools::run_tool("tessera-compare", run, argc, argv); }
