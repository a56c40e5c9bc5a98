// SPDX-License-Identifier: BSD-3-Clause
#include <tessera/core/error.hpp>
#include <tessera/io/detail/mesh_transfer.hpp>
#include <tessera/io/detail/pipe.hpp>
#include <tessera/io/vtk/detail/child.hpp>

#include <vtkSMPTools.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <fstream>
#include <mutex>
#include <new>
#include <poll.h>
#include <stdexcept>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

namespace tessera::io {

namespace {

enum class Message : char {
  progress,
  turned,
  collapsed,
  left_out,
  file_error,
  argument_error,
  unsupported,
  out_of_memory,
  result
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

void set_bounds(const Bounds& bounds) {
  lower_limit(RLIMIT_CPU, bounds.processor);
  if (const std::uint64_t now = address_space(); now > 0) lower_limit(RLIMIT_AS, now + bounds.memory);
  ::alarm(bounds.clock);
}

/// What this process does upon signals is not for the child, which shall end by them, and with this process,
/// without a trace.
void set_up_child() {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  sigset_t signals;
  ::sigemptyset(&signals);
  for (const int signal : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGPIPE, SIGALRM, SIGXCPU}) {
    ::signal(signal, SIG_DFL);
    ::sigaddset(&signals, signal);
  }
  for (const int signal : {SIGHUP, SIGINT, SIGTERM})
    if (::signal(signal, SIG_DFL) == SIG_IGN) ::signal(signal, SIG_IGN);
  ::sigprocmask(SIG_UNBLOCK, &signals, nullptr);
  lower_limit(RLIMIT_CORE, 0);
  // Where glibc and HDF5 tell of their end.
  if (const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC); nowhere >= 0)
    ::dup2(nowhere, STDERR_FILENO);
  // The threads of VTK's pools have stayed behind.
  vtkSMPTools::SetBackend("Sequential");
}

/// All that the child does: `work` and the way of its result. noexcept: nothing may unwind into what was this
/// process's stack.
template <class Work>
[[noreturn]] void run_child(const Sender& sender, const std::string& path, const Work& work) noexcept {
  const auto send = [&](Message message, auto content) {
    transfer(sender, message);
    transfer(sender, content);
  };
  try {
    send(Message::result, work());
  } catch (const FileError& error) {
    // The constructor of FileError puts "path: " before it again.
    send(Message::file_error, std::string(error.what() + path.size() + 2));
  } catch (const ArgumentError& error) {
    send(Message::argument_error, std::string(error.what()));
  } catch (const UnsupportedError& error) {
    send(Message::unsupported, std::string(error.what()));
  } catch (const std::bad_alloc&) {
    send(Message::out_of_memory, std::string());
  } catch (const std::length_error&) {
    send(Message::out_of_memory, std::string());
  }
  ::_exit(0); // without what this process wants done at its end, and without its unwritten output
}

/// A child process and the pipe from it.
class Child {
public:
  /// Forks; the child runs `work` with the pipe's other end. Afterwards `made()` tells whether there is one.
  template <class Work>
  explicit Child(const Work& work) {
    // Two at a time would inherit each other's ends, and see no end of file when a child crashes.
    static std::mutex one_at_a_time;
    const std::lock_guard lock(one_at_a_time);
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return;
    process_ = ::fork();
    const int error = errno;
    if (process_ == 0) {
      ::close(ends[0]);
      set_up_child();
      work(Sender(ends[1]));
    }
    ::close(ends[1]);
    descriptor_ = ends[0];
    errno = error;
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() {
    if (descriptor_ >= 0) ::close(descriptor_);
    if (process_ <= 0) return;
    ::kill(process_, SIGKILL);
    wait();
  }

  /// Whether there is a process; if not, errno says why.
  bool made() const noexcept { return process_ > 0; }
  int descriptor() const noexcept { return descriptor_; }

  /// Waits for the child's first message or its end. False if the child stopped working before: where a
  /// thread cannot be made, graphics libraries can wait for it for ever.
  bool answers() const {
    constexpr int interval = 5000; // milliseconds
    // Two in a row, as the first may have begun before this process itself was stopped.
    for (int idle = 0; idle < 2;) {
      const double before = processor_seconds();
      pollfd message{descriptor_, POLLIN, 0};
      if (::poll(&message, 1, interval) != 0) {
        if (message.revents != 0) return true;
        continue; // a signal
      }
      idle = processor_seconds() > before + 0.01 ? 0 : idle + 1;
    }
    return false;
  }

  /// Waits for the end of the child and returns its status.
  int wait() {
    int status = 0; // stays so where the application lets the system wait for all children
    while (::waitpid(process_, &status, 0) < 0 && errno == EINTR) {
    }
    process_ = 0;
    return status;
  }

private:
  double processor_seconds() const {
    clockid_t clock{};
    timespec time{};
    if (::clock_getcpuclockid(process_, &clock) != 0 || ::clock_gettime(clock, &time) != 0) return 0;
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  }

  pid_t process_ = -1;
  int descriptor_ = -1;
};

/// The listeners of options, with the messages to them.
constexpr std::pair<Message, Listener ReadOptions::*> listeners[] = {
    {Message::turned, &ReadOptions::turned},
    {Message::collapsed, &ReadOptions::collapsed},
    {Message::left_out, &ReadOptions::left_out},
};

/// Follows the child to its result.
template <class Result>
Result receive(const Receiver& receiver, const std::string& path, const ReadOptions& options) {
  for (;;) {
    Message message{};
    transfer(receiver, message);
    if (message == Message::progress) {
      double fraction = 0.0;
      transfer(receiver, fraction);
      options.progress(fraction);
      continue;
    }
    if (message == Message::result) {
      Result result;
      transfer(receiver, result);
      return result;
    }
    std::string what;
    transfer(receiver, what);
    const auto listener = std::find_if(std::begin(listeners), std::end(listeners),
                                       [&](const auto& entry) { return entry.first == message; });
    if (listener != std::end(listeners)) {
      (options.*listener->second)(what);
      continue;
    }
    if (message == Message::argument_error) throw ArgumentError(what);
    if (message == Message::unsupported) throw UnsupportedError(what);
    if (message == Message::out_of_memory) throw std::bad_alloc();
    throw FileError(path, 0, what);
  }
}

/// What a child that was to read died of.
std::string epitaph(int status, const Bounds& bounds) {
  if (!WIFSIGNALED(status))
    return "VTK gave up reading it (exit status " + std::to_string(WEXITSTATUS(status)) + ")";
  if (WTERMSIG(status) == SIGXCPU)
    return "VTK has not read it within " + std::to_string(bounds.processor) + " s of processor time";
  if (WTERMSIG(status) == SIGALRM) return "VTK has not read it within " + std::to_string(bounds.clock) + " s";
  return std::string("VTK's reader crashed on it: ") + ::strsignal(WTERMSIG(status));
}

} // namespace

MeshData read_in_child(const std::string& path, const ReadOptions& options,
                       MeshData (*read)(const std::string&, const ReadOptions&)) {
  // Opened for its size, and its messages about files that are not there or are none.
  const Bounds bounds(InputFile(path).remaining());
  Child child([&](const Sender& sender) {
    set_bounds(bounds);
    ReadOptions in_child = options;
    if (options.progress)
      in_child.progress = [&, last = 0.0](double fraction) mutable {
        if (fraction < last) return; // VTK begins anew for the arrays of the file
        last = fraction;
        Message message = Message::progress;
        transfer(sender, message);
        transfer(sender, fraction);
      };
    for (const auto& [message, listener] : listeners)
      if (options.*listener)
        in_child.*listener = [&sender, message](const std::string& what) {
          Message kind = message;
          std::string sentence = what;
          transfer(sender, kind);
          transfer(sender, sentence);
        };
    run_child(sender, path, [&] { return read(path, in_child); });
  });
  if (!child.made())
    throw FileError(path, 0, std::string("no process can be made to read it in: ") + std::strerror(errno));
  try {
    return receive<MeshData>({child.descriptor(), bounds.memory}, path, options);
  } catch (const Receiver::Ended&) {
    throw FileError(path, 0, epitaph(child.wait(), bounds));
  } catch (const std::bad_alloc&) {
    throw FileError(path, 0, "promises more than memory can hold");
  }
}

std::string draw_in_child(const std::string& function, const std::function<std::string()>& draw) {
  constexpr std::uint64_t largest_picture = std::uint64_t{1} << 32;
  Child child([&](const Sender& sender) { run_child(sender, {}, draw); });
  if (!child.made())
    throw UnsupportedError(function + ": no process can be made to draw in: " + std::strerror(errno));
  if (!child.answers())
    throw UnsupportedError(function + ": VTK cannot draw on this machine, its process waits for ever; "
                                      "is there enough memory?");
  try {
    return receive<std::string>({child.descriptor(), largest_picture}, {}, {});
  } catch (const Receiver::Ended&) {
    const int status = child.wait();
    throw UnsupportedError(function + ": VTK cannot draw on this machine, its process ended with " +
                           (WIFSIGNALED(status) ? std::string("the signal ") + ::strsignal(WTERMSIG(status))
                                                : "status " + std::to_string(WEXITSTATUS(status))) +
                           "; is there enough memory?");
  } catch (const std::bad_alloc&) {
    throw OutOfMemoryError(function + ": memory does not suffice for the picture");
  }
}

} // namespace tessera::io
