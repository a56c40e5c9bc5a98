// SPDX-License-Identifier: BSD-3-Clause
// Materials of decks that are not the same along all axes, under uniform stresses: strains by the compliance.

#include <tessera/core/elements/elements.hpp>
#include <tessera/core/system/linear_system.hpp>
#include <tessera/io/deck_problem.hpp>
#include <tessera/solvers/solve.hpp>
#include <tessera/strategies/assembly/element_atomic.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <string>
#include <support/files.hpp>
#include <utility>

namespace io_deck_materials {

using namespace tessera;
using namespace tessera::io;
using ::testing::ThrowsMessage;

using Tensor = std::array<std::array<double, 3>, 3>;
using Voigt = std::array<double, 6>;

/// A unit cube whose displacements are (e11 x + 2 e12 y + 2 e13 z, e22 y + 2 e23 z, e33 z) by its supports.
std::string cube(const std::string& properties, const std::string& section, const std::string& loads) {
  return "*NODE, NSET=ALL\n1, 0, 0, 0\n2, 1, 0, 0\n3, 1, 1, 0\n4, 0, 1, 0\n5, 0, 0, 1\n6, 1, 0, 1\n7, 1, 1, "
         "1\n"
         "8, 0, 1, 1\n*ELEMENT, TYPE=C3D8, ELSET=E\n1, 1, 2, 3, 4, 5, 6, 7, 8\n*MATERIAL, NAME=M\n" +
         properties + "*SOLID SECTION, ELSET=E, MATERIAL=M" + section +
         "\n*BOUNDARY\n1, 1, 3\n2, 2, 3\n4, 3\n*INITIAL CONDITIONS, TYPE=TEMPERATURE\nALL, 20.\n"
         "*STEP\n*STATIC\n" +
         loads + "*END STEP\n";
}

/// Pressures on all faces: stresses -1, -2 and -4 along the axes.
const std::string pressures = "*DLOAD\nE, P6, 1.\nE, P4, 1.\nE, P3, 2.\nE, P5, 2.\nE, P1, 4.\nE, P2, 4.\n";
const Voigt stress{-1, -2, -4, 0, 0, 0};

/// Strains of the cube in the order 11, 22, 33, 12, 13, 23, shear strains as angles.
Voigt strains(const std::string& text) {
  const test::TemporaryFolder folder;
  const auto problem = deck_problem<Hex<1>, Kokkos::DefaultExecutionSpace, TabulatedElasticity<>>(
      read_abaqus_deck(folder.write("a.inp", text)));
  const LinearSystem<double> system(problem.space);
  assembly::ElementAtomic{}.plan(problem.space, system.graph()).assemble(problem.form, system);
  const Kokkos::View<double*> x("Tessera::Test::x", system.num_rows());
  solvers::cg(system, x, {.relative_tolerance = 1e-14, .max_iterations = 1000});
  const auto u = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), problem.space.expand(x));
  const auto at = [&](std::size_t node, std::size_t axis) { return u(3 * (node - 1) + axis); };
  const Voigt found{at(2, 0), at(4, 1), at(5, 2), at(4, 0), at(5, 0), at(5, 1)};
  EXPECT_NEAR(at(7, 0), found[0] + found[3] + found[4], 1e-13);
  EXPECT_NEAR(at(7, 1), found[1] + found[5], 1e-13);
  return found;
}

void expect_strains(const std::string& text, const Voigt& wanted) {
  const Voigt found = strains(text);
  for (std::size_t i = 0; i < 6; ++i) EXPECT_NEAR(found[i], wanted[i], 1e-13) << i;
}

/// Gauss' elimination of a positive definite matrix.
Voigt solved(std::array<Voigt, 6> c, Voigt b) {
  for (std::size_t k = 0; k < 6; ++k)
    for (std::size_t i = k + 1; i < 6; ++i) {
      const double factor = c[i][k] / c[k][k];
      for (std::size_t j = k; j < 6; ++j) c[i][j] -= factor * c[k][j];
      b[i] -= factor * b[k];
    }
  for (std::size_t i = 6; i-- > 0;) {
    for (std::size_t j = i + 1; j < 6; ++j) b[i] -= c[i][j] * b[j];
    b[i] /= c[i][i];
  }
  return b;
}

TEST(DeckMaterials, Anisotropic) {
  const std::array<Voigt, 6> c{{{300, 110, 130, 160, 200, 250},
                                {110, 320, 140, 170, 210, 260},
                                {130, 140, 350, 180, 220, 270},
                                {160, 170, 180, 390, 230, 280},
                                {200, 210, 220, 230, 440, 290},
                                {250, 260, 270, 280, 290, 500}}};
  const std::string elastic =
      "*ELASTIC, TYPE=ANISOTROPIC\n300., 110., 320., 130., 140., 350., 160., 170.\n"
      "180., 390., 200., 210., 220., 230., 440., 250.\n260., 270., 280., 290., 500.\n";
  expect_strains(cube(elastic, "", pressures), solved(c, stress));
}

