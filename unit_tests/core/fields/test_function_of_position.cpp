// SPDX-License-Identifier: BSD-3-Clause
// Which functions of the position coefficients, loads and prescribed values may be.

#include <tessera/core/fields/function_of_position.hpp>

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

namespace core_fields_function_of_position {

using namespace tessera;
using Position = Vector<double, 3>;

struct Number {
  double operator()(const Position& x) const { return x(0); }
};
struct Displacement {
  Position operator()(const Position& x) const { return x; }
};
struct Values {
  std::vector<double> operator()(const Position&) const { return {1.0, 2.0}; }
};
struct OfCoordinates {
  double operator()(double x, double y, double z) const { return x + y + z; }
};
struct Changing {
  double operator()(const Position&) { return calls++; }
  int calls = 0;
};
struct Text {
  std::string operator()(const Position&) const { return "1"; }
};

TEST(FunctionsOfPosition, AreToldByWhatTheyGive) {
  EXPECT_TRUE((NumberAtPosition<Number, 3>));
  EXPECT_FALSE((NumberAtPosition<Displacement, 3>));
  EXPECT_TRUE((VectorAtPosition<Displacement, 3>));
  EXPECT_FALSE((VectorAtPosition<Values, 3>));
  for (const bool fits :
       {ValuesAtPosition<Number, 3>, ValuesAtPosition<Displacement, 3>, ValuesAtPosition<Values, 3>})
    EXPECT_TRUE(fits);
}

TEST(FunctionsOfPosition, AreRefusedIfTheyTakeOrGiveSomethingElse) {
  EXPECT_FALSE((NumberAtPosition<Number, 2>)); // a plane mesh's position
  EXPECT_FALSE((NumberAtPosition<OfCoordinates, 3>));
  EXPECT_FALSE((NumberAtPosition<Changing, 3>)); // is not const
  EXPECT_FALSE((NumberAtPosition<Text, 3>));
  EXPECT_FALSE((ValuesAtPosition<double, 3>));
  EXPECT_FALSE((ValuesAtPosition<std::array<double, 3>, 3>));
}

} // namespace core_fields_function_of_position
