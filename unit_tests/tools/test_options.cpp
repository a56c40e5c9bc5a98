// SPDX-License-Identifier: BSD-3-Clause
// Command lines of the tools: what is wrong is named, and what would be right is listed.

#include <tessera/core/error.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/execution_spaces.hpp"
#include <string>
#include <support/files.hpp>
#include <support/options/options.hpp>
#include <vector>

namespace tools_options {

using namespace tessera;
using test::expect_throw_with;
using ::testing::ElementsAre;
using tools::choose;
using tools::Options;

struct Values {
  std::string text = "none", choice = "removed";
  std::vector<std::string> texts, list;
  double number = 0.5;
  int count = 3;
  bool flag = false;
};

Options options_of(Values& values) {
  Options options("tool: does things.");
  options.text("--text", values.text, "a text");
  options.texts("--fix", values.texts, "texts");
  options.list("--list", values.list, "a list");
  options.number("--number", values.number, "a number");
  options.count("--count", values.count, 1, "a count");
  options.choice("--choice", values.choice, {"removed", "zeroed"}, "a choice");
  options.flag("--flag", values.flag, "a flag");
  return options;
}

Values parse(std::vector<std::string> arguments) {
  Values values;
  arguments.insert(arguments.begin(), "tool");
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  options_of(values).parse(static_cast<int>(argv.size()), argv.data());
  return values;
}

TEST(Options, OutputsHarmNoInput) {
  const test::TemporaryFolder folder;
  const std::string mesh = folder.write("a.msh", "mesh");
  const auto parse_files = [&](std::vector<std::string> arguments) {
    std::string in, out, json;
    Options options("tool: does things.");
    options.input("--mesh", in, "a mesh");
    options.output("--output", out, "a file");
    options.output("--json", json, "a file");
    arguments.insert(arguments.begin(), "tool");
    std::vector<char*> argv;
    for (std::string& argument : arguments) argv.push_back(argument.data());
    options.parse(static_cast<int>(argv.size()), argv.data());
  };
  EXPECT_NO_THROW(parse_files({"--mesh", mesh, "--output", folder / "b.vtu"}));
  expect_throw_with<ArgumentError>([&] { parse_files({"--mesh", mesh, "--output", mesh}); },
                                   "--output " + mesh + " would replace the input --mesh " + mesh);
  expect_throw_with<ArgumentError>([&] { parse_files({"--json", folder / "b", "--output", folder / "b"}); },
                                   "both name");
  expect_throw_with<ArgumentError>([&] { parse_files({"--output", ""}); },
                                   "--output: expected the name of a file, got ''");
}

TEST(Options, AreReadInAnyOrder) {
  const Values values =
      parse({"--flag", "--count", "7", "--fix", "a=1", "--list", "x,y", "--fix", "b=2", "--number", "-1.5e3",
             "--choice", "zeroed", "--kokkos-num-threads=2", "--text", "--odd"});
  EXPECT_TRUE(values.flag);
  EXPECT_EQ(values.count, 7);
  EXPECT_EQ(values.number, -1500);
  EXPECT_EQ(values.choice, "zeroed");
  EXPECT_EQ(values.text, "--odd");
  EXPECT_THAT(values.texts, ElementsAre("a=1", "b=2"));
  EXPECT_THAT(values.list, ElementsAre("x", "y"));
}

TEST(Options, KeepDefaults) {
  const Values values = parse({});
  EXPECT_FALSE(values.flag);
  EXPECT_EQ(values.count, 3);
  EXPECT_EQ(values.number, 0.5);
  EXPECT_EQ(values.choice, "removed");
}

TEST(Options, UnknownOptionListsAll) {
  const auto attempt = [] { parse({"--colour"}); };
  expect_throw_with<ArgumentError>(attempt, "unknown option '--colour'");
  for (const char* name : {"--text", "--fix", "--list", "--number", "--count", "--choice", "--flag"})
    expect_throw_with<ArgumentError>(attempt, std::string("  ") + name);
}

TEST(Options, ChosenNamesAreKnown) {
  const std::vector<std::string> known{"one", "two"};
  EXPECT_EQ(choose({"all"}, known, "thing"), known);
  EXPECT_THAT(choose({"two"}, known, "thing"), ElementsAre("two"));
  EXPECT_THAT(choose({"TWO", "one"}, known, "thing"), ElementsAre("two", "one"));
  EXPECT_EQ(choose({"All"}, known, "thing"), known);
  EXPECT_EQ(parse({"--choice", "Zeroed"}).choice, "zeroed");
  expect_throw_with<ArgumentError>([&] { choose({"two", "three"}, known, "thing"); },
                                   "unknown thing 'three'; there are one, two");
}

TEST(Options, WrongValuesAreNamed) {
  const auto refuses = [](const std::vector<std::string>& arguments, const std::string& message) {
    expect_throw_with<ArgumentError>([&] { parse(arguments); }, message);
  };
  refuses({"--choice", "kept"}, "--choice: 'kept' is not one of removed|zeroed");
  refuses({"--choice"}, "--choice needs a value: removed|zeroed");
  refuses({"--count", "0"}, "--count: expected an integer from 1 to 1000000000, got '0'");
  refuses({"--count", "2.5"}, "--count: expected an integer from 1 to 1000000000, got '2.5'");
  refuses({"--count", "3000000000"}, "--count: expected an integer from 1 to 1000000000, got '3000000000'");
  refuses({"--number", "1.0x"}, "--number: '1.0x' is not a finite number");
  refuses({"--number", ""}, "--number: '' is not a finite number");
  refuses({"--number", "inf"}, "--number: 'inf' is not a finite number");
  refuses({"--number", "1e-320"}, "--number: '1e-320' is smaller than the numbers that a computer holds to");
  refuses({"--number", "-1e-999"}, "--number: '-1e-999' is smaller than");
  EXPECT_EQ(parse({"--number", "0.0e-5"}).number, 0);
  refuses({"--number", "1e999"}, "--number: '1e999' is not a finite number");
  refuses({"--list", "a,,b"}, "--list: empty entry in 'a,,b'");
  refuses({"--list", ""}, "--list: empty list");
  refuses({"--number", "1", "--flag", "--number", "2"}, "--number is given twice, as '1' and as '2'");
  EXPECT_EQ(parse({"--number", "2", "--flag", "--flag", "--number", "2"}).number, 2);
}

TEST(Options, ThatHaveNoMeaningTogetherAreRefused) {
  Values values;
  Options options = options_of(values);
  std::vector<std::string> arguments{"tool", "--text", "a", "--flag"};
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  options.parse(static_cast<int>(argv.size()), argv.data());
  EXPECT_TRUE(options.given("--flag"));
  EXPECT_FALSE(options.given("--count"));
  EXPECT_NO_THROW(options.exclude("--text", {"--count", "--list"}));
  EXPECT_NO_THROW(options.exclude("--count", {"--text"}));
  expect_throw_with<ArgumentError>([&] { options.exclude("--text", {"--list", "--flag"}); },
                                   "--flag has no meaning together with --text");
  options.refuse("--deck", "it is another tool's");
  arguments[1] = "--deck";
  argv[1] = arguments[1].data();
  expect_throw_with<ArgumentError>([&] { options.parse(static_cast<int>(argv.size()), argv.data()); },
                                   "--deck: it is another tool's");
  EXPECT_NO_THROW(options.exclude_all_but("--text", {"--flag", "--list"}));
  EXPECT_NO_THROW(options.exclude_all_but("--count", {}));
  expect_throw_with<ArgumentError>([&] { options.exclude_all_but("--text", {"--list"}); },
                                   "--flag has no meaning together with --text");
  EXPECT_NO_THROW(options.require("--flag", "--text"));
  EXPECT_NO_THROW(options.require("--count", "--list"));
  expect_throw_with<ArgumentError>([&] { options.require("--flag", "--list"); }, "--flag needs --list");
}

TEST(Options, HelpNamesEveryOptionWithItsValues) {
  Values values;
  const std::string help = options_of(values).help();
  EXPECT_EQ(help.find("tool: does things."), 0u);
  for (const char* part :
       {"--text TEXT", "--list A,B,...", "--number NUMBER", "--count N", "--choice removed|zeroed", "a flag"})
    EXPECT_NE(help.find(part), std::string::npos) << part;
}

} // namespace tools_options
