// SPDX-License-Identifier: BSD-3-Clause
#include "support/options/options.hpp"

#include <tessera/core/error.hpp>
#include <tessera/core/same_name.hpp>
#include <tessera/io/output_file.hpp>
#include <tessera/io/read.hpp>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <sstream>

namespace tessera::tools {

std::vector<std::string> split(const std::string& text, char separator, const std::string& what) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) {
    if (part.empty()) throw ArgumentError(what + ": empty entry in '" + text + "'");
    parts.push_back(part);
  }
  if (parts.empty()) throw ArgumentError(what + ": empty list");
  return parts;
}

double to_number(const std::string& text, const std::string& what) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (text.empty() || end != text.c_str() + text.size() || !std::isfinite(value))
    throw ArgumentError(what + ": '" + text + "' is not a finite number");
  if (!std::isnormal(value) && text.find_first_of("123456789") < text.find_first_of("eE"))
    throw ArgumentError(what + ": '" + text +
                        "' is smaller than the numbers that a computer holds to full precision");
  return value;
}

namespace {

/// The known name that a user means, or nullptr.
const std::string* find_name(const std::vector<std::string>& known, const std::string& name) {
  const auto found =
      std::find_if(known.begin(), known.end(), [&](const auto& other) { return same_name(other, name); });
  return found == known.end() ? nullptr : &*found;
}

} // namespace

std::vector<std::string> choose(const std::vector<std::string>& wanted, const std::vector<std::string>& known,
                                const std::string& what) {
  if (wanted.size() == 1 && same_name(wanted.front(), "all")) return known;
  std::string names;
  for (const auto& name : known) names += (names.empty() ? "" : ", ") + name;
  std::vector<std::string> chosen;
  for (const auto& name : wanted) {
    const std::string* const found = find_name(known, name);
    if (found == nullptr) throw ArgumentError("unknown " + what + " '" + name + "'; there are " + names);
    chosen.push_back(*found);
  }
  return chosen;
}

void Options::add(const std::string& name, const std::string& value_name, const std::string& help,
                  std::function<void(const std::string&)> set) {
  options_.push_back({name, value_name, help, std::move(set), false});
}

void Options::text(const std::string& name, std::string& target, const std::string& help) {
  add(name, "TEXT", help, [&target](const std::string& value) { target = value; });
}

void Options::input(const std::string& name, std::string& target, const std::string& help) {
  add(name, "FILE", help, [&target](const std::string& value) { target = value; });
  inputs_.push_back({name, target});
}

void Options::output(const std::string& name, std::string& target, const std::string& help) {
  add(name, "FILE", help, [&target, name](const std::string& value) {
    if (value.empty()) throw ArgumentError(name + ": expected the name of a file, got ''");
    target = value;
  });
  outputs_.push_back({name, target});
}

void Options::texts(const std::string& name, std::vector<std::string>& target, const std::string& help) {
  add(name, "TEXT", help, [&target](const std::string& value) { target.push_back(value); });
  options_.back().repeats = true;
}

void Options::list(const std::string& name, std::vector<std::string>& target, const std::string& help) {
  add(name, "A,B,...", help, [&target, name](const std::string& value) { target = split(value, ',', name); });
}

void Options::number(const std::string& name, double& target, const std::string& help) {
  add(name, "NUMBER", help, [&target, name](const std::string& value) { target = to_number(value, name); });
}

void Options::number(const std::string& name, std::optional<double>& target, const std::string& help) {
  add(name, "NUMBER", help, [&target, name](const std::string& value) { target = to_number(value, name); });
}

void Options::count(const std::string& name, int& target, int least, const std::string& help) {
  add(name, "N", help, [&target, name, least](const std::string& value) {
    const double number = to_number(value, name);
    constexpr int most = 1000000000;
    if (number != std::floor(number) || number < least || number > most)
      throw ArgumentError(name + ": expected an integer from " + std::to_string(least) + " to " +
                          std::to_string(most) + ", got '" + value + "'");
    target = static_cast<int>(number);
  });
}

