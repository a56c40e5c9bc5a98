// SPDX-License-Identifier: BSD-3-Clause
#include "support/report/records.hpp"

#include <tessera/core/version.hpp>

#include <build_info.hpp>
#include <cmath>
#include <cstdio>

namespace tessera::tools {

std::string format(const char* pattern, double value) {
  char text[64];
  std::snprintf(text, sizeof text, pattern, value);
  return text;
}

std::string number(double value) { return std::isfinite(value) ? format("%.9g", value) : "null"; }

std::string json_text(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\')
      (out += '\\') += c;
    else if (c == '\n')
      out += "\\n";
    else if (static_cast<unsigned char>(c) < 0x20) {
      constexpr char digits[] = "0123456789abcdef";
      (out += "\\u00") += {digits[c / 16], digits[c % 16]};
    } else
      out += c;
  }
  return out + '"';
}

std::string machine_json(const std::string& space, const Machine& machine) {
  return "{\"space\": " + json_text(space) + ", \"tessera_version\": " + json_text(version()) +
         ", \"git_hash\": " + json_text(git_hash) + ", \"kokkos_version\": " + json_text(kokkos_version()) +
         ", \"copy_bytes_per_s\": " + number(machine.bytes_per_second) +
         ", \"flops_per_s\": " + number(machine.flops_per_second) + "}";
}

std::string csv_text(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? "\"\"" : std::string(1, c);
  return out + '"';
}

} // namespace tessera::tools
