#include <tessera/core/error.hpp>
#include <tessera/io/mesh_transfer.hpp>
#include <tessera/io/vtk_child.hpp>

#include <vtkSMPTools.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <mutex>
#include <new>
#include <stdexcept>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

namespace tessera::io {

namespace {

enum class Message : char { progress, refusal, mesh };

/// The child's end of the pipe.
class Sender {
public:
  static constexpr bool sends = true;

  explicit Sender(int descriptor) : descriptor_(descriptor) {}

  void bytes(const void* data, std::size_t size) const {
    const char* next = static_cast<const char*>(data);
    while (size > 0) {
      const ssize_t written = ::write(descriptor_, next, size);
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) ::_exit(1); // nobody listens any more
      next += written;
      size -= static_cast<std::size_t>(written);
    }
  }

private:
  int descriptor_;
};

/// This process's end.
class Receiver {
public:
  static constexpr bool sends = false;

  Receiver(int descriptor, std::uint64_t most) : descriptor_(descriptor), most_(most) {}

  /// Thrown when the child ends before it has sent all, or sends what it cannot hold.
  struct Ended {};

  void bytes(void* data, std::size_t size) const {
    char* next = static_cast<char*>(data);
    while (size > 0) {
      const ssize_t got = ::read(descriptor_, next, size);
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) throw Ended{};
      next += got;
      size -= static_cast<std::size_t>(got);
    }
  }

  void require_room(std::uint64_t count, std::size_t item) const {
    if (count > most_ / item) throw Ended{};
  }

private:
  int descriptor_;
  std::uint64_t most_;
};

struct Bounds {
  std::uint64_t memory; ///< bytes
  unsigned processor;   ///< seconds
  unsigned clock;       ///< seconds

  explicit Bounds(std::uint64_t file_size)
      : memory((std::uint64_t{1} << 30) + 256 * file_size),
        processor(static_cast<unsigned>(3 + file_size / 1000000)), clock(6 * processor) {}
};

/// Bytes of address space that this process has.
std::uint64_t address_space() {
  std::uint64_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

void lower_limit(int resource, rlim_t value) {
  struct rlimit limit{};
  if (::getrlimit(resource, &limit) != 0) return;
  limit.rlim_cur = std::min(limit.rlim_cur, value); // RLIM_INFINITY is the largest number
  ::setrlimit(resource, &limit);
}

/// What this process does upon signals is not for the child, which shall end by them without a trace.
void set_up_child(const Bounds& bounds) {
  sigset_t signals;
  ::sigemptyset(&signals);
  for (const int signal : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGPIPE, SIGALRM, SIGXCPU}) {
    ::signal(signal, SIG_DFL);
    ::sigaddset(&signals, signal);
  }
  ::sigprocmask(SIG_UNBLOCK, &signals, nullptr);
  lower_limit(RLIMIT_CORE, 0);
  lower_limit(RLIMIT_CPU, bounds.processor);
  if (const std::uint64_t now = address_space(); now > 0) lower_limit(RLIMIT_AS, now + bounds.memory);
  ::alarm(bounds.clock);
  // Where glibc and HDF5 tell of their end.
  if (const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC); nowhere >= 0)
    ::dup2(nowhere, STDERR_FILENO);
  // The threads of VTK's pools have stayed behind.
  vtkSMPTools::SetBackend("Sequential");
}

/// All that the child does. noexcept: nothing may unwind into what was this process's stack.
[[noreturn]] void run_child(const Sender& sender, const std::string& path, bool wants_progress,
                            MeshData (*read)(const std::string&, const ReadOptions&)) noexcept {
  const auto refuse = [&](std::string what) {
    Message message = Message::refusal;
    transfer(sender, message);
    transfer(sender, what);
  };
  ReadOptions options;
  if (wants_progress)
    options.progress = [&](double fraction) {
      Message message = Message::progress;
      transfer(sender, message);
      transfer(sender, fraction);
    };
  try {
    MeshData data = read(path, options);
    Message message = Message::mesh;
    transfer(sender, message);
    transfer(sender, data);
  } catch (const FileError& error) {
    refuse(error.what() + path.size() + 2); // the constructor of FileError puts "path: " before it again
  } catch (const std::bad_alloc&) {
    refuse("promises more than memory can hold");
  } catch (const std::length_error&) {
    refuse("promises more than memory can hold");
  }
  ::_exit(0); // without what this process wants done at its end, and without its unwritten output
}

/// A child process and the pipe from it.
class Child {
public:
  /// Forks; the child runs `work` with the pipe's other end.
  template <class Work>
  Child(const std::string& path, const Work& work) : path_(path) {
    // Two at a time would inherit each other's ends, and see no end of file when a child crashes.
    static std::mutex one_at_a_time;
    const std::lock_guard lock(one_at_a_time);
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) fail();
    process_ = ::fork();
    const int error = errno;
    if (process_ == 0) {
      ::close(ends[0]);
      work(Sender(ends[1]));
    }
    ::close(ends[1]);
    descriptor_ = ends[0];
    if (process_ > 0) return;
    ::close(descriptor_);
    errno = error;
    fail();
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() {
    ::close(descriptor_);
    if (process_ <= 0) return;
    ::kill(process_, SIGKILL);
    wait();
  }

  int descriptor() const noexcept { return descriptor_; }

  /// Waits for the child's end and says what it died of, if it did.
  std::string epitaph(const Bounds& bounds) {
    const int status = wait();
    if (!WIFSIGNALED(status))
      return "VTK gave up reading it (exit status " + std::to_string(WEXITSTATUS(status)) + ")";
    if (WTERMSIG(status) == SIGXCPU)
      return "VTK has not read it within " + std::to_string(bounds.processor) + " s of processor time";
    if (WTERMSIG(status) == SIGALRM)
      return "VTK has not read it within " + std::to_string(bounds.clock) + " s";
    return std::string("VTK's reader crashed on it: ") + ::strsignal(WTERMSIG(status));
  }

private:
  [[noreturn]] void fail() const {
    throw FileError(path_, 0, std::string("no process can be made to read it in: ") + std::strerror(errno));
  }

  int wait() {
    int status = 0; // stays so where the application lets the system wait for all children
    while (::waitpid(process_, &status, 0) < 0 && errno == EINTR) {
    }
    process_ = 0;
    return status;
  }

  const std::string& path_;
  pid_t process_ = 0;
  int descriptor_ = -1;
};

/// Follows the child to its mesh.
MeshData receive(const Receiver& receiver, const std::string& path, const Progress& progress) {
  for (;;) {
    Message message{};
    transfer(receiver, message);
    if (message == Message::progress) {
      double fraction = 0.0;
      transfer(receiver, fraction);
      progress(fraction);
    } else if (message == Message::refusal) {
      std::string what;
      transfer(receiver, what);
      throw FileError(path, 0, what);
    } else {
      MeshData data;
      transfer(receiver, data);
      return data;
    }
  }
}

} // namespace

MeshData read_in_child(const std::string& path, const ReadOptions& options,
                       MeshData (*read)(const std::string&, const ReadOptions&)) {
  // Opened for its size, and its messages about files that are not there or are none.
  const Bounds bounds(InputFile(path).remaining());
  Child child(path, [&](const Sender& sender) {
    set_up_child(bounds);
    run_child(sender, path, options.progress != nullptr, read);
  });
  try {
    return receive({child.descriptor(), bounds.memory}, path, options.progress);
  } catch (const Receiver::Ended&) {
    throw FileError(path, 0, child.epitaph(bounds));
  }
}

} // namespace tessera::io
