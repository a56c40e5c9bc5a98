// SPDX-License-Identifier: BSD-3-Clause
// Tables of times: what is read of damaged ones, and which one a machine gets.

#include <tessera/core/error.hpp>
#include <tessera/strategies/best/calibration.hpp>
#include <tessera/strategies/best/choice.hpp>
#include <tessera/strategies/best/machine_calibration.hpp>

#include <gtest/gtest.h>

#include "strategies/best/sample_table.hpp"
#include "support/execution_spaces.hpp"
#include "support/files.hpp"
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>

namespace strategies_best_calibration {

using namespace tessera;
using test::expect_throw_with;
using test::table;

TEST(Calibration, IsReadAsItWasWritten) {
  const std::string text = calibration_text(table());
  const Calibration read = parse_calibration(text, "here");
  EXPECT_EQ(calibration_text(read), text);
  EXPECT_EQ(read.rows.size(), table().rows.size());
  EXPECT_EQ(read.rows[3].crowding, 2);
}

TEST(Calibration, ThatIsDamagedIsRefusedWithItsLine) {
  const std::string text = calibration_text(table());
  const auto refused = [](const std::string& damaged, const std::string& why) {
    expect_throw_with<ArgumentError>([&] { parse_calibration(damaged, "times.txt"); }, why);
  };
  const auto changed = [&](const std::string& what, const std::string& into) {
    std::string other = text;
    other.replace(other.find(what), what.size(), into);
    return other;
  };
  refused("", "times.txt, line 1: the table ends before its version");
  refused("something else\n", "times.txt, line 1: is no table of times");
  refused(text.substr(0, text.size() / 2), "times.txt, line");
  refused(text.substr(0, text.size() - 4), "the table ends before its end");
  refused(changed("rows = 7", "rows = 6"), "more rows than the table says");
  refused(changed("rows = 7", "rows = 8"), "has no strategy");
  refused(changed("4005", "nan"), "seconds is 'nan'");
  refused(changed("4005", "-1"), "seconds is '-1'");
  refused(changed("family,", "families,"), "must be 'family,strategy");
  refused(changed("bytes_per_second = 100", "bytes_per_second = 0"), "must be positive");
}

/// A table of this folder: times as they were measured, and what tools/compare/keep_times.py keeps of them.
std::string sample(const std::string& name) {
  std::ifstream file(std::string(TESSERA_SOURCE_DIR) + "/unit_tests/strategies/best/" + name);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// What is kept predicts what all that was measured does, on each mesh that was measured, as it is and
/// smaller.
TEST(Calibration, PredictsByWhatIsKeptOfItAsByAll) {
  const Calibration measured = parse_calibration(sample("measured.txt"), "measured.txt"),
                    kept = parse_calibration(sample("kept.txt"), "kept.txt");
  EXPECT_EQ(kept.device, measured.device);
  EXPECT_EQ(kept.flops_per_second, measured.flops_per_second);
  int rested_on = 0;
  for (const CalibrationRow& row : measured.rows) {
    rested_on += !row.mesh.starts_with("uneven "); // those are there to judge predictions by
    for (const double size : {1.0, 0.1})
      for (const bool refined : {true, false}) {
        const ChoiceProblem problem{
            .family = row.family,
            .element = row.element,
            .scalar = row.scalar,
            .refined = refined,
            .elements = size * row.elements,
            .mesh = {.spread = row.spread, .bent = row.bent, .crowding = row.crowding}};
        const ChoiceCandidate candidate{.name = row.strategy,
                                        .cost = Cost{.bytes = row.bytes, .flops = row.flops}};
        const auto expected = predict(measured, problem, candidate),
                   found = predict(kept, problem, candidate);
        ASSERT_EQ(found.has_value(), expected.has_value()) << row.strategy << ' ' << row.mesh;
        if (!expected) continue;
        EXPECT_NEAR(found->seconds, expected->seconds, 2e-5 * expected->seconds) << row.strategy << row.mesh;
        EXPECT_EQ(found->plan_seconds, expected->plan_seconds) << row.strategy << row.mesh;
        EXPECT_EQ(found->plan_bytes, expected->plan_bytes) << row.strategy << row.mesh;
      }
  }
  EXPECT_EQ(static_cast<int>(kept.rows.size()), rested_on);
}

TEST(Calibration, ThatWasKeptAndIsDamagedIsRefusedWithItsLine) {
  const std::string text = sample("kept.txt");
  const auto refused = [&](const std::string& what, const std::string& into, const std::string& why) {
    std::string damaged = text;
    ASSERT_NE(damaged.find(what), std::string::npos) << what;
    damaged.replace(damaged.find(what), what.size(), into);
    expect_throw_with<ArgumentError>([&] { parse_calibration(damaged, "times.txt"); }, why);
  };
  refused("quad1,bent,", "quad1,curved,", "times.txt, line 15: no prediction rests on a mesh 'curved'");
  refused("quad1,bent,", "quad2,bent,", "times.txt, line 24: there is no bent box of quad1");
  refused(",192,2.80843e+08,", ",192,,", "has a time on the ordered box and no bytes");
  refused(",192,2.80843e+08,", ",,2.80843e+08,", "flops is ''");
  refused(",192,2.80843e+08,", ",192,many,", "bytes ordered is 'many'");
  refused("times = 7", "times = 6", "more rows than the table says");
  refused("meshes = 12", "meshes = 13", "times.txt, line 22: has no mesh");
  refused("plan_bytes,flops", "flops,plan_bytes", "must be 'family,strategy");
}

/// The environment as it was, at the end.
class Environment {
public:
  Environment(const char* name, const std::string& value) : name_(name) {
    if (const char* const old = std::getenv(name)) old_ = old;
    setenv(name, value.c_str(), 1);
  }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;
  ~Environment() {
    if (old_)
      setenv(name_, old_->c_str(), 1);
    else
      unsetenv(name_);
  }

private:
  const char* name_;
  std::optional<std::string> old_;
};

detail::MachineKind machine(const std::string& device, bool measured = true) {
  return {device, true, [measured] {
            if (!measured) ADD_FAILURE() << "measured again";
            return Machine{.bytes_per_second = 1e9, .flops_per_second = 1e9};
          }};
}

TEST(MachineCalibration, OfAnUnknownDeviceIsMadeOfAnotherAndLeftInTheCache) {
  const test::TemporaryFolder folder;
  const Environment cache("TESSERA_CACHE", folder.path().string());
  const auto made = detail::calibration_of(machine("Unknown processor, 3 threads"));
  EXPECT_EQ(made->device, "Unknown processor, 3 threads");
  EXPECT_EQ(made->bytes_per_second, 1e9);
  EXPECT_GT(made->rows.size(), 100u);
  std::size_t files = 0;
  for (const auto& file : std::filesystem::directory_iterator(folder.path() / "calibration")) {
    ++files;
    EXPECT_EQ(read_calibration(file.path().string()).rows.size(), made->rows.size());
  }
  EXPECT_EQ(files, 1u);
}

TEST(MachineCalibration, OfAnotherDeviceOrDamagedIsRefused) {
  const test::TemporaryFolder folder;
  const std::string file = (folder.path() / "times.txt").string();
  const Environment named("TESSERA_CALIBRATION", file);
  expect_throw_with<ArgumentError>([&] { detail::calibration_of(machine("processor A")); }, "cannot be read");
  std::ofstream(file).flush();
  expect_throw_with<ArgumentError>([&] { detail::calibration_of(machine("processor A")); },
                                   "times.txt: is empty");
  std::ofstream(file) << calibration_text(table());
  expect_throw_with<ArgumentError>([&] { detail::calibration_of(machine("processor A", false)); },
                                   "has the times of 'device', this is 'processor A'");
  std::ofstream(file) << "tessera calibration 1\n";
  expect_throw_with<ArgumentError>([&] { detail::calibration_of(machine("processor A", false)); },
                                   "times.txt, line 2");
  std::ofstream(file) << calibration_text(table());
  EXPECT_EQ(detail::calibration_of(machine("device", false))->rows.size(), table().rows.size());
}

} // namespace strategies_best_calibration
