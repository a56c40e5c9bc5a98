// SPDX-License-Identifier: BSD-3-Clause
#include <tessera/io/detail/input_file.hpp>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace tessera::io {

namespace {

constexpr std::size_t buffer_size = std::size_t{1} << 20;

constexpr bool is_space(char c) noexcept { return c == ' ' || (c >= '\t' && c <= '\r'); }

/// What is no regular file.
std::string kind_of(mode_t mode) {
  if (S_ISDIR(mode)) return "a folder";
  if (S_ISFIFO(mode)) return "a FIFO";
  if (S_ISSOCK(mode)) return "a socket";
  return "a device";
}

} // namespace

void InputFile::Closer::operator()(int* descriptor) const noexcept {
  ::close(*descriptor);
  delete descriptor;
}

InputFile::InputFile(std::string path, Progress progress)
    : path_(std::move(path)), progress_(std::move(progress)) {
  // Without O_NONBLOCK, opening a FIFO that nobody writes to would wait for ever.
  const int descriptor = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) throw FileError(path_, 0, std::string("cannot be opened: ") + std::strerror(errno));
  descriptor_.reset(new int(descriptor));
  struct stat status{};
  if (::fstat(descriptor, &status) != 0)
    throw FileError(path_, 0, std::string("cannot be examined: ") + std::strerror(errno));
  if (!S_ISREG(status.st_mode)) throw FileError(path_, 0, "is " + kind_of(status.st_mode) + ", not a file");
  size_ = unread_ = static_cast<std::uint64_t>(status.st_size);
  capacity_ =
      static_cast<std::size_t>(std::min<std::uint64_t>(buffer_size, std::max<std::uint64_t>(size_, 1)));
  buffer_ = std::make_unique_for_overwrite<char[]>(capacity_);
  cursor_ = end_ = buffer_.get();
  constexpr std::string_view byte_order_mark = "\xef\xbb\xbf"; // some editors begin a text of UTF-8 with it
  if (ensure(byte_order_mark.size()) && std::string_view(cursor_, byte_order_mark.size()) == byte_order_mark)
    cursor_ += byte_order_mark.size();
}

bool InputFile::refill(std::size_t bytes) {
  const auto kept = static_cast<std::size_t>(end_ - cursor_);
  if (unread_ == 0) return kept >= bytes;
  if (bytes > capacity_) {
    // Only a line longer than the buffer comes here; the file's size bounds it.
    const std::uint64_t wanted =
        std::min<std::uint64_t>(std::max<std::uint64_t>(bytes, 2 * capacity_), kept + unread_);
    auto larger = std::make_unique_for_overwrite<char[]>(static_cast<std::size_t>(wanted));
    std::memcpy(larger.get(), cursor_, kept);
    buffer_ = std::move(larger);
    capacity_ = static_cast<std::size_t>(wanted);
  } else {
    std::memmove(buffer_.get(), cursor_, kept);
  }
  cursor_ = buffer_.get();
  end_ = cursor_ + kept;
  while (unread_ > 0 && end_ < buffer_.get() + capacity_) {
    const auto wanted = static_cast<std::size_t>(
        std::min<std::uint64_t>(static_cast<std::uint64_t>(buffer_.get() + capacity_ - end_), unread_));
    const ssize_t got = ::read(*descriptor_, buffer_.get() + (end_ - buffer_.get()), wanted);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw FileError(path_, 0, std::string("cannot be read: ") + std::strerror(errno));
    if (got == 0) {
      // The file became shorter while it was read.
      size_ -= unread_;
      unread_ = 0;
    }
    end_ += got;
    unread_ -= static_cast<std::uint64_t>(got);
  }
  if (progress_ && size_ > 0) progress_(static_cast<double>(size_ - unread_) / static_cast<double>(size_));
  return static_cast<std::size_t>(end_ - cursor_) >= bytes;
}

void InputFile::go_to(std::uint64_t position, std::size_t line) {
  if (position > size_ || ::lseek(*descriptor_, static_cast<off_t>(position), SEEK_SET) < 0)
    throw FileError(path_, line, "cannot be read from there on");
  cursor_ = end_ = buffer_.get();
  unread_ = size_ - position;
  line_ = item_line_ = line;
  line_ended_ = true;
}

