// SPDX-License-Identifier: BSD-3-Clause
#include <tessera/core/error.hpp>
#include <tessera/io/detail/left_out.hpp>
#include <tessera/io/vtk/detail/child.hpp>
#include <tessera/io/vtk/detail/exodus_side_sets.hpp>
#include <tessera/io/vtk/detail/exodus_types.hpp>
#include <tessera/io/vtk/exodus_reader.hpp>

#include <vtk_exodusII.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cctype>
#include <cmath>
#include <limits>
#include <utility>

namespace tessera::io {

namespace {

/// Whether a file's first four bytes are those of netCDF: "CDF" with a version, or HDF5's mark.
bool is_netcdf(std::uint32_t magic) noexcept {
  const auto bytes = std::bit_cast<std::array<char, 4>>(magic);
  const std::string_view text(bytes.data(), bytes.size());
  return text == "\x89HDF" || (text.starts_with("CDF") && (text[3] == 1 || text[3] == 2 || text[3] == 5));
}

class ExodusReader {
public:
  ExodusReader(const std::string& path, const ReadOptions& options) : path_(path), options_(options) {
    InputFile file(path);
    // No more can come out of a file than its compression, zlib's, lets in.
    most_entries_ = 1032 * file.remaining();
    // The library prints what it thinks of files of other formats, whatever its options are.
    const auto magic = file.remaining() < 4 ? 0 : file.raw<std::uint32_t>("the format's mark");
    if (!is_netcdf(magic)) fail("is no Exodus II file");
    ex_opts(EX_DEFAULT);
    int double_bytes = sizeof(double), stored_bytes = 0;
    float version = 0.0f;
    file_ = ex_open(path.c_str(), EX_READ, &double_bytes, &stored_bytes, &version);
    if (file_ < 0) fail("is a damaged Exodus II file");
    ex_set_int64_status(file_, EX_ALL_INT64_API);
    ex_set_max_name_length(file_, longest_name);
  }
  ExodusReader(const ExodusReader&) = delete;
  ExodusReader& operator=(const ExodusReader&) = delete;
  ~ExodusReader() {
    if (file_ >= 0) ex_close(file_);
  }

  MeshData read() {
    data_.source = path_;
    check(ex_get_init_ext(file_, &counts_), "the counts of nodes and elements");
    require_capacity(counts_.num_nodes, "nodes");
    require_capacity(counts_.num_elem, "elements");
    read_nodes();
    report(0.4);
    read_blocks();
    report(0.9);
    left_out_.tell(path_, options_.left_out);
    if (data_.blocks.empty() && left_out_.total() > 0)
      fail("has no elements but " + left_out_.list() + ", which are not supported");
    for (const ExodusSet& set : read_sets(EX_NODE_SET, counts_.num_node_sets, "nodeset")) add_node_set(set);
    add_exodus_side_sets(data_, std::move(places_), counts_.num_elem,
                         read_sets(EX_SIDE_SET, counts_.num_side_sets, "sideset"), options_);
    report(1.0);
    return std::move(data_);
  }

private:
  static constexpr int longest_name = 256;

  [[noreturn]] void fail(const std::string& what) const { throw FileError(path_, 0, what); }

  void check(int status, const std::string& what) const {
    if (status < 0) fail(what + " cannot be read: " + ex_strerror(status));
  }

  void report(double fraction) const {
    if (options_.progress) options_.progress(fraction);
  }

  /// Makes allocating for a count safe.
  void require_capacity(std::int64_t count, const std::string& items) const {
    if (count < 0 || count > std::numeric_limits<Ordinal>::max())
      fail(std::to_string(count) + " " + items + " are more than the " +
           std::to_string(std::numeric_limits<Ordinal>::max()) + " that 32-bit numbers can count");
    require_bytes(static_cast<std::uint64_t>(count), items);
  }

  void require_bytes(std::uint64_t count, const std::string& items) const {
    if (count > most_entries_)
      fail("promises " + std::to_string(count) + " " + items + ", more than a file of its size can hold");
  }

