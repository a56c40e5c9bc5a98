// SPDX-License-Identifier: BSD-3-Clause
#include <tessera/core/error.hpp>
#include <tessera/strategies/best/machine_calibration.hpp>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <string>
#include <system_error>
#include <unistd.h>
#include <utility>
#include <vector>

namespace tessera {

namespace detail {

/// Tables that the library has: name of the file and its text in pieces, of devices and of hosts. Generated
/// by CMake.
extern const std::vector<std::pair<const char*, std::vector<const char*>>> tables_of_devices, tables_of_hosts;

std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  return "unknown processor";
}

namespace {

namespace fs = std::filesystem;

std::string environment(const char* name) {
  const char* const value = std::getenv(name);
  return value ? value : "";
}

/// The file for a device, or an empty path where there is no cache folder.
fs::path cached_file(const std::string& device) {
  fs::path folder = environment("TESSERA_CACHE");
  if (folder.empty() && !environment("XDG_CACHE_HOME").empty())
    folder = fs::path(environment("XDG_CACHE_HOME")) / "tessera";
  if (folder.empty() && !environment("HOME").empty())
    folder = fs::path(environment("HOME")) / ".cache" / "tessera";
  if (folder.empty()) return {};
  std::string name = device + " kokkos " + std::to_string(KOKKOS_VERSION / 10000) + "." +
                     std::to_string(KOKKOS_VERSION / 100 % 100) + ".txt";
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return !std::isalnum(c) && c != '.'; }, '_');
  return folder / "calibration" / name;
}

/// Leaves a file for later programs, whole or not at all. Without it they measure the rates themselves, so
/// that failing is no error.
void leave(const fs::path& file, const std::string& text) {
  std::error_code error;
  fs::create_directories(file.parent_path(), error);
  if (error) return;
  fs::path part = file;
  part += "." + std::to_string(getpid()) + ".part";
  const bool written = [&] {
    std::ofstream stream(part);
    stream << text;
    stream.close();
    return static_cast<bool>(stream);
  }();
  if (written) fs::rename(part, file, error);
  if (!written || error) fs::remove(part, error);
}

/// \throws ArgumentError if the table is of another device
Calibration of_device(const std::string& path, const std::string& device) {
  Calibration calibration = read_calibration(path);
  if (calibration.device != device)
    throw ArgumentError(path + ": has the times of '" + calibration.device + "', this is '" + device +
                        "'; measure them by tessera-compare --calibrate, or remove the file");
  return calibration;
}

/// The table of another device as times of this one.
Calibration scaled(Calibration calibration, const std::string& device, const Machine& machine) {
  for (CalibrationRow& row : calibration.rows) {
    if (row.mesh == calibration_mesh::small) continue; // launches take what they take
    const auto seconds = [&](double bytes_per_second, double flops_per_second) {
      return std::max(row.bytes / bytes_per_second, row.flops / flops_per_second);
    };
    const double then = seconds(calibration.bytes_per_second, calibration.flops_per_second);
    if (then > 0) row.seconds *= seconds(machine.bytes_per_second, machine.flops_per_second) / then;
  }
  calibration.date += ", of " + calibration.device + ", changed to this device's rates";
  calibration.device = device;
  calibration.bytes_per_second = machine.bytes_per_second;
  calibration.flops_per_second = machine.flops_per_second;
  return calibration;
}

/// How many first letters two names share.
std::size_t likeness(const std::string& a, const std::string& b) {
  return static_cast<std::size_t>(std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first - a.begin());
}

Calibration find(const MachineKind& kind) {
  const std::string named = environment("TESSERA_CALIBRATION");
  if (!named.empty()) return of_device(named, kind.device);
  const fs::path cached = cached_file(kind.device);
  std::error_code error;
  if (!cached.empty() && fs::exists(cached, error)) return of_device(cached.string(), kind.device);
  Calibration nearest;
  for (const auto& [name, pieces] : kind.host ? tables_of_hosts : tables_of_devices) {
    std::string text;
    for (const char* piece : pieces) text += piece;
    Calibration table = parse_calibration(text, name);
    if (table.device == kind.device) return table;
    if (nearest.rows.empty() || likeness(table.device, kind.device) > likeness(nearest.device, kind.device))
      nearest = std::move(table);
  }
  Calibration table = scaled(nearest, kind.device, kind.measure());
  if (!cached.empty()) leave(cached, calibration_text(table));
  return table;
}

} // namespace

std::shared_ptr<const Calibration> calibration_of(const MachineKind& kind) {
  static std::mutex mutex;
  static std::map<std::string, std::shared_ptr<const Calibration>> known;
  const std::lock_guard lock(mutex);
  auto& calibration = known[kind.device];
  if (!calibration) calibration = std::make_shared<const Calibration>(find(kind));
  return calibration;
}

} // namespace detail

} // namespace tessera