/// A tensor given along axes, along the common ones: sum e_p[i] e_q[j] t_pq; and the other way.
Tensor turned(const Tensor& t, const Tensor& e, bool back) {
  Tensor sum{};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j)
      for (std::size_t p = 0; p < 3; ++p)
        for (std::size_t q = 0; q < 3; ++q)
          sum[i][j] += (back ? e[i][p] * e[j][q] : e[p][i] * e[q][j]) * t[p][q];
  return sum;
}

const std::array<double, 3> moduli{100, 200, 400}, ratios{0.1, 0.2, 0.3}, shear{50, 60, 70}; // 12, 13, 23

/// Strains of the orthotropic material along axes under the stress.
Voigt orthotropic_strains(const Tensor& axes) {
  const Tensor s = turned({{{stress[0], 0, 0}, {0, stress[1], 0}, {0, 0, stress[2]}}}, axes, true);
  Tensor e{};
  e[0][0] = s[0][0] / moduli[0] - ratios[0] / moduli[0] * s[1][1] - ratios[1] / moduli[0] * s[2][2];
  e[1][1] = -ratios[0] / moduli[0] * s[0][0] + s[1][1] / moduli[1] - ratios[2] / moduli[1] * s[2][2];
  e[2][2] = -ratios[1] / moduli[0] * s[0][0] - ratios[2] / moduli[1] * s[1][1] + s[2][2] / moduli[2];
  e[0][1] = e[1][0] = s[0][1] / (2 * shear[0]);
  e[0][2] = e[2][0] = s[0][2] / (2 * shear[1]);
  e[1][2] = e[2][1] = s[1][2] / (2 * shear[2]);
  const Tensor common = turned(e, axes, false);
  return {common[0][0], common[1][1], common[2][2], 2 * common[0][1], 2 * common[0][2], 2 * common[1][2]};
}

const std::string constants =
    "*ELASTIC, TYPE=ENGINEERING CONSTANTS\n100., 200., 400., .1, .2, .3, 50., 60.\n70., 20.\n";
