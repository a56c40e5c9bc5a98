// SPDX-License-Identifier: BSD-3-Clause
// Pictures, by what their pixels show.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#ifdef TESSERA_HAVE_VTK

#include <tessera/core/error.hpp>
#include <tessera/io/generate/box.hpp>
#include <tessera/io/vtk/picture.hpp>

#include <vtkImageData.h>
#include <vtkNew.h>
#include <vtkPNGReader.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <support/files.hpp>
#include <sys/resource.h>
#include <unistd.h>

namespace io_vtk_picture {

using namespace tessera;
using namespace tessera::io;
using ::testing::ThrowsMessage;

class Image {
public:
  explicit Image(const std::string& path) {
    reader_->SetFileName(path.c_str());
    reader_->Update();
  }
  int width() { return reader_->GetOutput()->GetDimensions()[0]; }
  int height() { return reader_->GetOutput()->GetDimensions()[1]; }

  /// Pixels of a color in a part of the picture, bounds as shares of the width and height from the lower
  /// left.
  int count(const Color& color, double left = 0, double right = 1, double low = 0, double high = 1) {
    int found = 0;
    for (int y = static_cast<int>(low * height()); y < static_cast<int>(high * height()); ++y)
      for (int x = static_cast<int>(left * width()); x < static_cast<int>(right * width()); ++x) {
        bool same = true;
        for (int c = 0; c < 3; ++c)
          same = same &&
                 std::abs(reader_->GetOutput()->GetScalarComponentAsDouble(x, y, 0, c) - 255 * color[c]) < 4;
        found += same;
      }
    return found;
  }

private:
  vtkNew<vtkPNGReader> reader_;
};

constexpr Color white{1, 1, 1};
// The ends of the scale of draw_solution.
constexpr Color lowest{0.267, 0.005, 0.329}, highest{0.993, 0.906, 0.144};

using Plate = Mesh<Quad<1>, Kokkos::DefaultHostExecutionSpace>;

Plate plate(Ordinal x, Ordinal y) { return box_mesh<Quad<1>, Kokkos::DefaultHostExecutionSpace>({{x, y}}); }

TEST(VtkPicture, SetsHaveTheirColorsAtTheirPlaces) {
  const test::TemporaryFolder folder;
  draw_mesh(folder / "a.png", plate(4, 4), {.width = 600, .height = 400, .title = "plate"});
  Image image(folder / "a.png");
  EXPECT_EQ(image.width(), 600);
  EXPECT_EQ(image.height(), 400);
  const auto sets = drawn_sets(plate(4, 4));
  ASSERT_EQ(sets.size(), 4u);
  for (std::size_t i = 0; i < sets.size(); ++i) {
    SCOPED_TRACE(sets[i].name);
    const bool horizontal = sets[i].name.starts_with("y"), lower = sets[i].name.ends_with("min");
    const int near =
        image.count(category_color(i), 0, 0.8, horizontal && !lower ? 0.5 : 0, horizontal && lower ? 0.5 : 1);
    EXPECT_GT(near, 600);
    EXPECT_GT(image.count(category_color(i), 0.8, 1), 50) << "its name at the right";
  }
  EXPECT_EQ(image.count(white, 0, 0.02), 12 * 400) << "a margin that nothing touches";
}

TEST(VtkPicture, SolutionsUseTheWholeScale) {
  const test::TemporaryFolder folder;
  const Plate mesh = plate(8, 8);
  std::vector<double> values;
  const auto x = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), mesh.coordinates());
  for (Ordinal n = 0; n < mesh.num_nodes(); ++n)
    values.push_back(x(n, 0) < 0.3 ? 10 : x(n, 0) > 0.7 ? 200 : 100);
  draw_solution(folder / "a.png", mesh, {"temperature", values}, "K", {.width = 600, .height = 400});
  Image image(folder / "a.png");
  EXPECT_GT(image.count(lowest, 0, 0.4), 5000);
  EXPECT_EQ(image.count(highest, 0, 0.4), 0);
  EXPECT_GT(image.count(highest, 0.4, 0.8), 5000);
  EXPECT_GT(image.count(lowest, 0.8, 1), 0) << "the scale";
}

