// SPDX-License-Identifier: BSD-3-Clause
#include <tessera/io/abaqus/detail/data_lines.hpp>
#include <tessera/io/abaqus/detail/without_effect.hpp>

#include <algorithm>
#include <span>
#include <string_view>

namespace tessera::io {

namespace {

/// Keywords that ask for output or name things. Those without data lines:
constexpr std::string_view bare_keywords[] = {"ENDSTEP", "OUTPUT",  "PREPRINT",
                                              "PRINT",   "RESTART", "PHYSICALCONSTANTS"};
/// Those whose data lines name what is put out, without numbers.
constexpr std::string_view output_keywords[] = {"NODEPRINT",     "ELPRINT",     "NODEFILE",
                                                "ELFILE",        "NODEOUTPUT",  "ELEMENTOUTPUT",
                                                "CONTACTOUTPUT", "SECTIONPRINT"};

constexpr std::string_view unused_properties[] = {"CONDUCTIVITY", "DAMPING", "SPECIFICHEAT"};

/// Names of what a step of sensitivities, which is listed, asks for.
constexpr std::string_view named_by_later_steps[] = {"DESIGNVARIABLES"};

bool is_among(std::string_view name, std::span<const std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

} // namespace

bool is_unused_property(const AbaqusKeyword& keyword) { return is_among(keyword.name, unused_properties); }

bool pass_over(const AbaqusKeyword& keyword, AbaqusLexer& lexer) {
  const std::string& name = keyword.name;
  if (name == "HEADING")
    expect_title(keyword, lexer);
  else if (name == "TIMEPOINTS")
    expect_times(keyword, lexer);
  else if (is_unused_property(keyword))
    expect_numbers(keyword, lexer);
  else if (is_among(name, bare_keywords))
    expect_no_data(keyword, lexer);
  else if (is_among(name, output_keywords) || is_among(name, named_by_later_steps))
    expect_names(keyword, lexer);
  else
    return false;
  return true;
}

} // namespace tessera::io
