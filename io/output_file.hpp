// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Files that appear under their name when they are complete, and the way to everything that is no file.

#include <string>
#include <string_view>
#include <vector>

namespace tessera::io {

/// A file in the making. What is to be a regular file is written beside it, under a name that ends in
/// `.part`, and takes its place when it is complete: a symbolic link stays and its target is replaced, whose
/// permissions the new file gets. Devices, FIFOs and what this process has as its standard output are not
/// replaced: what is written goes to a temporary file first, and into them when it is complete.
class OutputFile {
public:
  /// Makes an empty file to be written. \throws FileError
  explicit OutputFile(const std::string& path);
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  /// Removes the file unless it has been finished.
  ~OutputFile();

  /// The name to write under.
  const std::string& name() const noexcept { return part_; }

  /// Checks that the file ends in `last` and is on the disk. \throws FileError
  void complete(std::string_view last);

  /// Gives a complete file its name, or sends it to where it belongs. \throws FileError
  void appear();

  /// Both. \throws FileError
  void finish(std::string_view last) {
    complete(last);
    appear();
  }

  /// Removes what bears the name now, if it is to be replaced: nobody shall take it for what `appear` brings.
  /// \throws FileError
  void remove_old();

  /// Removes the file. \throws FileError with the reason
  [[noreturn]] void fail(const std::string& why);

private:
  void make_part(unsigned permissions);
  int send();
  void remove_part() noexcept;

  std::string path_;   ///< as it was given
  std::string target_; ///< what is replaced
  std::string part_;
  int into_ = -1; ///< descriptor of what is written to and not replaced
};

/// Writes a file's content and completes it. \throws FileError
void write_content(OutputFile& file, std::string_view content);

/// Writes a file whole or not at all, as OutputFile does. \throws FileError
void write_file(const std::string& path, std::string_view content);

/// From now on a signal that ends this process (SIGHUP, SIGINT, SIGTERM, SIGPIPE or SIGXCPU, unless it is
/// ignored or has a handler) removes the unfinished files of OutputFile first. For the main function of a
/// program; the library does not touch signals by itself.
void remove_unfinished_files_on_signals();

/// A file of a command line: what its user calls it, such as `--mesh`, and its path.
struct NamedPath {
  std::string name;
  std::string path;
};

/// To be called before any work: that it will be possible to write the outputs, and that they harm nothing.
/// Files are compared by what they are, whatever names and links lead to them; devices and FIFOs may be named
/// twice. \throws ArgumentError if an output is an input or another output. \throws FileError if an output is
/// a folder, its folder is missing, or it may not be written
void check_outputs(const std::vector<NamedPath>& inputs, const std::vector<NamedPath>& outputs);

} // namespace tessera::io
