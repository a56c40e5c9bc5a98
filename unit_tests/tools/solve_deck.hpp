// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <support/files.hpp>

namespace tessera::test {

inline const std::string solve = TESSERA_BINARY_DIR "/bin/tessera-solve";
inline const std::string decks = "/usr/share/doc/calculix-ccx-test/examples/test";

/// A bar of one hexahedron, 1 x 1 x 2, E = 100, nu = 0, pulled by 4 x 0.5: it grows by F l / (E A) = 0.04.
inline const std::string bar = R"(*NODE
1, 0, 0, 0
2, 1, 0, 0
3, 1, 1, 0
4, 0, 1, 0
5, 0, 0, 2
6, 1, 0, 2
7, 1, 1, 2
8, 0, 1, 2
*ELEMENT, TYPE=C3D8, ELSET=E
1, 1, 2, 3, 4, 5, 6, 7, 8
*NSET, NSET=LOW
1, 2, 3, 4
*NSET, NSET=TOP
5, 6, 7, 8
*MATERIAL, NAME=M
*ELASTIC
100., 0.
*SOLID SECTION, ELSET=E, MATERIAL=M
*BOUNDARY
LOW, 1, 3
*STEP
*STATIC
*CLOAD
TOP, 3, 0.5
*END STEP
)";

class SolveDeck : public ::testing::Test {
protected:
  /// Runs the tool in the test's folder; its exit status. What it printed is in `printed`.
  int run(const std::string& arguments) {
    const int status = run_in(folder_, solve + " " + arguments);
    printed = read_file(folder_ / "log");
    return status;
  }

  TemporaryFolder folder_;
  std::string printed;
};

} // namespace tessera::test
