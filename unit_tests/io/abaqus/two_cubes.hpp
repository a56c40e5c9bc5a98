// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <tessera/io/abaqus/deck.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <support/files.hpp>

namespace tessera::test::two_cubes {

/// Two cubes one on the other, with every kind of load; node 99 belongs to nothing.
inline const std::string deck = R"(*NODE, NSET=ALL
1, 0, 0, 0
2, 1, 0, 0
3, 1, 1, 0
4, 0, 1, 0
5, 0, 0, 1
6, 1, 0, 1
7, 1, 1, 1
8, 0, 1, 1
11, 0, 0, 2
12, 1, 0, 2
13, 1, 1, 2
14, 0, 1, 2
99, 5, 5, 5
*ELEMENT, TYPE=C3D8, ELSET=E
1, 1, 2, 3, 4, 5, 6, 7, 8
2, 5, 6, 7, 8, 11, 12, 13, 14
*SURFACE, NAME=TOP
2, S2
*MATERIAL, NAME=STEEL
*ELASTIC
2.1E11, 0.3
*DENSITY
7800.
*SOLID SECTION, ELSET=E, MATERIAL=STEEL
*NSET, NSET=BASE
1, 2, 3, 4
*BOUNDARY
BASE, 1, 3
99, 1
*STEP
*STATIC
*BOUNDARY
11, 2, 2, 0.5
*CLOAD
12, 3, -4.5
*DLOAD
E, P6, 2.
E, GRAV, 9.81, 0., 0., -2.
*DSLOAD
TOP, P, 3.
*NODE PRINT, NSET=ALL
U
*END STEP
)";

inline io::AbaqusDeck read(const std::string& text) {
  const TemporaryFolder folder;
  return io::read_abaqus_deck(folder.write("a.inp", text));
}

inline std::string changed(const std::string& from, const std::string& to) {
  std::string text = deck;
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

} // namespace tessera::test::two_cubes
