// SPDX-License-Identifier: BSD-3-Clause
// Meshes of several element types: of all that the build compiles of order one in the plane, and in space.
#include "blocks.hpp"

#include <compiled_elements.hpp>

namespace tessera::python {

namespace {

template <class... Elements>
Blocks<Elements...> list_of(std::tuple<std::type_identity<Elements>...>);

template <class Element, int dimension>
using IfLinear = std::conditional_t<Element::order == 1 && Element::dimension == dimension,
                                    std::tuple<std::type_identity<Element>>, std::tuple<>>;

template <int dimension, class... Elements>
auto linear(std::tuple<Elements...>*) -> decltype(std::tuple_cat(IfLinear<Elements, dimension>()...));

/// Those of a dimension, as std::tuple of std::type_identity.
template <int dimension>
using Linear = decltype(linear<dimension>(static_cast<CompiledElements*>(nullptr)));

template <class... Elements>
std::string names(std::tuple<std::type_identity<Elements>...>) {
  std::string list;
  ((list += (list.empty() ? "" : ", ") + std::string(Elements::name)), ...);
  return list;
}

template <class... Elements>
std::shared_ptr<AnyMesh> mixed_mesh(const MeshArrays& arrays, std::tuple<std::type_identity<Elements>...>) {
  using Mixed = MixedMesh<Blocks<Elements...>, Exec>;
  for (const BlockArrays& block : arrays.blocks)
    if (!(same_name(block.element, Elements::name) || ...))
      throw UnsupportedError("Mesh: of several element types it may have " +
                             names(std::tuple<std::type_identity<Elements>...>()) + ", not " + block.element);
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

/// Calls `use` with the elements of a dimension that can be together.
template <class Use>
std::shared_ptr<AnyMesh> with_linear(std::size_t dimension, const Use& use) {
  const auto use_if_any = [&](auto elements) -> std::shared_ptr<AnyMesh> {
    if constexpr (std::tuple_size_v<decltype(elements)> == 0)
      throw UnsupportedError("Mesh: no elements of order one are compiled for this dimension");
    else
      return use(elements);
  };
  if (dimension == 2) return use_if_any(Linear<2>());
  if (dimension == 3) return use_if_any(Linear<3>());
  throw ArgumentError("Mesh: points have " + std::to_string(dimension) + " columns; 2 or 3 are needed");
}

} // namespace

std::shared_ptr<AnyMesh> mixed_from_arrays(const MeshArrays& arrays) {
  return with_linear(arrays.dimension, [&](auto elements) { return mixed_mesh(arrays, elements); });
}

std::shared_ptr<AnyMesh> mixed_from_data(io::MeshData data, bool allow_partial) {
  return with_linear(to_size(data.dimension()), [&](auto elements) -> std::shared_ptr<AnyMesh> {
    using List = decltype(list_of(elements));
    return make_kept<MixedMeshOf<List>>(
        io::to_mixed_mesh<List>(default_instance<Exec>(), std::move(data), allow_partial));
  });
}

} // namespace tessera::python
