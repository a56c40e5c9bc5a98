#include "run_tool.hpp"

#include <tessera/core/error.hpp>
#include <tessera/io/output_file.hpp>

#include "progress.hpp"
#include <algorithm>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <string>
#include <string_view>
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

/// Kokkos' barriers have room for so many threads; it crashes or hangs with more.
void check_threads([[maybe_unused]] const std::vector<char*>& arguments) {
#ifdef KOKKOS_ENABLE_OPENMP
  constexpr long most = 512;
  const auto check = [&](const std::string& what, const std::string& value) {
    if (const long threads = std::strtol(value.c_str(), nullptr, 10); threads > most)
      throw ArgumentError(what + " is " + value + ", but Kokkos runs at most " + std::to_string(most) +
                          " threads");
  };
  for (const char* variable : {"OMP_NUM_THREADS", "KOKKOS_NUM_THREADS"})
    if (const char* value = std::getenv(variable)) check(variable, value);
  const std::string option = "--kokkos-num-threads=";
  for (const char* argument : arguments)
    if (std::string_view(argument).starts_with(option))
      check(option.substr(0, option.size() - 1), argument + option.size());
#endif
}

} // namespace

int run_tool(const char* name, int (*run)(int, char**), int argc, char** argv,
             const std::optional<Kokkos::InitializationSettings>& settings) {
  io::remove_unfinished_files_on_signals();
  const auto fail = [&](const std::exception& error, int status) {
    std::cerr << name << ": " << error.what() << '\n';
    return status;
  };
  std::optional<Kokkos::ScopeGuard> kokkos; // outlives whatever an exception carries
  try {
    if (settings) {
      kokkos.emplace(*settings);
    } else {
      std::vector<char*> arguments = kokkos_arguments(argc, argv);
      check_threads(arguments);
      int count = static_cast<int>(arguments.size());
      kokkos.emplace(count, arguments.data());
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
