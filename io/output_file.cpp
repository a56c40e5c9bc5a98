// SPDX-License-Identifier: BSD-3-Clause
#include <tessera/core/error.hpp>
#include <tessera/io/output_file.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <optional>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace tessera::io {

namespace {

namespace fs = std::filesystem;

/// The names of unfinished files where a signal's handler can read them.
class Unfinished {
public:
  /// Files beyond the list's room stay behind if a signal comes.
  static void add(const std::string& name) {
    if (name.size() >= PATH_MAX) return;
    for (Entry& entry : entries_)
      if (State free = State::free; entry.state.compare_exchange_strong(free, State::claimed)) {
        std::memcpy(entry.name, name.c_str(), name.size() + 1);
        entry.state = State::set;
        return;
      }
  }

  static void remove(const std::string& name) noexcept {
    for (Entry& entry : entries_)
      if (entry.state == State::set && name == entry.name) {
        entry.state = State::free;
        return;
      }
  }

  /// What a signal does: nothing but calls that are safe in a handler.
  static void handle(int signal) {
    for (Entry& entry : entries_)
      if (entry.state == State::set) ::unlink(entry.name);
    ::signal(signal, SIG_DFL);
    ::raise(signal);
  }

private:
  enum class State { free, claimed, set };
  struct Entry {
    std::atomic<State> state{State::free};
    char name[PATH_MAX];
  };
  static_assert(std::atomic<State>::is_always_lock_free);
  static std::array<Entry, 16> entries_;
};

std::array<Unfinished::Entry, 16> Unfinished::entries_;

std::optional<struct stat> status_of(const std::string& path) {
  struct stat status{};
  if (::stat(path.c_str(), &status) != 0) return std::nullopt;
  return status;
}

bool same(const struct stat& a, const struct stat& b) { return a.st_dev == b.st_dev && a.st_ino == b.st_ino; }

/// Which of this process's streams a file is, -1 if none.
int standard_stream(const struct stat& file) {
  for (const int stream : {STDOUT_FILENO, STDERR_FILENO})
    if (struct stat status{}; ::fstat(stream, &status) == 0 && same(file, status)) return stream;
  return -1;
}

/// Where symbolic links lead, to a file that need not be there.
std::string followed(const std::string& path) {
  constexpr int most_links = 40; // as Linux
  fs::path at = path;
  std::error_code error;
  for (int link = 0; link < most_links && fs::is_symlink(fs::symlink_status(at, error)); ++link) {
    const fs::path target = fs::read_symlink(at, error);
    at = target.is_absolute() ? target : at.parent_path() / target;
  }
  return at.string();
}

std::string folder_of(const std::string& path) {
  const fs::path folder = fs::path(path).parent_path();
  return folder.empty() ? "." : folder.string();
}

[[noreturn]] void refuse(const std::string& path, int error) {
  throw FileError(path, 0, std::string("cannot be written: ") + std::strerror(error));
}

} // namespace

OutputFile::OutputFile(const std::string& path) : path_(path) {
  if (const auto status = status_of(path)) {
    if (S_ISDIR(status->st_mode)) refuse(path, EISDIR);
    if (const int stream = standard_stream(*status); stream >= 0) into_ = ::fcntl(stream, F_DUPFD_CLOEXEC, 0);
    if (into_ < 0 && ::access(path.c_str(), W_OK) != 0) refuse(path, errno);
    if (into_ < 0 && !S_ISREG(status->st_mode)) {
      into_ = ::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY);
      if (into_ < 0) refuse(path, errno);
    }
    make_part(status->st_mode & 07777);
  } else {
    make_part(0);
  }
}

OutputFile::~OutputFile() {
  remove_part();
  if (into_ >= 0) ::close(into_);
}

