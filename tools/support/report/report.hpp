// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Reports of a comparison, made by report.py.

#include <filesystem>
#include <string>
#include <vector>

namespace tessera::tools {

/// A command line as one would type it in a shell.
std::string command_line(int argc, char** argv);

/// A report to be. The texts and pictures that go into it are kept in a temporary folder as long as this
/// object lives.
class Report {
public:
  /// \param path of the page, FILE.html
  /// \throws ArgumentError if the path does not end in .html
  /// \throws UnsupportedError if Python 3, matplotlib or report.py is missing
  explicit Report(const std::string& path);
  Report(const Report&) = delete;
  Report& operator=(const Report&) = delete;
  ~Report();

  /// A file for a part of the report.
  std::string part(const std::string& name) const { return (folder_ / name).string(); }

  /// Writes the page.
  /// \param json file of the comparison
  /// \param picture file with a picture of the mesh, or empty
  /// \param command that repeats the comparison
  /// \throws FileError if report.py fails, which says why itself
  void write(const std::string& json, const std::string& picture, const std::string& command) const;
  /// Writes a page of any parts that report.py knows. \throws as above
  void write_parts(const std::string& title, const std::vector<std::string>& parts) const;

private:
  int run(const std::vector<std::string>& arguments) const;

  std::string path_, script_;
  std::filesystem::path folder_;
};

} // namespace tessera::tools
