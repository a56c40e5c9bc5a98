// SPDX-License-Identifier: BSD-3-Clause
// Files that are written whole or not at all, and what must not be replaced by them. Devices and FIFOs are
// the test's own, in its own folder.

#include <tessera/core/error.hpp>
#include <tessera/io/output_file.hpp>
#include <tessera/io/read.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <future>
#include <string>
#include <support/files.hpp>
#include <support/meshes/mesh_samples.hpp>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

namespace io_output_file {

namespace fs = std::filesystem;
using namespace tessera;
using namespace tessera::io;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

std::size_t files_in(const test::TemporaryFolder& folder) {
  return static_cast<std::size_t>(
      std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()));
}

TEST(OutputFile, AppearsWhenItIsComplete) {
  const test::TemporaryFolder folder;
  const std::string path = folder.write("a.txt", "old");
  {
    OutputFile file(path);
    EXPECT_EQ(fs::path(file.name()).parent_path(), folder.path());
    std::ofstream(file.name()) << "new";
    EXPECT_EQ(test::read_file(path), "old");
    file.finish("ew");
    EXPECT_EQ(test::read_file(path), "new");
  }
  EXPECT_EQ(files_in(folder), 1u);
  {
    const OutputFile unfinished(path);
  }
  EXPECT_EQ(test::read_file(path), "new");
  OutputFile cut(path);
  std::ofstream(cut.name()) << "ne";
  EXPECT_THAT([&] { cut.finish("new"); },
              ThrowsMessage<FileError>(
                  path + ": cannot be written: the end of the file is missing; is the disk full?"));
  EXPECT_EQ(files_in(folder), 1u);
}

TEST(OutputFile, KeepsPermissionsAndRespectsThem) {
  const test::TemporaryFolder folder;
  const std::string path = folder.write("a.txt", "old");
  ::chmod(path.c_str(), 0640);
  write_file(path, "new");
  struct stat status{};
  ::stat(path.c_str(), &status);
  EXPECT_EQ(status.st_mode & 07777, 0640u);
  if (::geteuid() == 0) return; // who may write everything
  ::chmod(path.c_str(), 0440);
  EXPECT_THAT([&] { write_file(path, "other"); }, ThrowsMessage<FileError>(HasSubstr("Permission denied")));
  EXPECT_EQ(test::read_file(path), "new");
}

TEST(OutputFile, SymbolicLinksStayAndTheirTargetsAreReplaced) {
  const test::TemporaryFolder folder;
  fs::create_directory(folder.path() / "there");
  folder.write("there/a.txt", "old");
  fs::create_symlink("there/a.txt", folder.path() / "one");
  fs::create_symlink("one", folder.path() / "two");
  fs::create_symlink("there/none.txt", folder.path() / "dangling");
  write_file(folder / "two", "new");
  write_file(folder / "dangling", "made");
  EXPECT_EQ(fs::read_symlink(folder.path() / "two"), "one");
  EXPECT_EQ(fs::read_symlink(folder.path() / "one"), "there/a.txt");
  EXPECT_EQ(test::read_file(folder / "there/a.txt"), "new");
  EXPECT_TRUE(fs::is_symlink(folder.path() / "dangling"));
  EXPECT_EQ(test::read_file(folder / "there/none.txt"), "made");
}

TEST(OutputFile, FifosAreWrittenTo) {
  const test::TemporaryFolder folder;
  const std::string path = folder / "fifo";
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  const std::string content(300000, 'x'); // more than a pipe holds
  std::future<std::string> found = std::async(std::launch::async, [&] { return test::read_file(path); });
  write_file(path, content);
  EXPECT_EQ(found.get(), content);
  EXPECT_TRUE(fs::is_fifo(path));
  EXPECT_EQ(files_in(folder), 1u);
}

TEST(OutputFile, DevicesAreWrittenTo) {
  const test::TemporaryFolder folder;
  const std::string null = folder / "null", full = folder / "full"; // those of Linux by their numbers
  if (::mknod(null.c_str(), S_IFCHR | 0600, makedev(1, 3)) != 0 ||
      ::mknod(full.c_str(), S_IFCHR | 0600, makedev(1, 7)) != 0)
    GTEST_SKIP() << "no device can be made here: " << std::strerror(errno);
  const int opened = ::open(null.c_str(), O_WRONLY);
  if (opened < 0) GTEST_SKIP() << "no device can be used here: " << std::strerror(errno);
  ::close(opened);
  write_file(null, "text");
  EXPECT_THAT([&] { write_file(full, "text"); },
              ThrowsMessage<FileError>(full + ": cannot be written: No space left on device"));
  EXPECT_TRUE(fs::is_character_file(null));
  EXPECT_TRUE(fs::is_character_file(full));
  EXPECT_EQ(files_in(folder), 2u);
}

