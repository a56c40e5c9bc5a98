// SPDX-License-Identifier: BSD-3-Clause
#include "support/report/report.hpp"

#include <tessera/core/error.hpp>
#include <tessera/io/output_file.hpp>

#include <array>
#include <cerrno>
#include <csignal>
#include <limits.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

namespace tessera::tools {

namespace {

/// report.py beside the installed tool, else beside its source.
std::string find_script() {
  std::error_code error;
  const std::filesystem::path tool = std::filesystem::read_symlink("/proc/self/exe", error);
  const std::filesystem::path installed = tool.parent_path().parent_path() / "share/tessera/report.py";
  for (const auto& candidate : {installed, std::filesystem::path(TESSERA_REPORT_SCRIPT)})
    if (std::filesystem::exists(candidate, error)) return candidate.string();
  throw UnsupportedError("--report: report.py is neither at " + installed.string() +
                         " nor at " TESSERA_REPORT_SCRIPT);
}

/// What a signal has to end and to remove; a handler may read nothing else. One report at a time.
constexpr std::array<int, 3> ending_signals{SIGHUP, SIGINT, SIGTERM};
std::array<struct sigaction, ending_signals.size()> earlier_actions;
volatile sig_atomic_t script = 0; // process
char folder_of_parts[PATH_MAX] = "";

/// Ends report.py, removes the folder, and does what the signal did before.
void end_report(int signal) {
  if (script > 0) ::kill(static_cast<pid_t>(script), SIGTERM);
  if (const pid_t remover = ::vfork(); remover == 0) {
    ::execl("/bin/rm", "rm", "-rf", "--", folder_of_parts, static_cast<char*>(nullptr));
    ::_exit(1);
  } else if (remover > 0) {
    while (::waitpid(remover, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  for (std::size_t i = 0; i < ending_signals.size(); ++i)
    if (ending_signals[i] == signal) ::sigaction(signal, &earlier_actions[i], nullptr);
  ::raise(signal); // delivered when this handler returns
}

bool plain(const std::string& text) {
  return !text.empty() &&
         text.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_-+=./:,@%") == std::string::npos;
}

} // namespace

std::string command_line(int argc, char** argv) {
  std::string line;
  for (int i = 0; i < argc; ++i) {
    std::string word = argv[i];
    if (i == 0) word = std::filesystem::path(word).filename().string();
    if (!plain(word)) {
      std::string quoted;
      for (const char c : word) quoted += c == '\'' ? "'\\''" : std::string(1, c);
      word = '\'' + quoted + '\'';
    }
    line += (i == 0 ? "" : " ") + word;
  }
  return line;
}

Report::Report(const std::string& path) : path_(path) {
  if (!path.ends_with(".html")) throw ArgumentError("--report: expected FILE.html, got '" + path + "'");
  script_ = find_script();
  if (run({"--check"}) != 0)
    throw UnsupportedError("--report needs python3 with matplotlib (Debian's python3-matplotlib)");
  std::string folder = (std::filesystem::temp_directory_path() / "tessera-report-XXXXXX").string();
  if (::mkdtemp(folder.data()) == nullptr) throw FileError(folder, 0, "cannot be made");
  folder_ = folder;
  folder.copy(folder_of_parts, sizeof folder_of_parts - 1);
  struct sigaction action = {};
  action.sa_handler = end_report;
  for (std::size_t i = 0; i < ending_signals.size(); ++i) {
    ::sigaction(ending_signals[i], nullptr, &earlier_actions[i]);
    if (earlier_actions[i].sa_handler != SIG_IGN) ::sigaction(ending_signals[i], &action, nullptr);
  }
}

Report::~Report() {
  for (std::size_t i = 0; i < ending_signals.size(); ++i)
    ::sigaction(ending_signals[i], &earlier_actions[i], nullptr);
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

void Report::write(const std::string& json, const std::string& picture, const std::string& command) const {
  std::vector<std::string> parts{"compare:" + json + ':' + command};
  if (!picture.empty()) parts.push_back("picture:" + picture + ":The mesh and its sets");
  write_parts("Tessera: assembly strategies compared", parts);
}

void Report::write_parts(const std::string& title, const std::vector<std::string>& parts) const {
  io::OutputFile page(path_);
  std::vector<std::string> arguments{"--html", page.name(), "--title", title};
  arguments.insert(arguments.end(), parts.begin(), parts.end());
  if (run(arguments) != 0) page.fail("report.py failed");
  page.finish("</html>\n");
}

int Report::run(const std::vector<std::string>& arguments) const {
  std::vector<std::string> words{"python3", script_};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  pid_t child = 0;
  if (::posix_spawnp(&child, "python3", nullptr, nullptr, pointers.data(), environ) != 0) return -1;
  script = child;
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  script = 0;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

} // namespace tessera::tools
