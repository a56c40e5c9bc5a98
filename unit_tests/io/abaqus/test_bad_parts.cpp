// SPDX-License-Identifier: BSD-3-Clause
// Decks of parts and instances with slips, each refused by file, line and name.

#include <tessera/core/error.hpp>
#include <tessera/io/abaqus/reader.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <support/files.hpp>
#include <support/meshes/mesh_samples.hpp>

namespace io_abaqus_bad_parts {

using namespace tessera;
using namespace tessera::io;
using ::testing::ThrowsMessage;

const std::string& deck = test::abaqus_parts_sample;

std::string changed(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

void expect_refused(const std::string& from, const std::string& to, const std::string& message) {
  const test::TemporaryFolder folder;
  const std::string path = folder.write("bad.inp", changed(deck, from, to));
  EXPECT_THAT([&] { read_abaqus(path); }, ThrowsMessage<FileError>(path + message));
}

TEST(AbaqusBadParts, BadPartsAndInstancesAreRefused) {
  expect_refused("part=Corner\n*End", "part=Korner\n*End",
                 ":37: there is no part 'KORNER' above this line; there are BLOCK, CORNER");
  expect_refused(", part=Corner\n*End", "\n*End", ":37: *Instance needs the parameter PART=name");
  expect_refused("part=Corner\n*End", "part=Corner, library=f\n*End",
                 ":37: *Instance with LIBRARY is not supported");
  expect_refused("name=Corner-1, ", "", ":37: *Instance needs the parameter NAME=name");
  expect_refused("*Instance, name=Corner-2", "*Instance, name=corner-1",
                 ":39: there are two instances 'CORNER-1'");
  expect_refused("*Part, name=Block", "*Part, name=CORNER", ":20: there are two parts 'CORNER'");
  expect_refused("*Part, name=Block", "*Part", ":20: *PART needs the parameter NAME=name");
  expect_refused("*End Part\n*Part, name=Block", "*Part, name=Block",
                 ":19: *Part inside part 'CORNER' of line 3, which has no *END PART");
  expect_refused("*End Part\n** ASSEMBLY", "** ASSEMBLY",
                 ":35: *Assembly inside part 'BLOCK' of line 20, which has no *END PART");
  expect_refused(deck, deck.substr(0, deck.find("*End Part")),
                 ":3: part 'CORNER' has no *END PART: the deck may be cut short");
  expect_refused("*Heading", "*End Part", ":1: *END PART without *PART");
  expect_refused("*End Instance\n*Instance, name=Corner-2", "*Instance, name=Corner-2",
                 ":38: *Instance inside the instance of line 37, which has no *END INSTANCE");
  expect_refused("*End Instance\n*Node", "*Node",
                 ":51: *Nset with INSTANCE inside the instance of line 45, which has no *END INSTANCE");
  expect_refused("*End Assembly", "*End Instance", ":64: *END INSTANCE without *INSTANCE");
  expect_refused("** ASSEMBLY", "*End Assembly", ":35: *END ASSEMBLY without *ASSEMBLY");
  expect_refused("*End Assembly\n", "", ":36: the assembly has no *END ASSEMBLY: the deck may be cut short");
  expect_refused("*End Assembly\n", "*Step\n",
                 ":64: *Step inside the assembly of line 36, which has no *END ASSEMBLY");
  expect_refused("*End Assembly\n", "*End Assembly\n*Assembly, name=B\n", ":65: a second *Assembly");
  expect_refused("*End Assembly\n", "*End Assembly\n*Instance, name=B, part=Block\n",
                 ":65: *Instance outside an assembly");
  expect_refused(deck, "*PART, NAME=P\n*NODE\n1\n*END PART\n", ":1: no part of the deck has an *INSTANCE");
  expect_refused("*Heading", "*Node\n1\n*Heading",
                 ":38: *Assembly below *Node of line 1, which stands in no part");
}

TEST(AbaqusBadParts, BadNamesAndNumbersOfInstancesAreRefused) {
  expect_refused("instance=Corner-1", "instance=Corner-3",
                 ":52: there is no instance 'CORNER-3' above this line");
  expect_refused("1, 4\n*Nset", "1, 5\n*Nset",
                 ":53: node set 'SET-1' holds node CORNER-1.5, which the deck does not define");
  expect_refused("Block-1.7, 1", "Block-1.9, 1",
                 ":57: node set 'MIXED' holds node BLOCK-1.9, which the deck does not define");
  expect_refused("Block-1.7, 1", "Block-1.1000000000, 1", ":57: there is no node BLOCK-1.1000000000");
  expect_refused("Block-1.7, 1", "Block-1.7, 2",
                 ":57: node set 'MIXED' holds node 2, which the deck does not define");
  expect_refused("4, 0., 0., 1.", "1000000000, 0., 0., 1.",
                 ":8: expected node number from 1 to 999999999, but found 1000000000");
  expect_refused("1, 1, 2, 3, 4\n", "1, 1, 2, 3, 5\n",
                 ":10: element CORNER-1.1 has node CORNER-1.5, which the deck does not define");
  expect_refused("2, 1., 0., 0.\n3, 0.", "1, 1., 0., 0.\n3, 0.", ": node CORNER-1.1 is defined twice");
  expect_refused("2., 0., 0.\n1.,", "2., 0., 0., 1.\n1.,",
                 ":40: *Instance takes 3 fields a line here, but the line goes on with '1.'; is a keyword "
                 "missing?");
  expect_refused("1., 0., 3., 90.", "1., 0., 0., 90.", ":41: the two points of the axis of rotation are one");
  expect_refused("1., 0., 3., 90.", "1., 0., 3.", ":41: expected the angle of rotation, but the line ends");
  expect_refused("3., 90.\n", "3., 90.\n1., 2.\n",
                 ":42: *Instance has at most two data lines; is a keyword missing?");
}

} // namespace io_abaqus_bad_parts
