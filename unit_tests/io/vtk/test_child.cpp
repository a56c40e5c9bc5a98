// SPDX-License-Identifier: BSD-3-Clause
// Reading in a child process, whatever becomes of it.

#include <gtest/gtest.h>

#ifdef TESSERA_HAVE_VTK

#include <tessera/core/error.hpp>
#include <tessera/io/vtk/detail/child.hpp>

#include <gmock/gmock.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <new>
#include <stdexcept>
#include <string>
#include <support/files.hpp>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace io_vtk_child {

using namespace tessera;
using namespace tessera::io;
using ::testing::AnyOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class VtkChild : public ::testing::Test {
protected:
  /// No child is left, neither running nor waiting to be asked for.
  void TearDown() override {
    EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);
    EXPECT_EQ(errno, ECHILD);
  }

  test::TemporaryFolder folder_;
  std::string path_ = folder_.write("a.vtk", std::string(2000000, ' '));
};

/// Two tetrahedra with every kind of set, numbers with gaps, and a triangle.
MeshData sample(const std::string& path, const ReadOptions& options) {
  if (options.progress)
    for (const double fraction : {0.25, 1.0}) options.progress(fraction);
  MeshData data;
  data.source = path;
  data.points = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 1.5};
  for (const std::int64_t id : {10, 11, 3, 4, 100}) data.node_ids.append(id);
  data.node_ids.build_index();
  CellBlock& tets = data.block({Shape::tetrahedron, 1});
  tets.nodes = {0, 1, 2, 3, 1, 2, 3, 4};
  tets.material = {7, 8};
  for (const std::int64_t id : {5, 2}) tets.ids.append(id);
  tets.cell_sets = {{"all", {{0, 2}}}, {"none", {}}};
  tets.side_sets = {{"wall", {{0, 3}, {1, 2}}}};
  tets.formulations = {{"C3D4", {{1, 1}}}};
  CellBlock& triangles = data.block({Shape::triangle, 1});
  triangles.nodes = {0, 1, 2};
  triangles.material = {0};
  triangles.ids.append(1);
  data.node_sets = {{"corner", {0, 4}}};
  data.material_names = {{7, "steel"}, {8, ""}};
  return data;
}

std::vector<std::int64_t> ids_of(const Numbering& numbering) {
  std::vector<std::int64_t> ids;
  for (Ordinal i = 0; i < numbering.size(); ++i) ids.push_back(numbering.id(i));
  return ids;
}

TEST_F(VtkChild, SendsEveryField) {
  const MeshData found = read_in_child(path_, {}, sample);
  const MeshData mesh = sample(path_, {});
  EXPECT_EQ(found.source, mesh.source);
  EXPECT_EQ(found.points, mesh.points);
  EXPECT_EQ(ids_of(found.node_ids), ids_of(mesh.node_ids));
  EXPECT_EQ(found.node_ids.find(100), 4);
  EXPECT_EQ(found.node_sets, mesh.node_sets);
  EXPECT_EQ(found.material_names, mesh.material_names);
  ASSERT_EQ(found.blocks.size(), mesh.blocks.size());
  for (std::size_t b = 0; b < mesh.blocks.size(); ++b) {
    EXPECT_EQ(found.blocks[b].type, mesh.blocks[b].type);
    EXPECT_EQ(found.blocks[b].nodes, mesh.blocks[b].nodes);
    EXPECT_EQ(found.blocks[b].material, mesh.blocks[b].material);
    EXPECT_EQ(ids_of(found.blocks[b].ids), ids_of(mesh.blocks[b].ids));
    EXPECT_EQ(found.blocks[b].cell_sets, mesh.blocks[b].cell_sets);
    EXPECT_EQ(found.blocks[b].side_sets, mesh.blocks[b].side_sets);
    EXPECT_EQ(found.blocks[b].formulations, mesh.blocks[b].formulations);
  }
}

TEST_F(VtkChild, PassesProgressOn) {
  std::vector<double> fractions;
  read_in_child(path_, {[&](double fraction) { fractions.push_back(fraction); }}, sample);
  EXPECT_THAT(fractions, ElementsAre(0.25, 1.0));
}

TEST_F(VtkChild, EndsWhereProgressThrows) {
  const ReadOptions options{[](double) { throw std::runtime_error("enough"); }};
  EXPECT_THAT([&] { read_in_child(path_, options, sample); }, ThrowsMessage<std::runtime_error>("enough"));
}

