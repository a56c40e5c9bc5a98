#include "support/report.hpp"

#include <tessera/core/error.hpp>
#include <tessera/io/output_file.hpp>

#include <cerrno>
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
}

Report::~Report() {
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

void Report::write(const std::string& json, const std::string& picture, const std::string& command) const {
  io::OutputFile page(path_);
  std::vector<std::string> arguments{"--html", page.name(), "--title",
                                     "Tessera: assembly strategies compared",
                                     "compare:" + json + ':' + command};
  if (!picture.empty()) arguments.push_back("picture:" + picture + ":The mesh and its sets");
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
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

} // namespace tessera::tools
