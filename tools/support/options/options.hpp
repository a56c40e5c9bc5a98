// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Command lines of the tools: `--name value` pairs and flags, each declared once with its help.

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tessera::tools {

/// The options of one tool. Declared options are parsed strictly: an unknown name, a missing value or a value
/// of the wrong kind is an ArgumentError that lists what is valid.
class Options {
public:
  Options(std::string usage) : usage_(std::move(usage)) {}

  void text(const std::string& name, std::string& target, const std::string& help);
  /// A file that the tool reads.
  void input(const std::string& name, std::string& target, const std::string& help);
  /// A file that the tool writes. Parsing ends with io::check_outputs.
  void output(const std::string& name, std::string& target, const std::string& help);
  /// May be given several times.
  void texts(const std::string& name, std::vector<std::string>& target, const std::string& help);
  /// A comma-separated list.
  void list(const std::string& name, std::vector<std::string>& target, const std::string& help);
  void number(const std::string& name, double& target, const std::string& help);
  /// A number whose default depends on others: it stays empty where it is not given.
  void number(const std::string& name, std::optional<double>& target, const std::string& help);
  /// An integer from `least` to a thousand million.
  void count(const std::string& name, int& target, int least, const std::string& help);
  /// One of `choices`, without regard to case.
  void choice(const std::string& name, std::string& target, const std::vector<std::string>& choices,
              const std::string& help);
  void flag(const std::string& name, bool& target, const std::string& help);

  /// An option of another tool, which this one refuses with a reason: "decks are solved on one rank".
  void refuse(const std::string& name, const std::string& reason);

  /// Parses the arguments; those that begin with `--kokkos-` are Kokkos' own and skipped. An option may be
  /// repeated with the same value, those of `texts` with others.
  /// \throws ArgumentError, and what io::check_outputs throws of the files
  void parse(int argc, char** argv);

  /// Names of the options declared so far.
  std::vector<std::string> names() const;

  /// Whether the parsed arguments held an option.
  bool given(const std::string& name) const;

  /// Refuses `others` beside an option that makes them meaningless.
  /// \throws ArgumentError if `name` and one of `others` were given
  void exclude(const std::string& name, const std::vector<std::string>& others) const;

  /// Refuses all options beside one, but for those that go with it. \throws ArgumentError as `exclude`
  void exclude_all_but(const std::string& name, const std::vector<std::string>& allowed) const;

  /// Refuses an option that means nothing alone.
  /// \throws ArgumentError if `name` was given without `needed`
  void require(const std::string& name, const std::string& needed) const;

  /// Usage and all options.
  std::string help() const;

private:
  struct Option {
    std::string name, value_name, help;
    std::function<void(const std::string&)> set;
    bool repeats = false; ///< with another value
  };
  struct File {
    std::string name;
    const std::string& path;
  };
  void check_files() const;
  void note(const Option& option, const std::string& value);
  void add(const std::string& name, const std::string& value_name, const std::string& help,
           std::function<void(const std::string&)> set);

  std::string usage_;
  std::vector<Option> options_;
  std::vector<File> inputs_, outputs_;
  std::map<std::string, std::string> refused_; ///< name, reason
  std::map<std::string, std::string> given_;   ///< name, value
};

/// Parts of a comma-separated list. \throws ArgumentError naming `what` for an empty part
std::vector<std::string> split(const std::string& text, char separator, const std::string& what);

/// The wanted names as they are known, without regard to case, or all that are known for "all".
/// \throws ArgumentError for a name that is not known, listing those that are; `what` says of what
std::vector<std::string> choose(const std::vector<std::string>& wanted, const std::vector<std::string>& known,
                                const std::string& what);

/// A finite number. \throws ArgumentError naming `what`
double to_number(const std::string& text, const std::string& what);

} // namespace tessera::tools