/// Runs `work` in a child process; its status.
template <class Work>
int in_process(const Work& work) {
  const pid_t child = ::fork();
  if (child == 0) {
    work();
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return status;
}

TEST(OutputFile, StandardOutputIsWrittenTo) {
  const test::TemporaryFolder folder;
  const std::string path = folder / "log";
  in_process([&] {
    ::dup2(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), STDOUT_FILENO);
    static_cast<void>(!::write(STDOUT_FILENO, "before ", 7));
    write_file("/dev/stdout", "content ");
    static_cast<void>(!::write(STDOUT_FILENO, "after", 5));
  });
  EXPECT_EQ(test::read_file(path), "before content after");
}

TEST(OutputFile, SignalsLeaveNothingBehind) {
  const test::TemporaryFolder folder;
  const std::string path = folder.write("a.txt", "old");
  for (const int signal : {SIGTERM, SIGINT, SIGHUP, SIGXCPU}) {
    const int status = in_process([&] {
      remove_unfinished_files_on_signals();
      const OutputFile one(path), two(folder / "b.txt");
      std::raise(signal);
    });
    ASSERT_TRUE(WIFSIGNALED(status));
    EXPECT_EQ(WTERMSIG(status), signal);
    EXPECT_EQ(files_in(folder), 1u);
  }
  EXPECT_EQ(test::read_file(path), "old");
  const int ignored = in_process([&] {
    std::signal(SIGHUP, SIG_IGN); // as nohup does
    remove_unfinished_files_on_signals();
    std::raise(SIGHUP);
  });
  EXPECT_TRUE(WIFEXITED(ignored));
}

TEST(CheckOutputs, InputsAreNoOutputs) {
  const test::TemporaryFolder folder;
  const std::string mesh = folder.write("a.msh", "mesh");
  fs::create_symlink("a.msh", folder.path() / "link");
  fs::create_hard_link(mesh, folder.path() / "hard");
  fs::create_directory(folder.path() / "sub");
  for (const std::string& name : {mesh, folder / "./sub/../a.msh", folder / "link", folder / "hard"})
    EXPECT_THAT([&] { check_outputs({{"--mesh", mesh}}, {{"--output", name}}); },
                ThrowsMessage<ArgumentError>("--output " + name + " would replace the input --mesh " + mesh));
  EXPECT_NO_THROW(check_outputs({{"--mesh", mesh}}, {{"--output", folder / "b.vtu"}}));
  EXPECT_EQ(test::read_file(mesh), "mesh");
}

TEST(CheckOutputs, TwoOutputsAreTwoFiles) {
  const test::TemporaryFolder folder;
  fs::create_symlink("none.json", folder.path() / "link");
  const auto both = [&](const std::string& a, const std::string& b) {
    check_outputs({}, {{"--json", folder / a}, {"--csv", folder / b}});
  };
  for (const auto& [a, b] : {std::pair{"a", "a"}, std::pair{"a", "./a"}, std::pair{"link", "none.json"}})
    EXPECT_THAT([&] { both(a, b); },
                ThrowsMessage<ArgumentError>("--json and --csv both name " + (folder / b)));
  EXPECT_NO_THROW(both("a", "b"));
  const fs::path before = fs::current_path();
  fs::current_path(folder.path());
  EXPECT_THAT([] { check_outputs({}, {{"--json", "a"}, {"--csv", "./a"}}); },
              ThrowsMessage<ArgumentError>("--json and --csv both name ./a"));
  EXPECT_THAT([] { check_outputs({}, {{"--json", "./a"}, {"--csv", "a"}}); },
              ThrowsMessage<ArgumentError>("--json and --csv both name a"));
  fs::current_path(before);
  ASSERT_EQ(::mkfifo((folder / "fifo").c_str(), 0600), 0);
  EXPECT_NO_THROW(both("fifo", "fifo"));
}

TEST(CheckOutputs, PlacesThatCannotBeWrittenAreToldBeforeAnyWork) {
  const test::TemporaryFolder folder;
  const std::string nowhere = folder / "none/a.vtu", taken = folder.path().string();
  EXPECT_THAT(
      [&] { check_outputs({}, {{"--output", nowhere}}); },
      ThrowsMessage<FileError>("--output " + nowhere + ": cannot be written: No such file or directory"));
  EXPECT_THAT([&] { check_outputs({}, {{"--output", taken}}); },
              ThrowsMessage<FileError>("--output " + taken + ": cannot be written: Is a directory"));
}

TEST(CheckOutputs, AMeshIsAllFilesThatItIsReadFrom) {
  const test::TemporaryFolder folder;
  const std::string deck = folder.write("a.inp", "*INCLUDE, INPUT=nodes.inc\n*ELEMENT, TYPE=CPS3\n1,1,2,3\n");
  const std::string nodes = folder.write("nodes.inc", "*NODE\n1\n2,1\n3,0,1\n");
  EXPECT_THAT(files_of_mesh(deck), ElementsAre(deck, nodes));
  const std::string tetgen = folder.write("t.ele", test::tetgen_tetrahedra);
  EXPECT_THAT(files_of_mesh(tetgen),
              ElementsAre(folder / "t.node", tetgen, folder / "t.face", folder / "t.edge"));
  EXPECT_THAT(files_of_mesh(folder / "none.msh"), ElementsAre(folder / "none.msh"));
}

} // namespace io_output_file