void Options::choice(const std::string& name, std::string& target, const std::vector<std::string>& choices,
                     const std::string& help) {
  std::string names;
  for (const auto& choice : choices) names += (names.empty() ? "" : "|") + choice;
  add(name, names, help, [&target, name, choices, names](const std::string& value) {
    const std::string* const found = find_name(choices, value);
    if (found == nullptr) throw ArgumentError(name + ": '" + value + "' is not one of " + names);
    target = *found;
  });
}

void Options::flag(const std::string& name, bool& target, const std::string& help) {
  add(name, "", help, [&target](const std::string&) { target = true; });
}

void Options::refuse(const std::string& name, const std::string& reason) { refused_[name] = reason; }

void Options::parse(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument.starts_with("--kokkos-")) continue;
    if (const auto refused = refused_.find(argument); refused != refused_.end())
      throw ArgumentError(argument + ": " + refused->second);
    const auto option =
        std::find_if(options_.begin(), options_.end(), [&](const Option& o) { return o.name == argument; });
    if (option == options_.end()) throw ArgumentError("unknown option '" + argument + "'\n\n" + help());
    const bool flag = option->value_name.empty();
    if (!flag && i + 1 == argc) throw ArgumentError(argument + " needs a value: " + option->value_name);
    const std::string value = flag ? "" : argv[++i];
    note(*option, value);
    option->set(value);
  }
  check_files();
}

void Options::note(const Option& option, const std::string& value) {
  const auto [first, fresh] = given_.emplace(option.name, value);
  if (!fresh && !option.repeats && first->second != value)
    throw ArgumentError(option.name + " is given twice, as '" + first->second + "' and as '" + value + "'");
}

void Options::check_files() const {
  std::vector<io::NamedPath> inputs, outputs;
  for (const File& file : outputs_)
    if (!file.path.empty()) outputs.push_back({file.name, file.path});
  if (outputs.empty()) return;
  for (const File& file : inputs_) {
    if (file.path.empty()) continue;
    for (const std::string& path : io::files_of_mesh(file.path)) inputs.push_back({file.name, path});
  }
  io::check_outputs(inputs, outputs);
}

std::vector<std::string> Options::names() const {
  std::vector<std::string> names;
  for (const auto& option : options_) names.push_back(option.name);
  return names;
}

bool Options::given(const std::string& name) const { return given_.contains(name); }

void Options::exclude(const std::string& name, const std::vector<std::string>& others) const {
  if (!given(name)) return;
  for (const auto& other : others)
    if (given(other)) throw ArgumentError(other + " has no meaning together with " + name);
}

void Options::exclude_all_but(const std::string& name, const std::vector<std::string>& allowed) const {
  std::vector<std::string> others = names();
  std::erase_if(others, [&](const std::string& other) {
    return other == name || std::find(allowed.begin(), allowed.end(), other) != allowed.end();
  });
  exclude(name, others);
}

void Options::require(const std::string& name, const std::string& needed) const {
  if (given(name) && !given(needed)) throw ArgumentError(name + " needs " + needed);
}

std::string Options::help() const {
  std::size_t width = 0;
  for (const auto& o : options_) width = std::max(width, o.name.size() + o.value_name.size() + 1);
  width = std::min<std::size_t>(width, 40);
  std::string text = usage_ + "\n\n";
  for (const auto& o : options_) {
    std::string line = "  " + o.name + (o.value_name.empty() ? "" : " " + o.value_name);
    line += line.size() > width + 2 ? "\n" + std::string(width + 4, ' ')
                                    : std::string(width + 4 - line.size(), ' ');
    text += line + o.help + '\n';
  }
  return text + "\nKokkos' own options begin with --kokkos-; --kokkos-help lists them.\n";
}

} // namespace tessera::tools
