// SPDX-License-Identifier: BSD-3-Clause
// Meshes of several element types: of the lists of lists.hpp.
#include "blocks.hpp"

#include <tessera/core/same_name.hpp>

#include "lists.hpp"
#include <algorithm>

namespace tessera::python {

namespace {

template <class... Elements>
bool has(std::type_identity<Blocks<Elements...>>, const std::string& type) {
  return (same_name(type, Elements::name) || ...);
}

template <class... Elements>
std::string names(std::type_identity<Blocks<Elements...>>) {
  std::string list;
  ((list += (list.empty() ? "" : "+") + std::string(Elements::name)), ...);
  return list;
}

/// `make(a list)` of the first list that has all types, or where parts are allowed some of them.
/// \throws UnsupportedError that names the lists there are
template <class Make>
std::shared_ptr<AnyMesh> with_list(const std::vector<std::string>& types, bool allow_partial,
                                   const Make& make) {
  std::shared_ptr<AnyMesh> mesh;
  std::string known, given;
  for (const std::string& type : types) given += (given.empty() ? "" : "+") + type;
  const auto with = [&]<class Space>(std::type_identity<Space>, bool all) {
    if constexpr (ElementsOf<Space>::order > 0) {
      constexpr std::type_identity<ElementsOf<Space>> list{};
      const auto in_list = [&](const std::string& type) { return has(list, type); };
      if (all) known += (known.empty() ? "" : ", ") + names(list);
      if (!mesh && (all ? std::all_of(types.begin(), types.end(), in_list)
                        : std::any_of(types.begin(), types.end(), in_list)))
        mesh = make(list);
    }
  };
  for (const bool all : {true, false})
    if (all || (!mesh && allow_partial))
      [&]<int... list>(std::integer_sequence<int, list...>) {
        (with(std::type_identity<ListSpace<list>>(), all), ...);
      }(std::make_integer_sequence<int, num_lists>());
  if (!mesh)
    throw UnsupportedError("Mesh: of several element types it may have " +
                           (known.empty() ? "none in this build" : known) + ", not " + given);
  return mesh;
}

template <class... Elements>
std::shared_ptr<AnyMesh> mixed_mesh(const MeshArrays& arrays, std::type_identity<Blocks<Elements...>> list) {
  using Mixed = MixedMesh<Blocks<Elements...>, Exec>;
  check_columns("points", arrays.dimension, Mixed::dimension, names(list));
  const auto cells_of = [&]<class Element>(std::type_identity<Element>) {
    using MeshType = Mesh<Element, Exec>;
    typename Mixed::template Cells<Element> cells;
    for (const BlockArrays& block : arrays.blocks)
      if (same_name(block.element, Element::name))
        cells = {connectivity_of<MeshType>(block), materials_of<MeshType>(block)};
    return cells;
  };
  return make_kept<MixedMeshOf<Blocks<Elements...>>>(Mixed(
      default_instance<Exec>(), coordinates_of<Mixed>(arrays), cells_of(std::type_identity<Elements>())...));
}

} // namespace

std::shared_ptr<AnyMesh> mixed_from_arrays(const MeshArrays& arrays) {
  std::vector<std::string> types;
  for (const BlockArrays& block : arrays.blocks) types.push_back(block.element);
  return with_list(types, false, [&](auto list) { return mixed_mesh(arrays, list); });
}

std::shared_ptr<AnyMesh> mixed_from_data(io::MeshData data, bool allow_partial) {
  std::vector<std::string> types;
  for (const io::CellBlock& block : data.blocks)
    if (block.type.dimension() == data.dimension() && block.cells() > 0) types.push_back(block.type.name());
  return with_list(types, allow_partial,
                   [&]<class List>(std::type_identity<List>) -> std::shared_ptr<AnyMesh> {
                     return make_kept<MixedMeshOf<List>>(
                         io::to_mixed_mesh<List>(default_instance<Exec>(), std::move(data), allow_partial));
                   });
}

} // namespace tessera::python
