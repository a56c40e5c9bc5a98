// SPDX-License-Identifier: BSD-3-Clause
#include "run_tool.hpp"

#include <tessera/core/error.hpp>
#include <tessera/io/output_file.hpp>

#include "progress.hpp"
#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace tessera::tools {

namespace {

/// Kokkos' own arguments. Its `--help` is not among them: that is the tool's, and Kokkos has --kokkos-help.
std::vector<char*> kokkos_arguments(int argc, char** argv) {
  std::vector<char*> arguments(argv, argv + std::min(argc, 1));
  for (int i = 1; i < argc; ++i)
    if (std::string_view(argv[i]).starts_with("--kokkos-")) arguments.push_back(argv[i]);
  return arguments;
}

/// \throws ArgumentError unless a value is a number that Kokkos takes: it ends the process for others.
/// \param most Kokkos' barriers have room for so many threads; it crashes or hangs with more
void check_count(const std::string& what, std::string_view value, long least, std::optional<long> most = {}) {
  long count = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), count);
  if (error == std::errc() && most && count > *most)
    throw ArgumentError(what + " is " + std::string(value) + ", but Kokkos runs at most " +
                        std::to_string(*most) + " threads");
  if (error != std::errc() || end != value.data() + value.size() || count < least)
    throw ArgumentError(what + " is '" + std::string(value) + "'; it may be an integer from " +
                        std::to_string(least));
}

void check_kokkos_settings(const std::vector<char*>& arguments) {
#ifdef KOKKOS_ENABLE_OPENMP
  constexpr std::optional<long> most_threads = 512;
  // A list for nested levels, of which Kokkos uses the first.
  if (const char* value = std::getenv("OMP_NUM_THREADS"))
    check_count("OMP_NUM_THREADS", std::string_view(value).substr(0, std::string_view(value).find(',')), 1,
                most_threads);
#else
  constexpr std::optional<long> most_threads;
#endif
  if (const char* value = std::getenv("KOKKOS_NUM_THREADS"))
    check_count("KOKKOS_NUM_THREADS", value, 1, most_threads);
  if (const char* value = std::getenv("KOKKOS_DEVICE_ID")) check_count("KOKKOS_DEVICE_ID", value, 0);
  for (const std::string_view argument : arguments) {
    const std::string name(argument.substr(0, argument.find('=')));
    const std::string_view value = argument.substr(std::min(argument.size(), name.size() + 1));
    if (name == "--kokkos-num-threads") check_count(name, value, 1, most_threads);
    if (name == "--kokkos-device-id") check_count(name, value, 0);
  }
}

/// As many processes as mpiexec has started of this program; 1 without it.
long started_processes() {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"})
    if (const char* value = std::getenv(name)) return std::strtol(value, nullptr, 10);
  return 1;
}

} // namespace

int run_tool(const char* name, int (*run)(int, char**), int argc, char** argv,
             const std::optional<Kokkos::InitializationSettings>& settings) {
  if (const long processes = started_processes(); processes > 1) {
    std::cerr << name << ": started on " << processes
              << " ranks, but it runs on one: tessera-solve-mpi and tessera-compare-mpi run on many\n";
    return 2;
  }
  return run_process(name, run, argc, argv, settings, std::cerr);
}

int run_process(const char* name, int (*run)(int, char**), int argc, char** argv,
                const std::optional<Kokkos::InitializationSettings>& settings, std::ostream& errors) {
  io::remove_unfinished_files_on_signals();
  const auto fail = [&](const std::exception& error, int status) {
    errors << name << ": " << error.what() << '\n';
    return status;
  };
  std::optional<Kokkos::ScopeGuard> kokkos; // outlives whatever an exception carries
  try {
    if (settings) {
      kokkos.emplace(*settings);
    } else {
      std::vector<char*> arguments = kokkos_arguments(argc, argv);
      check_kokkos_settings(arguments);
      int count = static_cast<int>(arguments.size());
      kokkos.emplace(count, arguments.data()); // takes those that it knows out of the list
      if (count > 1)
        throw ArgumentError("unknown option '" + std::string(arguments[1]) +
                            "'; --kokkos-help lists Kokkos'");
    }
    announce_metis();
    return run(argc, argv);
  } catch (const Error& error) {
    return fail(error, 2);
  } catch (const std::exception& error) {
    return fail(error, 1);
  }
}

} // namespace tessera::tools
