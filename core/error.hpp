// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// The exceptions of the library. Every public entry point does what it says or throws one of these;
/// the message names the culprit (file and line, element, node, option) and what was expected.

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace tessera {

/// Base of every exception that the library throws.
class Error : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// An argument or option outside its range, an unknown name, or views of inconsistent extents.
class ArgumentError : public Error {
public:
  using Error::Error;
};

/// A mesh that cannot be used: index out of range, repeated node, non-finite coordinate, inverted element.
class MeshError : public Error {
public:
  using Error::Error;
};

/// A MeshError for one element, with the mesh's numbers, which whoever made the mesh can turn into its own.
class ElementError : public MeshError {
public:
  /// \param problem what follows the element, e.g. "is flat or inverted"
  ElementError(std::int32_t element, std::vector<std::int32_t> nodes, std::string problem)
      : MeshError("element " + std::to_string(element) + " (nodes" + listed(nodes) + ") " + problem),
        element_(element), nodes_(std::move(nodes)), problem_(std::move(problem)) {}

  std::int32_t element() const noexcept { return element_; }
  const std::vector<std::int32_t>& nodes() const noexcept { return nodes_; }
  const std::string& problem() const noexcept { return problem_; }

private:
  static std::string listed(const std::vector<std::int32_t>& nodes) {
    std::string list;
    for (const std::int32_t node : nodes) list += ' ' + std::to_string(node);
    return list;
  }

  std::int32_t element_;
  std::vector<std::int32_t> nodes_;
  std::string problem_;
};

/// An ElementError for an element with the corners of an earlier one, so that both would count.
class RepeatedElementError : public ElementError {
public:
  RepeatedElementError(std::int32_t element, std::vector<std::int32_t> nodes, std::int32_t earlier)
      : ElementError(element, std::move(nodes), "repeats element " + std::to_string(earlier) + counts),
        earlier_(earlier) {}

  std::int32_t earlier() const noexcept { return earlier_; }

  /// What follows the name of the earlier element.
  static constexpr const char* counts = ": its corners are the same, and both would count; keep one of them";

private:
  std::int32_t earlier_;
};

/// A form whose coefficients are not finite or not in their physical range.
class FormError : public Error {
public:
  using Error::Error;
};

/// A valid request that this strategy, element or device cannot serve; the message holds the numbers.
class UnsupportedError : public Error {
public:
  using Error::Error;
};

/// An iteration that cannot go on: breakdown, indefinite matrix, non-finite residual.
class SolverError : public Error {
public:
  using Error::Error;
};

/// A device or host allocation that failed; the message holds the bytes wanted.
class OutOfMemoryError : public Error {
public:
  using Error::Error;
};

/// A file that cannot be read or written. `line` is 1-based; 0 where the file has no lines or none applies.
class FileError : public Error {
public:
  FileError(std::string file, std::size_t line, const std::string& what)
      : Error(line == 0 ? file + ": " + what : file + ":" + std::to_string(line) + ": " + what),
        file_(std::move(file)), line_(line) {}

  const std::string& file() const noexcept { return file_; }
  std::size_t line() const noexcept { return line_; }

private:
  std::string file_;
  std::size_t line_;
};

} // namespace tessera