  std::vector<std::int64_t> read_ids(ex_entity_type kind, std::int64_t count, const std::string& what) const {
    require_capacity(count, what);
    std::vector<std::int64_t> ids(static_cast<std::size_t>(count));
    if (count > 0) check(ex_get_ids(file_, kind, ids.data()), what);
    return ids;
  }

  std::string read_name(ex_entity_type kind, std::int64_t id, const char* fallback) const {
    std::string name(longest_name + 1, '\0');
    check(ex_get_name(file_, kind, id, name.data()), "a name");
    name.resize(std::min(name.find('\0'), name.size()));
    return name.empty() ? fallback + std::to_string(id) : name;
  }

  /// The file's numbers of nodes or elements; 1, 2, ... where it gives none.
  std::vector<std::int64_t> read_map(ex_entity_type kind, std::int64_t count, const char* what) const {
    std::vector<std::int64_t> map(static_cast<std::size_t>(count));
    check(ex_get_id_map(file_, kind, map.data()), what);
    for (const std::int64_t id : map)
      if (id < 0 || id > Numbering::max_id) fail(std::string(what) + " has " + std::to_string(id));
    return map;
  }

  void read_nodes() {
    const auto nodes = static_cast<std::size_t>(counts_.num_nodes);
    if (counts_.num_dim < 1 || counts_.num_dim > 3)
      fail("has " + std::to_string(counts_.num_dim) + " dimensions, not 1 to 3");
    std::vector<double> axis[3];
    for (int d = 0; d < counts_.num_dim; ++d) axis[d].resize(nodes);
    if (nodes > 0)
      check(ex_get_coord(file_, axis[0].data(), axis[1].data(), axis[2].data()), "the coordinates");
    data_.points.resize(3 * nodes);
    for (std::size_t d = 0; d < 3; ++d)
      for (std::size_t node = 0; node < axis[d].size(); ++node) {
        if (!std::isfinite(axis[d][node]))
          fail("node " + std::to_string(node + 1) + " has a coordinate that is not finite");
        data_.points[3 * node + d] = axis[d][node];
      }
    for (const std::int64_t id : read_map(EX_NODE_MAP, counts_.num_nodes, "the map of the nodes"))
      data_.node_ids.append(id);
    if (const auto repeated = data_.node_ids.build_index())
      fail("node " + std::to_string(*repeated) + " is defined twice");
  }

  void read_blocks() {
    const auto ids = read_map(EX_ELEM_MAP, counts_.num_elem, "the map of the elements");
    std::int64_t first = 0;
    for (const std::int64_t id : read_ids(EX_ELEM_BLOCK, counts_.num_elem_blk, "element blocks")) {
      ex_block block{};
      block.id = id;
      block.type = EX_ELEM_BLOCK;
      check(ex_get_block_param(file_, &block), "block " + std::to_string(id));
      if (block.num_entry < 0 || block.num_entry > counts_.num_elem - first)
        fail("block " + std::to_string(id) + " has " + std::to_string(block.num_entry) + " elements where " +
             std::to_string(counts_.num_elem - first) + " are left");
      if (block.num_entry > 0) read_block(block, first, ids);
      first += block.num_entry;
    }
    if (first != counts_.num_elem)
      fail("promises " + std::to_string(counts_.num_elem) + " elements, but its blocks hold " +
           std::to_string(first));
  }