bool InputFile::next_line(std::string_view& line) {
  if (!ensure(1)) return false;
  item_line_ = line_;
  std::size_t searched = 0;
  while (true) {
    const auto available = static_cast<std::size_t>(end_ - cursor_);
    const void* found = std::memchr(cursor_ + searched, '\n', available - searched);
    if (found == nullptr && ensure(available + 1)) {
      searched = available;
      continue;
    }
    const char* stop = found == nullptr ? end_ : static_cast<const char*>(found);
    line = std::string_view(cursor_, static_cast<std::size_t>(stop - cursor_));
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    cursor_ = found == nullptr ? end_ : stop + 1;
    line_ended_ = found != nullptr;
    if (line_ended_) ++line_;
    return true;
  }
}

void InputFile::require_line_end() const {
  if (!line_ended_)
    fail("the file ends in the middle of a line: it may be cut short; if it is not, end the line");
}

void InputFile::skip_space() {
  while (ensure(1)) {
    while (cursor_ < end_ && is_space(*cursor_)) line_ += *cursor_++ == '\n';
    if (cursor_ < end_) break;
  }
  item_line_ = line_;
}

std::string_view InputFile::word() {
  skip_space();
  ensure(longest_word);
  const char* stop = cursor_;
  while (stop < end_ && !is_space(*stop)) ++stop;
  if (stop - cursor_ >= static_cast<std::ptrdiff_t>(longest_word))
    fail("a word of more than " + std::to_string(longest_word - 1) + " characters, " +
         in_quotes({cursor_, longest_word}));
  const std::string_view found(cursor_, static_cast<std::size_t>(stop - cursor_));
  cursor_ = stop;
  return found;
}

std::string_view InputFile::rest_of_line() {
  std::string_view line;
  if (!next_line(line)) return {};
  return line;
}

void InputFile::end_line() {
  while (ensure(1) && is_space(*cursor_))
    if (*cursor_++ == '\n') {
      ++line_;
      return;
    }
  fail("expected the end of the line");
}

bool InputFile::word_ends(const char* stop) const noexcept {
  return stop < end_ ? is_space(*stop) : unread_ == 0;
}

std::int64_t InputFile::integer(const char* what) {
  skip_space();
  ensure(longest_word);
  const char* first = skip_plus(cursor_, end_);
  std::int64_t value = 0;
  const auto [stop, error] = std::from_chars(first, end_, value);
  if (error != std::errc() || !word_ends(stop)) fail_number(what, "an integer");
  cursor_ = stop;
  return value;
}

double InputFile::real(const char* what) {
  skip_space();
  ensure(longest_word);
  const char* first = skip_plus(cursor_, end_);
  double value = 0.0;
  const char* stop = convert(first, end_, value);
  if (stop == nullptr || !word_ends(stop)) fail_number(what, "a finite number");
  cursor_ = stop;
  return value;
}

bool InputFile::skip_past(std::string_view mark) {
  while (ensure(mark.size())) {
    const std::string_view available(cursor_, static_cast<std::size_t>(end_ - cursor_));
    const std::size_t found = available.find(mark);
    // A mark may straddle the end of the buffer: keep its length less one.
    const std::size_t passed =
        found == std::string_view::npos ? available.size() - mark.size() + 1 : found + mark.size();
    line_ += static_cast<std::size_t>(std::count(cursor_, cursor_ + passed, '\n'));
    cursor_ += passed;
    if (found != std::string_view::npos) {
      item_line_ = line_;
      return true;
    }
  }
  cursor_ = end_;
  return false;
}

void InputFile::fail_short(const char* what) const {
  throw FileError(path_, 0,
                  std::string("the file ends where ") + what + " was expected, after " +
                      std::to_string(size_) + " bytes");
}

void InputFile::fail_number(const char* what, const char* kind) {
  const std::string_view found = word();
  if (found.empty()) fail(std::string("the file ends where ") + what + " was expected");
  fail(std::string("expected ") + what + ", " + kind + ", but found " + in_quotes(found));
}

} // namespace tessera::io
