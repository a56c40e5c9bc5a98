// SPDX-License-Identifier: BSD-3-Clause
#include <tessera/core/error.hpp>
#include <tessera/core/version.hpp>

#include <gtest/gtest.h>

#include <string>
#include <type_traits>

namespace core_error {

TEST(FileError, MessageStartsWithFileAndLine) {
  const tessera::FileError error("part.msh", 12, "expected $EndNodes");
  EXPECT_STREQ(error.what(), "part.msh:12: expected $EndNodes");
  EXPECT_EQ(error.file(), "part.msh");
  EXPECT_EQ(error.line(), 12u);
}

TEST(FileError, MessageOmitsLineZero) {
  const tessera::FileError error("part.vtu", 0, "no space left");
  EXPECT_STREQ(error.what(), "part.vtu: no space left");
  EXPECT_EQ(error.line(), 0u);
}

/// A caller that catches the base class catches everything that the library throws.
template <class Exception>
class EveryError : public ::testing::Test {};
using Exceptions =
    ::testing::Types<tessera::ArgumentError, tessera::MeshError, tessera::FormError,
                     tessera::UnsupportedError, tessera::SolverError, tessera::OutOfMemoryError>;
TYPED_TEST_SUITE(EveryError, Exceptions);

TYPED_TEST(EveryError, IsCaughtAsErrorWithItsMessage) {
  try {
    throw TypeParam("element 7: expected 4 nodes");
  } catch (const tessera::Error& error) {
    EXPECT_STREQ(error.what(), "element 7: expected 4 nodes");
    return;
  }
  FAIL() << "not caught as tessera::Error";
}

TEST(Version, IsTheSameAsTextAndNumbers) {
  EXPECT_EQ(tessera::version(), std::to_string(TESSERA_VERSION_MAJOR) + "." +
                                    std::to_string(TESSERA_VERSION_MINOR) + "." +
                                    std::to_string(TESSERA_VERSION_PATCH));
}

TEST(Version, ConfigurationNamesVersionsBackendsCompilerAndOptions) {
  const std::string text = tessera::configuration();
  const std::string begin = std::string("Tessera: ") + tessera::version() +
                            "\nKokkos: " + tessera::kokkos_version() + "\nbackends: ";
  EXPECT_EQ(text.substr(0, begin.size()), begin);
  const std::string backend = tessera::backend_name<Kokkos::DefaultExecutionSpace>();
  EXPECT_NE(text.find(" " + backend), std::string::npos) << text;
  EXPECT_NE(text.find("\ncompiler: "), std::string::npos) << text;
  EXPECT_NE(text.find("\noptions:"), std::string::npos) << text;
#ifdef TESSERA_HAVE_KOKKOSKERNELS
  EXPECT_NE(text.find(" TESSERA_HAVE_KOKKOSKERNELS="), std::string::npos) << text;
#endif
}

} // namespace core_error