TEST(VtkPicture, DisplacementsDeform) {
  const test::TemporaryFolder folder;
  const Plate mesh = plate(2, 2);
  // The upper side is drawn out to twice the width of the lower one.
  std::vector<double> values;
  const auto x = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), mesh.coordinates());
  for (Ordinal n = 0; n < mesh.num_nodes(); ++n) {
    values.push_back(1e-3 * (x(n, 0) - 0.5) * x(n, 1));
    values.push_back(0);
  }
  draw_solution(folder / "a.png", mesh, {"displacement", values}, "", {.width = 600, .height = 400});
  Image image(folder / "a.png");
  const auto painted = [&](double low, double high) {
    return static_cast<int>(600 * 0.8 * 400 * (high - low)) - image.count(white, 0, 0.8, low, high);
  };
  EXPECT_GT(painted(0.75, 0.85), 1.1 * painted(0.15, 0.25));
}

TEST(VtkPicture, NamesStandForNumbers) {
  const test::TemporaryFolder folder;
  const auto space_of = [&](const std::map<Ordinal, std::string>& names) {
    draw_numbers(folder / "a.png", plate(2, 1), "materials", std::vector<Ordinal>{7, 8},
                 {.width = 600, .height = 400, .names = names});
    Image image(folder / "a.png");
    return std::pair(image.count(category_color(0), 0.8, 1), image.count(category_color(1), 0.8, 1));
  };
  const auto numbers = space_of({}), named = space_of({{7, "stainless"}});
  EXPECT_GT(named.first, 2 * numbers.first) << "a name takes more room than a digit";
  EXPECT_EQ(named.second, numbers.second);
}

TEST(VtkPicture, CutsTakeTheFrontAway) {
  const test::TemporaryFolder folder;
  const auto mesh = box_mesh<Hex<1>, Kokkos::DefaultHostExecutionSpace>({{2, 2, 2}});
  const auto x = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), mesh.coordinates());
  const auto nodes = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), mesh.connectivity());
  std::vector<Ordinal> behind;
  for (Ordinal e = 0; e < mesh.num_elements(); ++e) behind.push_back(x(nodes(e, 0), 1) > 0.25);
  const auto seen = [&](bool back, bool cut) {
    draw_numbers(folder / "a.png", mesh, "halves", behind,
                 {.width = 600, .height = 400, .back = back, .cut = cut});
    Image image(folder / "a.png");
    // Sides that face the front are darkened the least; only those of the front half turn there unless it is
    // cut away.
    int front = 0;
    for (double shade = 0.5; shade <= 1; shade += 0.02) {
      Color color = category_color(0);
      for (double& c : color) c *= shade;
      front += image.count(color, 0, 0.8);
    }
    return front;
  };
  EXPECT_GT(seen(false, false), 5000);
  EXPECT_EQ(seen(false, true), 0);
  EXPECT_LT(seen(true, false), seen(false, false));
}

/// Lets this process and its children have so many bytes more than it has.
class MemoryLimit {
public:
  explicit MemoryLimit(rlim_t more) {
    std::uint64_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    ::getrlimit(RLIMIT_AS, &old_);
    const rlimit limit{pages * static_cast<rlim_t>(::sysconf(_SC_PAGESIZE)) + more, old_.rlim_max};
    ::setrlimit(RLIMIT_AS, &limit);
  }
  ~MemoryLimit() { ::setrlimit(RLIMIT_AS, &old_); }

private:
  rlimit old_{};
};

