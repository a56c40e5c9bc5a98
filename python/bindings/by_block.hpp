// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Forms of spaces of one element type and of several, whose coefficients by element are numbered over all
// blocks.

#include <tessera/core/blocks/by_block.hpp>
#include <tessera/core/blocks/mixed_space.hpp>
#include <tessera/core/forms/helmholtz.hpp>
#include <tessera/core/forms/linear_elasticity.hpp>
#include <tessera/core/space/function_space.hpp>
#include <tessera/core/weak_form/weak_form.hpp>

#include "arrays.hpp"
#include <string>
#include <tuple>
#include <vector>

namespace tessera::python {

template <class Space>
struct ElementsOfSpace;
template <template <class, class> class Space, class Elements>
struct ElementsOfSpace<Space<Elements, Exec>> {
  using type = Elements;
};
/// Stands for the space over a list of elements that a build has too few of. There is never one.
template <int list>
struct NoSpace {};
template <int list>
struct ElementsOfSpace<NoSpace<list>> {
  struct type {
    static constexpr int order = 0;
  };
};
/// A `FunctionSpace`'s element, or a `MixedSpace`'s `Blocks`; `dimension` and `order` are those of either.
template <class Space>
using ElementsOf = typename ElementsOfSpace<Space>::type;

/// Where the elements of each block begin in a numbering over all blocks; the last entry is their count.
template <class MixedMesh>
std::vector<Ordinal> first_elements(const MixedMesh& mesh) {
  std::vector<Ordinal> first{0};
  mesh.for_each_block([&](const auto& block) { first.push_back(first.back() + block.num_elements()); });
  return first;
}

/// \name "tri1", or "quad1+tri1" of the blocks with elements.
///@{
template <class Element>
std::string names_of(const Mesh<Element, Exec>&) {
  return Element::name;
}
template <class List>
std::string names_of(const MixedMesh<List, Exec>& mesh) {
  std::string names;
  mesh.for_each_block([&]<class Element>(const Mesh<Element, Exec>& block) {
    if (block.num_elements() > 0) names += (names.empty() ? "" : "+") + std::string(Element::name);
  });
  return names;
}
///@}

/// \name `use(field, name)` for each coefficient of a form.
///@{
template <class Use>
void for_each_coefficient(Helmholtz<>& form, const Use& use) {
  use(form.sigma, "Helmholtz: sigma");
  use(form.lambda, "Helmholtz: lambda");
  use(form.source, "Helmholtz: source");
}
template <int dimension, class BodyForce, class Use>
void for_each_coefficient(LinearElasticity<dimension, BodyForce>& form, const Use& use) {
  use(form.young, "LinearElasticity: young");
  use(form.poisson, "LinearElasticity: poisson");
}
template <class Physics, class... Fields, class Use>
void for_each_coefficient(WeakForm<Physics, Fields...>& form, const Use& use) {
  int number = 0;
  std::apply(
      [&](auto&... field) { (use(field, "WeakForm: auxiliary field " + std::to_string(number++)), ...); },
      form.fields);
}
///@}

/// The form of each block of a mixed mesh, for `BlockForms`.
template <class List, class Form>
struct FormOfBlock {
  Form whole;                 ///< has the memory of the blocks' coefficients
  std::vector<Ordinal> first; ///< as `first_elements`

  template <class Element>
  Form operator()(const Mesh<Element, Exec>&) const {
    constexpr std::size_t number = List::template number<Element>;
    Form own = whole;
    for_each_coefficient(own, [&](CellField& field, const std::string& name) {
      if (field.kind() != CellField::Kind::per_element) return;
      if (field.size() != to_size(first.back()))
        throw ArgumentError(name + ": " + std::to_string(field.size()) + " values given, the mesh has " +
                            std::to_string(first.back()) + " elements");
      field = CellField::per_element(Kokkos::View<const double*, Exec>(
          field.data() + first[number], to_size(first[number + 1] - first[number])));
    });
    return own;
  }
};

/// \name A form as the plans of a space take it. What they make of it reads the form's memory: keep it as
/// long.
///@{
template <class Element, class Form>
Form form_over(const FunctionSpace<Element, Exec>&, const Form& form) {
  return form;
}
template <class List, class Form>
BlockForms<FormOfBlock<List, Form>> form_over(const MixedSpace<List, Exec>& space, const Form& form) {
  return {{form, first_elements(space.mesh())}};
}
///@}

} // namespace tessera::python
