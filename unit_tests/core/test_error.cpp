#include <tessera/core/error.hpp>

#include <gtest/gtest.h>

#include <string>
#include <type_traits>

namespace {

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

} // namespace