const Tensor common{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
/// x along (2, 2, 1) / 3 and y in its plane with (-2, 1, 2).
const Tensor oblique{{{2 / 3., 2 / 3., 1 / 3.}, {-2 / 3., 1 / 3., 2 / 3.}, {1 / 3., -2 / 3., 2 / 3.}}};
const std::string orientation = "*ORIENTATION, NAME=O\n2., 2., 1., -2., 1., 2.\n";

TEST(DeckMaterials, OrthotropicAlongAxes) {
  expect_strains(cube(constants, "", pressures), orthotropic_strains(common));
  expect_strains(cube(constants + orientation, ", ORIENTATION=O", pressures), orthotropic_strains(oblique));
  // From another origin, and turned about the third axis.
  expect_strains(
      cube(constants + "*ORIENTATION, NAME=O, SYSTEM=RECTANGULAR\n3., 1., 1., -1., 0., 2., 1., -1., 0.\n",
           ", ORIENTATION=O", pressures),
      orthotropic_strains(oblique));
  const double c = std::cos(0.5235987755982988), s = 0.5; // 30 degrees
  Tensor about = oblique;
  for (std::size_t d = 0; d < 3; ++d) {
    about[0][d] = c * oblique[0][d] + s * oblique[1][d];
    about[1][d] = c * oblique[1][d] - s * oblique[0][d];
  }
  expect_strains(cube(constants + orientation + "3, 30.\n", ", ORIENTATION=O", pressures),
                 orthotropic_strains(about));
}

TEST(DeckMaterials, DistributionsGiveElementsTheirAxes) {
  const std::string of = "*ORIENTATION, NAME=O\nD\n*DISTRIBUTION, NAME=D\n",
                    other = "1., 0., 0., 0., 1., 0.\n";
  const std::string own = "2., 2., 1., -2., 1., 2.\n";
  expect_strains(cube(constants + of + ", " + other + "E, " + own, ", ORIENTATION=O", pressures),
                 orthotropic_strains(oblique));
  expect_strains(cube(constants + of + ", " + own, ", ORIENTATION=O", pressures),
                 orthotropic_strains(oblique));
}

TEST(DeckMaterials, ExpansionAlongAxes) {
  const std::string warm = "*TEMPERATURE\nALL, 120.\n";
  const Tensor alpha = turned({{{1e-3, 0, 0}, {0, 2e-3, 0}, {0, 0, -4e-3}}}, oblique, false);
  const Voigt wanted{100 * alpha[0][0], 100 * alpha[1][1], 100 * alpha[2][2],
                     200 * alpha[0][1], 200 * alpha[0][2], 200 * alpha[1][2]};
  const std::string expansion = "*EXPANSION, TYPE=ORTHO\n1e-3, 2e-3, -4e-3\n" + orientation;
  expect_strains(cube(constants + expansion, ", ORIENTATION=O", warm), wanted);
  expect_strains(cube("*ELASTIC\n100., 0.3\n" + expansion, ", ORIENTATION=O", warm), wanted);
}

// With the mean temperature of the nodes, 50.
TEST(DeckMaterials, IsotropicOnesThatDependOnTheTemperature) {
  const std::string table = "*ELASTIC\n100., 0., 0.\n200., 0., 100.\n";
  expect_strains(cube(table, "", "*TEMPERATURE\nALL, 20.\n1, 80.\n2, 80.\n3, 80.\n4, 80.\n" + pressures),
                 {-1.0 / 150, -2.0 / 150, -4.0 / 150, 0, 0, 0});
  expect_strains(cube(table, "", "*TEMPERATURE\nALL, 900.\n" + pressures),
                 {-1.0 / 200, -2.0 / 200, -4.0 / 200, 0, 0, 0});
  expect_strains(cube(table, "", pressures), {-1.0 / 120, -2.0 / 120, -4.0 / 120, 0, 0, 0});
}

template <class Exception, class Form = TabulatedElasticity<>>
void expect_refused(const std::string& text, const std::string& message) {
  const test::TemporaryFolder folder;
  const std::string path = folder.write("a.inp", text);
  const auto make = [&] {
    deck_problem<Hex<1>, Kokkos::DefaultExecutionSpace, Form>(read_abaqus_deck(path));
  };
  EXPECT_THAT(make, ThrowsMessage<Exception>(path + message));
}

TEST(DeckMaterials, WhatIsNotSupportedIsRefused) {
  expect_refused<UnsupportedError, LinearElasticity<3>>(
      cube(constants, "", pressures),
      ": has a material that is not the same along all axes, or that depends on the temperature, which "
      "TabulatedElasticity has in three dimensions");
  expect_refused<FileError>(cube(constants, ", ORIENTATION=P", pressures),
                            ":16: there is no orientation 'P'");
  expect_refused<UnsupportedError>(
      cube(constants + "*ORIENTATION, NAME=O, SYSTEM=CYLINDRICAL\n0, 0, 0, 0, 0, 1\n", ", ORIENTATION=O",
           pressures),
      ":16: *ORIENTATION, SYSTEM=CYLINDRICAL is not supported in a linear static deck");
  expect_refused<FileError>(cube(constants + "*ORIENTATION, NAME=O\nD\n", ", ORIENTATION=O", pressures),
                            ":16: there is no distribution 'D'");
  expect_refused<FileError>(
      cube(constants + "*ORIENTATION, NAME=O\n1, 0, 0, 2, 0, 0\n", ", ORIENTATION=O", pressures),
      ":16: the two points give no axes: their directions are zero or parallel");
  expect_refused<FileError>(
      cube(constants + "*ORIENTATION, NAME=O\n1, 0, 0, 0, 1, 0\n4, 1.\n", "", pressures),
      ":18: expected an axis from 1 to 3, but found 4");
  expect_refused<FileError>(cube("*ELASTIC, TYPE=ORTHO\n1, 2, 3\n4\n", "", pressures),
                            ":14: expected a stiffness, but the line ends");
  expect_refused<FileError>(cube("*ELASTIC, TYPE=ORTHO\n1, 2, 3, 4, 5, 6, 7, 8\n", "", pressures),
                            ":13: *ELASTIC, TYPE=ORTHO has 9 numbers, but only 8 follow");
  expect_refused<UnsupportedError>(cube(constants + "1, 2, 3, 4, 5, 6, 7, 8\n", "", pressures),
                                   ":13: *ELASTIC, depending on the temperature is not supported in a linear "
                                   "static deck");
  std::string cold = cube("*ELASTIC\n100., 0., 0.\n200., 0., 100.\n", "", pressures);
  cold.replace(cold.find("ALL, 20."), 8, "1, 20.");
  expect_refused<FormError>(
      cold, ":12: material 'M' depends on the temperature, which nodes of element 1 do not have");
  expect_refused<FormError>(cube("*ELASTIC, TYPE=ORTHO\n1, 2, 3, 0, 0, 3, 1, 1\n1\n", "", pressures),
                            ":12: material 'M' has a stiffness that is not positive definite");
}

} // namespace io_deck_materials