  void read_block(const ex_block& block, std::int64_t first, const std::vector<std::int64_t>& ids) {
    std::string topology = block.topology;
    std::transform(topology.begin(), topology.end(), topology.begin(),
                   [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    const std::string name = read_name(EX_ELEM_BLOCK, block.id, "block");
    const ExodusType* known = exodus_type(topology, block.num_nodes_per_entry);
    if (known == nullptr && options_.allow_partial) {
      left_out_.add("elements " + in_quotes(topology) + " of " + std::to_string(block.num_nodes_per_entry) +
                        " nodes in block " + in_quotes(name),
                    block.num_entry);
      places_.push_back({.first = first, .left_out = true});
      return;
    }
    if (known == nullptr)
      fail("block " + in_quotes(name) + " has " + std::to_string(block.num_entry) + " elements " +
           in_quotes(topology) + " of " + std::to_string(block.num_nodes_per_entry) +
           " nodes, which are not supported; read are SPHERE, BAR2, BAR3, TRI3, TRI6, QUAD4, QUAD8, QUAD9, "
           "TET4, TET10, HEX8, HEX20, HEX27, WEDGE6, WEDGE15, WEDGE18, PYRAMID5 and PYRAMID13");
    if (block.id < 0 || block.id > std::numeric_limits<std::int32_t>::max())
      fail("block number " + std::to_string(block.id) + " does not fit 32 bits");
    const auto cells = static_cast<std::size_t>(block.num_entry);
    const auto nodes = static_cast<std::size_t>(block.num_nodes_per_entry);
    require_bytes(cells * nodes, "nodes of elements");
    std::vector<std::int64_t> connectivity(cells * nodes);
    check(ex_get_conn(file_, EX_ELEM_BLOCK, block.id, connectivity.data(), nullptr, nullptr),
          "the connectivity of block " + in_quotes(name));

    CellBlock& target = data_.block(known->type);
    places_.push_back(
        {first, known->type, target.cells(), exodus_edges(topology, known->type, counts_.num_dim), false});
    append(target.cell_sets[name], {target.cells(), static_cast<Ordinal>(cells)});
    data_.material_names[static_cast<std::int32_t>(block.id)] = name;
    target.nodes.reserve(target.nodes.size() + connectivity.size());
    for (std::size_t cell = 0; cell < cells; ++cell) {
      const std::int64_t id = ids[static_cast<std::size_t>(first) + cell];
      for (std::size_t n = 0; n < nodes; ++n) {
        const std::size_t place = known->order.empty() ? n : static_cast<std::size_t>(known->order[n]);
        const std::int64_t node = connectivity[cell * nodes + place];
        if (node < 1 || node > data_.nodes())
          fail("element " + std::to_string(id) + " has node " + std::to_string(node) + ", but there are " +
               std::to_string(data_.nodes()) + " nodes");
        target.nodes.push_back(static_cast<Ordinal>(node - 1));
      }
      target.material.push_back(static_cast<std::int32_t>(block.id));
      target.ids.append(id);
    }
  }

  std::vector<ExodusSet> read_sets(ex_entity_type kind, std::int64_t count, const char* fallback) const {
    std::vector<ExodusSet> sets;
    for (const std::int64_t id : read_ids(kind, count, fallback + std::string("s"))) {
      ExodusSet set{read_name(kind, id, fallback), {}, {}};
      std::int64_t entries = 0, factors = 0;
      check(ex_get_set_param(file_, kind, id, &entries, &factors), "set " + in_quotes(set.name));
      require_capacity(entries, "entries of set " + in_quotes(set.name));
      set.items.resize(static_cast<std::size_t>(entries));
      if (kind == EX_SIDE_SET) set.sides.resize(set.items.size());
      if (entries > 0)
        check(ex_get_set(file_, kind, id, set.items.data(), kind == EX_SIDE_SET ? set.sides.data() : nullptr),
              "set " + in_quotes(set.name));
      sets.push_back(std::move(set));
    }
    return sets;
  }

  void add_node_set(const ExodusSet& set) {
    std::vector<Ordinal>& nodes = data_.node_sets[set.name];
    for (const std::int64_t node : set.items) {
      if (node < 1 || node > data_.nodes())
        fail("node set " + in_quotes(set.name) + " has node " + std::to_string(node) + ", but there are " +
             std::to_string(data_.nodes()) + " nodes");
      nodes.push_back(static_cast<Ordinal>(node - 1));
    }
    std::sort(nodes.begin(), nodes.end());
    nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  }

  const std::string& path_;
  const ReadOptions& options_;
  MeshData data_;
  ex_init_params counts_{};
  std::vector<ExodusPlace> places_; ///< in the order of the file
  LeftOut left_out_;
  std::uint64_t most_entries_ = 0;
  int file_ = -1;
};

} // namespace

MeshData read_exodus(const std::string& path, const ReadOptions& options) {
  return read_in_child(path, options, [](const std::string& file, const ReadOptions& with) {
    return ExodusReader(file, with).read();
  });
}

} // namespace tessera::io
