// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Buffered reading of a file's words, lines, numbers and raw bytes, with errors that name the file and the
/// line.

#include <tessera/core/error.hpp>
#include <tessera/core/types.hpp>
#include <tessera/io/detail/text.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>

namespace tessera::io {

/// Called while a file is read, with the fraction that has been read so far, 0 to 1.
using Progress = std::function<void(double)>;

/// Called with a sentence on what a reader did to a mesh.
using Listener = std::function<void(const std::string&)>;

/// Options of every reader.
struct ReadOptions {
  Progress progress{}; ///< called about once for each megabyte; may be empty
  /// Leaves out what cannot be taken: cells of a kind that the reader does not know or that is not asked for,
  /// what sets have of them, side sets of which some sides are sides of no cell, which are then sets of nodes
  /// only, and Exodus' side sets with faces of shells that lie on no solid.
  bool allow_partial = false;
  /// Where it is given, cells whose nodes are numbered the other way round are turned (see turn_cells), and
  /// it is called with a sentence that says how many; where it is empty, the mesh of such cells is refused.
  Listener turned{};
  /// The same for cells that name nodes twice, as a hexahedron that is a wedge (see collapse_cells).
  Listener collapsed{};
  /// Called with a sentence for all that is left out. Where it is given, what is no part of a mesh of solids
  /// or plane cells is left out without `allow_partial` too: elements without a volume such as springs, and
  /// faces and edges of shells in surfaces and side sets.
  Listener left_out{};

  /// Whether what stands beside the cells of a mesh is left out.
  bool leaves_out_others() const { return allow_partial || left_out; }
};

/// A file that is read once from its start to its end through a buffer of one megabyte, so that reading costs
/// no memory of the file's size. Numbers are converted with std::from_chars, which does not depend on the
/// locale.
class InputFile {
public:
  /// \throws FileError if the file cannot be opened or is not a regular file; a FIFO is not waited for
  explicit InputFile(std::string path, Progress progress = {});

  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  const std::string& path() const noexcept { return path_; }

  /// Line of the last word, number or line that was read, 1-based.
  std::size_t line() const noexcept { return item_line_; }

  /// Throws FileError at line().
  [[noreturn]] void fail(const std::string& what) const { throw FileError(path_, item_line_, what); }

  /// Bytes that have not been read yet; an upper bound for everything that the file can still hold.
  std::uint64_t remaining() const noexcept { return unread_ + static_cast<std::uint64_t>(end_ - cursor_); }

  /// Bytes of the file before the reading position.
  std::uint64_t position() const noexcept { return size_ - remaining(); }

  /// Goes on at the start of a line, whose number is `line`, where position() was `position`.
  void go_to(std::uint64_t position, std::size_t line);

  /// The next line without its end ("\n" or "\r\n"), valid until the next call; false at the end of the file.
  bool next_line(std::string_view& line);

  /// Whether the last line that next_line gave has an end.
  bool line_ended() const noexcept { return line_ended_; }

  /// \throws FileError if the last line that next_line gave has no end, as where a file has been cut short
  void require_line_end() const;

  /// The next word, which ends at white space, valid until the next call; empty at the end of the file.
  std::string_view word();

  /// What is left of the current line, valid until the next call.
  std::string_view rest_of_line();

  /// Passes over the end of the current line, before which only spaces may stand; raw bytes may follow.
  void end_line();

  /// The next word as an integer. `what` names it in the error that is thrown if it is not one.
  std::int64_t integer(const char* what);

  /// The next word as a finite number; underflow gives zero.
  double real(const char* what);

  /// The next sizeof(T) bytes as a value in this machine's byte order.
  template <class T>
  T raw(const char* what) {
    static_assert(std::is_trivially_copyable_v<T>);
    if (!ensure(sizeof(T))) fail_short(what);
    T value;
    std::memcpy(&value, cursor_, sizeof(T));
    cursor_ += sizeof(T);
    return value;
  }

  /// Passes over everything up to and with the next occurrence of `mark` (at most 256 characters), in binary
  /// as in text; false if there is none.
  bool skip_past(std::string_view mark);

private:
  struct Closer {
    void operator()(int* descriptor) const noexcept;
  };

  /// Makes at least `bytes` bytes contiguous in the buffer, growing it if it must; false if the file has
  /// fewer left.
  bool ensure(std::size_t bytes) {
    return static_cast<std::size_t>(end_ - cursor_) >= bytes || refill(bytes);
  }
  bool refill(std::size_t bytes);
  void skip_space();
  bool word_ends(const char* stop) const noexcept;
  [[noreturn]] void fail_short(const char* what) const;
  [[noreturn]] void fail_number(const char* what, const char* kind);

  std::string path_;
  Progress progress_;
  std::unique_ptr<int, Closer> descriptor_;
  std::unique_ptr<char[]> buffer_;
  std::size_t capacity_ = 0;
  const char* cursor_ = nullptr;
  const char* end_ = nullptr;
  std::uint64_t size_ = 0;   ///< bytes of the file
  std::uint64_t unread_ = 0; ///< bytes not yet in the buffer
  std::size_t line_ = 1;     ///< line of cursor_
  std::size_t item_line_ = 1;
  bool line_ended_ = true;
};

} // namespace tessera::io
