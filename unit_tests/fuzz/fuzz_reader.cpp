// SPDX-License-Identifier: BSD-3-Clause
// A reader under libFuzzer: whatever the bytes of a file are, the reader refuses them with an exception of
// the library or gives a mesh that holds together. TESSERA_FUZZ_EXTENSION, the extension of the files,
// chooses it.

#include <tessera/core/error.hpp>
#include <tessera/io/abaqus/calculix_results.hpp>
#include <tessera/io/abaqus/deck.hpp>
#include <tessera/io/read.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <support/files.hpp>
#include <support/meshes/whole_mesh.hpp>
#include <utility>

namespace {

using namespace tessera;

constexpr std::string_view extension = TESSERA_FUZZ_EXTENSION;

void require_whole(const io::MeshData& data) {
  const std::string flaw = test::flaw_of(data);
  if (flaw.empty()) return;
  std::fprintf(stderr, "A mesh with a flaw was read: %s\n", flaw.c_str());
  std::abort();
}

/// Writes the input to a file, or, of TetGen, whose meshes are three files, its parts between zero bytes.
std::string write(const test::TemporaryFolder& folder, std::string_view input) {
  if (extension != ".ele") return folder.write("a" + std::string(extension), std::string(input));
  for (const char* name : {"a.node", "a.ele", "a.face"}) {
    const std::size_t end = std::min(input.find('\0'), input.size());
    folder.write(name, std::string(input.substr(0, end)));
    input.remove_prefix(std::min(end + 1, input.size()));
  }
  return folder / "a.ele";
}

void read(const std::string& path) {
  if (extension == ".frd") {
    io::read_calculix_displacements(path);
    return;
  }
  io::MeshData data = io::read_mesh_data(path);
  require_whole(data);
  const io::CellType type = io::single_type(data);
  require_whole(io::select(std::move(data), type, true));
}

void read_deck(const std::string& path) {
  io::AbaqusDeck deck = io::read_abaqus_deck(path);
  require_whole(deck.mesh);
  const io::CellType type = io::single_type(deck.mesh);
  deck = io::select(std::move(deck), type, true);
  require_whole(deck.mesh);
  io::require_linear_static(deck);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  static const test::TemporaryFolder folder;
  const std::string path = write(folder, {reinterpret_cast<const char*>(bytes), size});
  for (void (*const reading)(const std::string&) : {read, read_deck}) {
    if (reading == read_deck && extension != ".inp") continue;
    try {
      reading(path);
    } catch (const Error&) { // a refusal, which is as good as a mesh
    }
  }
  return 0;
}
