// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// A mesh through a pipe: each field in its order, written down once for both directions.
///
/// A Pipe has `static constexpr bool sends`, and `bytes(pointer, size)`, which writes or fills them. One that
/// receives has `require_capacity(count, item_size)` too, which throws for counts that are too large to be
/// allocated for.

#include <tessera/io/mesh_data.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <type_traits>
#include <vector>

namespace tessera::io {

template <class Pipe, class T>
  requires std::is_trivially_copyable_v<T>
void transfer(const Pipe& pipe, T& value) {
  pipe.bytes(&value, sizeof(T));
}

/// The size of a container, which on the receiving side has none yet.
template <class Pipe, class Container>
std::uint64_t transfer_size(const Pipe& pipe, const Container& container) {
  std::uint64_t size = container.size();
  transfer(pipe, size);
  if constexpr (!Pipe::sends) pipe.require_capacity(size, sizeof(typename Container::value_type));
  return size;
}

template <class Pipe, class Sequence>
  requires requires(Sequence& s) { s.resize(1); }
void transfer(const Pipe& pipe, Sequence& sequence) {
  using Item = typename Sequence::value_type;
  const std::uint64_t size = transfer_size(pipe, sequence);
  if constexpr (!Pipe::sends) sequence.resize(size);
  if constexpr (std::is_trivially_copyable_v<Item>)
    pipe.bytes(sequence.data(), size * sizeof(Item));
  else
    for (Item& item : sequence) transfer(pipe, item);
}

template <class Pipe, class Key, class Value>
void transfer(const Pipe& pipe, std::map<Key, Value>& map) {
  const std::uint64_t size = transfer_size(pipe, map);
  if constexpr (Pipe::sends) {
    for (auto& [key, value] : map) {
      Key copy = key;
      transfer(pipe, copy);
      transfer(pipe, value);
    }
  } else {
    for (std::uint64_t i = 0; i < size; ++i) {
      Key key{};
      transfer(pipe, key);
      transfer(pipe, map[key]);
    }
  }
}

template <class Pipe>
void transfer(const Pipe& pipe, Numbering& numbering) {
  std::vector<Numbering::Run> runs = numbering.runs();
  Ordinal size = numbering.size();
  transfer(pipe, runs);
  transfer(pipe, size);
  if constexpr (!Pipe::sends)
    for (std::size_t i = 0; i < runs.size(); ++i)
      numbering.append_range(runs[i].id, (i + 1 < runs.size() ? runs[i + 1].index : size) - runs[i].index);
}

template <class Pipe>
void transfer(const Pipe& pipe, Field& field) {
  transfer(pipe, field.name);
  transfer(pipe, field.values);
}

template <class Pipe>
void transfer(const Pipe& pipe, CellBlock& block) {
  transfer(pipe, block.type);
  transfer(pipe, block.nodes);
  transfer(pipe, block.material);
  transfer(pipe, block.ids);
  transfer(pipe, block.cell_sets);
  transfer(pipe, block.side_sets);
  transfer(pipe, block.formulations);
  transfer(pipe, block.fields);
}

template <class Pipe>
void transfer(const Pipe& pipe, MeshData& data) {
  transfer(pipe, data.source);
  transfer(pipe, data.points);
  transfer(pipe, data.node_ids);
  if constexpr (!Pipe::sends) data.node_ids.build_index();
  transfer(pipe, data.blocks);
  transfer(pipe, data.node_sets);
  transfer(pipe, data.material_names);
  transfer(pipe, data.node_fields);
}

} // namespace tessera::io