TEST(VtkPictureErrors, TooLittleMemoryIsAMessage) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "the address sanitizer needs more address space than any limit allows";
#endif
  const test::TemporaryFolder folder;
  const std::string path = folder.write("a.png", "old");
  const Plate mesh = plate(4, 4);
  for (const rlim_t megabytes : {8, 64, 160}) {
    const MemoryLimit limit(megabytes << 20);
    try {
      draw_mesh(path, mesh);
      EXPECT_GT(megabytes, 8u);
    } catch (const Error& error) {
      EXPECT_EQ(test::read_file(path), "old") << error.what();
    }
  }
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
}

template <class Element>
class VtkPictureElements : public ::testing::Test {};
using Elements = ::testing::Types<Tri<1>, Tri<3>, Quad<2>, Tet<1>, Tet<2>, Tet<3>, Hex<1>, Hex<2>, Quad8,
                                  Hex20, Wedge<1>, Pyramid<1>, Wedge<2>, Wedge15, Pyramid13>;
TYPED_TEST_SUITE(VtkPictureElements, Elements);

TYPED_TEST(VtkPictureElements, EveryElementIsDrawn) {
  const test::TemporaryFolder folder;
  const auto mesh = box_mesh<TypeParam, Kokkos::DefaultHostExecutionSpace>({{3, 2, 2}});
  std::vector<Ordinal> numbers;
  for (Ordinal e = 0; e < mesh.num_elements(); ++e) numbers.push_back(e % 3);
  draw_numbers(folder / "a.png", mesh, "numbers", numbers, {.width = 600, .height = 400});
  Image image(folder / "a.png");
  const int painted = 480 * 400 - image.count(white, 0, 0.8);
  EXPECT_GT(painted, 30000);
  draw_mesh(folder / "b.png", mesh, {.width = 600, .height = 400});
  Image sets(folder / "b.png");
  EXPECT_NEAR(480 * 400 - sets.count(white, 0, 0.8), painted, 0.1 * painted);
}

TEST(VtkPictureErrors, AreNamed) {
  const test::TemporaryFolder folder;
  const std::string path = folder / "a.png";
  const Plate mesh = plate(1, 2);
  const auto field = [&](std::vector<double> values) { draw_solution(path, mesh, {"u", values}, ""); };
  EXPECT_THAT([&] { field(std::vector<double>(7)); },
              ThrowsMessage<ArgumentError>(
                  "draw_solution: field 'u' has 7 values, neither 1 nor 2 for each of the 6 nodes"));
  std::vector<double> bad(6);
  bad[4] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT([&] { field(bad); },
              ThrowsMessage<ArgumentError>("draw_solution: field 'u' is not finite at node 4"));
  const auto numbers = [&](std::vector<Ordinal> values) { draw_numbers(path, mesh, "parts", values); };
  EXPECT_THAT([&] { numbers({1}); }, ThrowsMessage<ArgumentError>("draw_numbers: 1 numbers for 2 cells"));
  EXPECT_THAT([&] { numbers({1, -3}); }, ThrowsMessage<ArgumentError>("draw_numbers: number -3 is negative"));
  EXPECT_THAT(
      [&] { draw_mesh(path, mesh, {.width = 100}); },
      ThrowsMessage<ArgumentError>("draw_mesh: a picture has at least 320 x 240 pixels, got 100 x 800"));
  const DrawnSet set{"tip", vertex_type, {6}};
  EXPECT_THAT([&] { draw_mesh(path, HostArrays(mesh).arrays(), {set}); },
              ThrowsMessage<ArgumentError>("draw_mesh: cell 0 has node 6, but there are 6 nodes"));
  const std::string nowhere = folder / "none/a.png";
  EXPECT_THAT([&] { draw_mesh(nowhere, mesh); },
              ThrowsMessage<FileError>(nowhere + ": cannot be written: No such file or directory"));
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

} // namespace io_vtk_picture

#else

TEST(VtkPicture, SetsHaveTheirColorsAtTheirPlaces) { GTEST_SKIP() << "built without VTK"; }

#endif
