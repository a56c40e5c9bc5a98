#include "run_tool.hpp"

#include <tessera/core/error.hpp>
#include <tessera/io/output_file.hpp>

#include <exception>
#include <iostream>

namespace tessera::tools {

int run_tool(const char* name, int (*run)(int, char**), int argc, char** argv,
             const std::optional<Kokkos::InitializationSettings>& settings) {
  io::remove_unfinished_files_on_signals();
  std::optional<Kokkos::ScopeGuard> kokkos;
  if (settings)
    kokkos.emplace(*settings);
  else
    kokkos.emplace(argc, argv);
  const auto fail = [&](const std::exception& error, int status) {
    std::cerr << name << ": " << error.what() << '\n';
    return status;
  };
  try {
    return run(argc, argv);
  } catch (const Error& error) {
    return fail(error, 2);
  } catch (const std::exception& error) {
    return fail(error, 1);
  }
}

} // namespace tessera::tools
