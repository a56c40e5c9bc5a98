// SPDX-License-Identifier: BSD-3-Clause
#include <tessera/io/gmsh/detail/sections.hpp>
#include <tessera/io/gmsh/reader.hpp>

namespace tessera::io {

namespace {

/// Whether a section of version 4 is written in bytes where the file is binary.
bool has_bytes(const std::string& section) {
  return section == "Entities" || section == "PartitionedEntities" || section == "Nodes" ||
         section == "Elements";
}

/// Whether a section holds a part of the mesh.
bool is_mesh_section(const std::string& section) {
  return has_bytes(section) || section == "PhysicalNames" || section == "ParametricNodes" ||
         section == "NodesWithPhysicalTags";
}

constexpr const char* rewrite =
    " is not supported; read are 1 to 2.2, 3, 4.0 and 4.1 (gmsh -format msh41 -save)";

/// Goes to the end of the line $MeshFormat, or $NOD, with which files of version 1 begin, past sections that
/// are not the mesh's, such as $Comments. Returns whether it is $NOD.
bool find_format(InputFile& file) {
  for (std::string_view word = file.word(); word != "$MeshFormat"; word = file.word()) {
    if (word == "$NOD") return true;
    const std::string section(word.substr(word.empty() ? 0 : 1));
    if (!word.starts_with('$') || is_mesh_section(section))
      file.fail("not a Gmsh file: it does not begin with $MeshFormat");
    if (!file.skip_past("$End" + section)) file.fail("the file ends inside section $" + section);
  }
  return false;
}

/// $MeshFormat: version, text or binary, bytes of a size; in binary a 1 that tells the byte order.
void read_format(GmshStream& stream) {
  InputFile& file = stream.file();
  const std::string version(file.word());
  double number = 0.0; // programs write 2.200000 too
  const bool known = parse(version, number);
  const bool old = known && ((number >= 2.0 && number <= 2.2) || number == 3.0);
  const bool first_of_4 = known && number == 4.0;
  if (!old && !first_of_4 && !(known && number == 4.1))
    file.fail("Gmsh format " + in_quotes(version) + rewrite);
  const std::int64_t encoding = file.integer("0 for text or 1 for binary");
  const std::int64_t size = file.integer("the bytes of a number");
  if (encoding != 0 && encoding != 1)
    file.fail("expected 0 for text or 1 for binary, but found " + std::to_string(encoding));
  if (size != 8 && (encoding == 1 || size != 4)) // text is the same
    file.fail("numbers of " + std::to_string(size) + " bytes are not supported, only of 8");
  if (first_of_4 && encoding == 1)
    file.fail("Gmsh format 4.0 in binary is not supported (gmsh -format msh41 -save)");
  stream.set_first_of_4(first_of_4);
  const int tag_bytes = old ? 4 : 8;
  if (encoding == 1) {
    file.end_line();
    const auto one = file.raw<std::int32_t>("the number one");
    if (one != 1 && one != 0x01000000)
      file.fail("the byte order's mark is " + std::to_string(one) + ", not 1");
    stream.set_encoding(true, one != 1, tag_bytes);
  } else {
    stream.set_encoding(false, false, tag_bytes);
  }
}

void expect(GmshStream& stream, const std::string& expected) {
  const std::string_view word = stream.file().word();
  if (word != expected)
    stream.fail("expected " + expected + ", but found " +
                (word.empty() ? std::string("the end of the file") : in_quotes(word)));
}

void expect_end(GmshStream& stream, const std::string& section) { expect(stream, "$End" + section); }

/// What follows the line $NOD of a file of version 1.
MeshData read_version1(GmshStream& stream, const ReadOptions& options) {
  stream.set_encoding(false, false, 4);
  GmshBuilder builder(stream, options);
  read_nodes2(stream, builder);
  expect(stream, "$ENDNOD");
  builder.finish_nodes();
  expect(stream, "$ELM");
  read_elements1(stream, builder);
  expect(stream, "$ENDELM");
  if (const std::string_view word = stream.file().word(); !word.empty())
    stream.fail("expected the end of the file, but found " + in_quotes(word));
  return builder.finish();
}

} // namespace

MeshData read_gmsh(const std::string& path, const ReadOptions& options) {
  GmshStream stream(path, options.progress);
  InputFile& file = stream.file();
  if (find_format(file)) return read_version1(stream, options);
  read_format(stream);
  expect_end(stream, "MeshFormat");

  GmshBuilder builder(stream, options);
  GmshEntities entities;
  bool has_elements = false;
  while (true) {
    const std::string_view word = file.word();
    if (word.empty()) break;
    if (word[0] != '$') stream.fail("expected a section's $Name, but found " + in_quotes(word));
    const std::string section(word.substr(1));
    const bool old = stream.version() == 2;
    // In version 2 a count in text comes before the bytes.
    if (!old && stream.binary() && has_bytes(section)) file.end_line();
    if (old && section == "Entities")
      stream.fail("section $Entities of Gmsh's own format 3 is not supported (gmsh -format msh41 -save)");
    if (section == "PhysicalNames") {
      read_physical_names(stream, builder);
    } else if (!old && (section == "Entities" || section == "PartitionedEntities")) {
      read_entities4(stream, section == "PartitionedEntities", entities);
    } else if (section == "Nodes") {
      if (builder.has_nodes()) stream.fail("a second $Nodes section");
      old ? read_nodes2(stream, builder) : read_nodes4(stream, builder);
      builder.finish_nodes();
    } else if (section == "Elements") {
      if (!builder.has_nodes()) stream.fail("$Elements comes before $Nodes");
      if (has_elements) stream.fail("a second $Elements section");
      old ? read_elements2(stream, builder) : read_elements4(stream, entities, builder);
      has_elements = true;
    } else if (section == "ParametricNodes" || section == "NodesWithPhysicalTags") {
      stream.fail("section $" + section + " is not supported (gmsh -setnumber Mesh.SaveParametric 0)");
    } else {
      if (!file.skip_past("$End" + section)) stream.fail("the file ends inside section $" + section);
      continue;
    }
    expect_end(stream, section);
  }
  if (!builder.has_nodes()) stream.fail("the file has no $Nodes section");
  if (!has_elements) stream.fail("the file has no $Elements section");
  return builder.finish();
}

} // namespace tessera::io