TEST_F(VtkChild, PassesRefusalsOn) {
  EXPECT_THAT(
      [&] {
        read_in_child(path_, {}, [](const std::string& path, const ReadOptions&) -> MeshData {
          throw FileError(path, 0, "is no mesh");
        });
      },
      ThrowsMessage<FileError>(path_ + ": is no mesh"));
}

TEST_F(VtkChild, SaysWhatItDiedOf) {
  const auto dies = [&](MeshData (*read)(const std::string&, const ReadOptions&),
                        const std::string& message) {
    EXPECT_THAT([&] { read_in_child(path_, {}, read); }, ThrowsMessage<FileError>(path_ + ": " + message));
  };
  dies(
      [](const std::string&, const ReadOptions&) -> MeshData {
        std::raise(SIGSEGV);
        return {};
      },
      "VTK's reader crashed on it: Segmentation fault");
  dies([](const std::string&, const ReadOptions&) -> MeshData { std::abort(); },
       "VTK's reader crashed on it: Aborted");
  dies([](const std::string&, const ReadOptions&) -> MeshData { throw std::logic_error("not foreseen"); },
       "VTK's reader crashed on it: Aborted");
  dies([](const std::string&, const ReadOptions&) -> MeshData { ::_exit(3); },
       "VTK gave up reading it (exit status 3)");
  // Two megabytes give five seconds.
  dies(
      [](const std::string&, const ReadOptions&) -> MeshData {
        std::raise(SIGXCPU);
        return {};
      },
      "VTK has not read it within 5 s of processor time");
  dies(
      [](const std::string&, const ReadOptions&) -> MeshData {
        std::raise(SIGALRM);
        return {};
      },
      "VTK has not read it within 30 s");
}

/// The bounds that the child runs under, in the message of an exception.
TEST_F(VtkChild, HasBoundsOfTime) {
  EXPECT_THAT(
      [&] {
        read_in_child(path_, {}, [](const std::string& path, const ReadOptions&) -> MeshData {
          struct rlimit processor{};
          ::getrlimit(RLIMIT_CPU, &processor);
          throw FileError(path, 0, std::to_string(processor.rlim_cur) + " " + std::to_string(::alarm(0)));
        });
      },
      ThrowsMessage<FileError>(path_ + ": 5 30"));
}

TEST_F(VtkChild, HasABoundOfMemory) {
  EXPECT_THAT(
      [&] {
        read_in_child(path_, {}, [](const std::string&, const ReadOptions&) {
          MeshData data;
          data.points.resize(std::size_t{1} << 28); // 2 GiB, where 1.5 are allowed
          return data;
        });
      },
      // The address sanitizer's allocator ends the process instead of throwing.
      ThrowsMessage<FileError>(
          AnyOf(path_ + ": promises more than memory can hold", HasSubstr("VTK gave up reading it"))));
}

TEST_F(VtkChild, DrawsWhateverBecomesOfIt) {
  const std::string picture(1000000, 'p');
  EXPECT_EQ(draw_in_child("draw", [&] { return picture; }), picture);
  EXPECT_THAT([] { draw_in_child("draw", []() -> std::string { throw ArgumentError("draw: no"); }); },
              ThrowsMessage<ArgumentError>("draw: no"));
  EXPECT_THAT([] { draw_in_child("draw", []() -> std::string { throw UnsupportedError("draw: none"); }); },
              ThrowsMessage<UnsupportedError>("draw: none"));
  EXPECT_THAT([] { draw_in_child("draw", []() -> std::string { throw std::bad_alloc(); }); },
              ThrowsMessage<OutOfMemoryError>("draw: memory does not suffice for the picture"));
  EXPECT_THAT(
      [] { draw_in_child("draw", []() -> std::string { std::abort(); }); },
      ThrowsMessage<UnsupportedError>("draw: VTK cannot draw on this machine, its process ended with the "
                                      "signal Aborted; is there enough memory?"));
  EXPECT_THAT(
      [] {
        draw_in_child("draw", []() -> std::string {
          ::pause();
          return {};
        });
      },
      ThrowsMessage<UnsupportedError>("draw: VTK cannot draw on this machine, its process waits for ever; "
                                      "is there enough memory?"));
}

TEST_F(VtkChild, EveryThreadMayReadAtOnce) {
  std::vector<std::thread> threads;
  std::vector<int> nodes(4, 0);
  for (int& sum : nodes)
    threads.emplace_back([&] {
      for (int i = 0; i < 25; ++i) sum += read_in_child(path_, {}, sample).nodes();
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(nodes, ::testing::Each(125));
}

} // namespace io_vtk_child

#else

TEST(VtkChild, SendsEveryField) { GTEST_SKIP() << "built without VTK"; }

#endif