void OutputFile::make_part(unsigned permissions) {
  int descriptor = -1;
  if (into_ >= 0) {
    std::error_code error;
    part_ = (fs::temp_directory_path(error) / "tessera-XXXXXX").string();
    errno = error.value();
    if (!error) descriptor = ::mkostemp(part_.data(), O_CLOEXEC);
  } else {
    target_ = followed(path_);
    part_ = target_ + "." + std::to_string(::getpid()) + ".part";
    std::remove(part_.c_str());
    descriptor = ::open(part_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  }
  if (descriptor < 0) {
    const int error = errno;
    if (into_ >= 0) ::close(into_);
    refuse(path_, error);
  }
  Unfinished::add(part_);
  // Best effort, as cp does it: a file system may have no permissions.
  if (into_ < 0 && permissions != 0) static_cast<void>(::fchmod(descriptor, permissions));
  ::close(descriptor);
}

void OutputFile::complete(std::string_view last) {
  const int part = ::open(part_.c_str(), O_RDONLY | O_CLOEXEC);
  if (part < 0) fail(std::strerror(errno));
  std::string found(last.size(), '\0');
  // Writers may not look whether their last buffer reached the file.
  const bool whole = ::lseek(part, -static_cast<off_t>(last.size()), SEEK_END) >= 0 &&
                     ::read(part, found.data(), found.size()) == static_cast<ssize_t>(found.size()) &&
                     found == last;
  const int error = whole && into_ < 0 && ::fsync(part) != 0 ? errno : 0;
  ::close(part);
  if (!whole) fail("the end of the file is missing; is the disk full?");
  if (error != 0) fail(std::strerror(error));
}

void OutputFile::appear() {
  int error = 0;
  if (into_ >= 0)
    error = send();
  else if (std::rename(part_.c_str(), target_.c_str()) != 0)
    error = errno;
  if (error != 0) fail(std::strerror(error));
  remove_part();
}

void OutputFile::remove_old() {
  if (into_ < 0 && std::remove(target_.c_str()) != 0 && errno != ENOENT) fail(std::strerror(errno));
}

int OutputFile::send() {
  const int part = ::open(part_.c_str(), O_RDONLY | O_CLOEXEC);
  if (part < 0) return errno;
  std::array<char, 1 << 16> buffer;
  int error = 0;
  while (error == 0) {
    const ssize_t got = ::read(part, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) error = errno;
    if (got <= 0) break;
    for (ssize_t sent = 0; sent < got && error == 0;) {
      const ssize_t now = ::write(into_, buffer.data() + sent, static_cast<std::size_t>(got - sent));
      if (now < 0 && errno != EINTR) error = errno;
      sent += std::max<ssize_t>(now, 0);
    }
  }
  ::close(part);
  if (error != 0) return error;
  return ::close(std::exchange(into_, -1)) == 0 ? 0 : errno;
}

void OutputFile::remove_part() noexcept {
  if (part_.empty()) return;
  std::remove(part_.c_str());
  Unfinished::remove(part_);
  part_.clear();
}

void OutputFile::fail(const std::string& why) {
  remove_part();
  throw FileError(path_, 0, "cannot be written: " + why);
}

void write_content(OutputFile& file, std::string_view content) {
  std::FILE* const stream = std::fopen(file.name().c_str(), "w");
  if (stream == nullptr) file.fail(std::strerror(errno));
  const bool written = std::fwrite(content.data(), 1, content.size(), stream) == content.size();
  const int write_error = errno;
  if (std::fclose(stream) != 0) file.fail(std::strerror(errno));
  if (!written) file.fail(std::strerror(write_error));
  file.complete(content.substr(content.size() - std::min<std::size_t>(content.size(), 16)));
}

void write_file(const std::string& path, std::string_view content) {
  OutputFile file(path);
  write_content(file, content);
  file.appear();
}

void remove_unfinished_files_on_signals() {
  for (const int signal : {SIGHUP, SIGINT, SIGTERM, SIGPIPE, SIGXCPU}) {
    struct sigaction action{};
    if (::sigaction(signal, nullptr, &action) != 0 || action.sa_handler != SIG_DFL) continue;
    action.sa_handler = Unfinished::handle;
    ::sigaction(signal, &action, nullptr);
  }
}

namespace {

/// Whether two paths lead to one file that would be replaced.
bool one_file(const std::string& a, const std::string& b) {
  const auto status_a = status_of(a), status_b = status_of(b);
  if (status_a && status_b) return S_ISREG(status_a->st_mode) && same(*status_a, *status_b);
  if (status_a || status_b) return false;
  // Names that nothing bears are canonical relative to the current folder or not, as they are spelt.
  const auto canonical = [](const std::string& path) {
    std::error_code error;
    return fs::weakly_canonical(fs::absolute(followed(path), error), error);
  };
  return canonical(a) == canonical(b);
}

void require_writable(const NamedPath& output) {
  const auto fail = [&](int error) { refuse(output.name + " " + output.path, error); };
  if (const auto status = status_of(output.path)) {
    if (S_ISDIR(status->st_mode)) fail(EISDIR);
    if (standard_stream(*status) >= 0) return;
    if (::access(output.path.c_str(), W_OK) != 0) fail(errno);
    if (!S_ISREG(status->st_mode)) return;
  }
  if (::access(folder_of(followed(output.path)).c_str(), W_OK | X_OK) != 0) fail(errno);
}

} // namespace

void check_outputs(const std::vector<NamedPath>& inputs, const std::vector<NamedPath>& outputs) {
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const NamedPath& output = outputs[i];
    for (const NamedPath& input : inputs)
      if (one_file(input.path, output.path))
        throw ArgumentError(output.name + " " + output.path + " would replace the input " + input.name + " " +
                            input.path);
    for (std::size_t other = 0; other < i; ++other)
      if (one_file(outputs[other].path, output.path))
        throw ArgumentError(outputs[other].name + " and " + output.name + " both name " + output.path);
    require_writable(output);
  }
}

} // namespace tessera::io
