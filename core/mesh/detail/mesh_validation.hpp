// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Construction of a Mesh: each check finds the first offender on the device and describes it on the host.

#include <tessera/core/mesh/detail/repeated_elements.hpp>
#include <tessera/core/mesh/mesh.hpp>

#include <algorithm>
#include <limits>
#include <vector>

namespace tessera {
namespace detail {

inline constexpr Ordinal no_offender = std::numeric_limits<Ordinal>::max();

/// Smallest i in [0, count) for which `offends(i)`; `no_offender` if there is none.
template <class ExecutionSpace, class Offends>
Ordinal first_offender(const ExecutionSpace& exec, const char* label, Ordinal count, const Offends& offends) {
  Ordinal first = no_offender;
  Kokkos::parallel_reduce(
      label, Kokkos::RangePolicy<ExecutionSpace>(exec, 0, count),
      KOKKOS_LAMBDA(Ordinal i, Ordinal & smallest) {
        if (i < smallest && offends(i)) smallest = i;
      },
      Kokkos::Min<Ordinal>(first));
  return first;
}

template <class Element, class ExecutionSpace>
struct NodeNotFinite {
  MeshKernel<Element, ExecutionSpace> mesh;
  KOKKOS_FUNCTION bool operator()(Ordinal node) const {
    for (int d = 0; d < Element::dimension; ++d)
      if (!Kokkos::isfinite(mesh.coordinates(node, d))) return true;
    return false;
  }
};

template <class Element, class ExecutionSpace>
struct IndexOutOfRange {
  MeshKernel<Element, ExecutionSpace> mesh;
  KOKKOS_FUNCTION bool operator()(Ordinal e) const {
    for (int n = 0; n < Element::nodes; ++n) {
      const Ordinal node = mesh.connectivity(e, n);
      if (node < 0 || node >= static_cast<Ordinal>(mesh.coordinates.extent(0))) return true;
    }
    return false;
  }
};

template <class Element, class ExecutionSpace>
struct NodeRepeated {
  MeshKernel<Element, ExecutionSpace> mesh;
  KOKKOS_FUNCTION bool operator()(Ordinal e) const {
    for (int n = 0; n < Element::nodes; ++n)
      for (int m = 0; m < n; ++m)
        if (mesh.connectivity(e, n) == mesh.connectivity(e, m)) return true;
    return false;
  }
};

template <class Element, class ExecutionSpace>
struct JacobianNotPositive {
  MeshKernel<Element, ExecutionSpace> mesh;
  bool scaled = false; ///< looks at elements of the same shape and of size one
  KOKKOS_FUNCTION bool operator()(Ordinal e) const {
    constexpr int degree = Element::affine_simplex ? 1 : 2 * Element::order;
    auto cell = mesh.template cell<double>(e);
    if (scaled) scale(cell);
    for (int q = 0; q < Tabulation<Element, degree>::points; ++q) {
      const double weight = QuadraturePoint<Element, degree, double>(cell, q).weight();
      if (!(weight > 0) || !Kokkos::isfinite(weight)) return true;
    }
    return false;
  }

private:
  KOKKOS_FUNCTION static void scale(Cell<Element, double>& cell) {
    double size = 0;
    for (const auto& x : cell.coordinates)
      for (int d = 0; d < Element::dimension; ++d) size = Kokkos::fmax(size, Kokkos::abs(x[d]));
    for (auto& x : cell.coordinates)
      for (int d = 0; d < Element::dimension; ++d) x[d] /= size;
  }
};

template <class ExecutionSpace>
struct MaterialOutOfRange {
  Kokkos::View<const Ordinal*, ExecutionSpace> materials;
  KOKKOS_FUNCTION bool operator()(Ordinal e) const {
    return materials(e) < 0 || materials(e) == no_offender; // one more must be a number too
  }
};

template <class ExecutionSpace>
struct MaxMaterial {
  Kokkos::View<const Ordinal*, ExecutionSpace> materials;
  KOKKOS_FUNCTION void operator()(Ordinal e, Ordinal& largest) const {
    if (materials(e) > largest) largest = materials(e);
  }
};

template <class ExecutionSpace>
struct SetEntryOutOfRange {
  Kokkos::View<const Ordinal*, Kokkos::LayoutStride, ExecutionSpace> entries;
  Ordinal end;
  KOKKOS_FUNCTION bool operator()(Ordinal i) const { return entries(i) < 0 || entries(i) >= end; }
};

template <class Connectivity>
std::vector<Ordinal> nodes_of_element(const Connectivity& connectivity, Ordinal e) {
  // All of it: on devices an element's nodes lie apart, and this is the way to an exception.
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), connectivity);
  std::vector<Ordinal> nodes(host.extent(1));
  for (std::size_t n = 0; n < nodes.size(); ++n) nodes[n] = host(e, n);
  return nodes;
}

/// \throws ElementError for the first element for which `offends(element)`
template <class ExecutionSpace, class Connectivity, class Offends>
void check_elements(const ExecutionSpace& exec, const char* label, const Connectivity& connectivity,
                    const Offends& offends, const std::string& problem) {
  const auto elements = static_cast<Ordinal>(connectivity.extent(0));
  const Ordinal e = first_offender(exec, label, elements, offends);
  if (e != no_offender) throw ElementError(e, nodes_of_element(connectivity, e), problem);
}

template <class Table>
struct SameCorners {
  Table table;
  Ordinal element;
  KOKKOS_FUNCTION bool operator()(Ordinal e) const { return table.have_same_corners(element, e); }
};

/// \throws RepeatedElementError
template <class Element, class ExecutionSpace, class Connectivity>
void check_repeated_elements(const ExecutionSpace& exec, const Connectivity& connectivity,
                             Ordinal num_nodes) {
  const Ordinal e = repeated_element<Element>(exec, connectivity, num_nodes);
  if (e == no_offender) return;
  using Table = ElementTable<Element, Connectivity>;
  const Ordinal earlier = first_offender(exec, "Tessera::Mesh::check_repeated_elements", e,
                                         SameCorners<Table>{Table{connectivity, 0, {}}, e});
  throw RepeatedElementError(e, nodes_of_element(connectivity, e), earlier);
}

/// "entry 3 names a side that does not exist: they are 0 to 5"; empty if all sides exist.
template <class Element, class ExecutionSpace>
std::string first_wrong_side(const ExecutionSpace& exec, const Mesh<Element, ExecutionSpace>& mesh,
                             const typename Mesh<Element, ExecutionSpace>::SideSet& sides) {
  const Ordinal ends[2] = {mesh.num_elements(), Element::sides};
  const char* kinds[2] = {"an element", "a side"};
  for (int column = 0; column < 2; ++column) {
    const Ordinal i = first_offender(
        exec, "Tessera::Mesh::check_side_set", static_cast<Ordinal>(sides.extent(0)),
        SetEntryOutOfRange<ExecutionSpace>{Kokkos::subview(sides, Kokkos::ALL, column), ends[column]});
    if (i != no_offender)
      return "entry " + std::to_string(i) + " names " + kinds[column] +
             " that does not exist: they are 0 to " + std::to_string(ends[column] - 1);
  }
  return {};
}

} // namespace detail

template <class ElementType, class ExecutionSpace>
void Mesh<ElementType, ExecutionSpace>::validate(const ExecutionSpace& exec) {
  constexpr std::size_t limit = std::numeric_limits<Ordinal>::max();
  if (coordinates_.extent(0) >= limit || connectivity_.extent(0) >= limit)
    throw MeshError("mesh has " + std::to_string(coordinates_.extent(0)) + " nodes and " +
                    std::to_string(connectivity_.extent(0)) + " elements; one process holds fewer than " +
                    std::to_string(limit) + " of each: distribute the mesh");
  if (materials_.extent(0) != 0 && materials_.extent(0) != connectivity_.extent(0))
    throw MeshError("mesh has " + std::to_string(connectivity_.extent(0)) + " elements but " +
                    std::to_string(materials_.extent(0)) + " material numbers");
  const auto check = [&](const char* label, const auto& offends, const std::string& problem) {
    detail::check_elements(exec, label, connectivity_, offends, problem);
  };
  const Kernel kernel = this->kernel();
  check("Tessera::Mesh::check_indices", detail::IndexOutOfRange<Element, ExecutionSpace>{kernel},
        "names a node that does not exist: nodes are 0 to " + std::to_string(num_nodes() - 1));
  check("Tessera::Mesh::check_repeated_nodes", detail::NodeRepeated<Element, ExecutionSpace>{kernel},
        "names a node twice");
  detail::check_repeated_elements<Element>(exec, connectivity_, num_nodes());
  check_geometry(exec, kernel);
  if (materials_.extent(0) == 0) return;
  check("Tessera::Mesh::check_materials", detail::MaterialOutOfRange<ExecutionSpace>{materials_},
        "has a negative material number, or one beyond " + std::to_string(detail::no_offender - 1));
  Ordinal largest = 0;
  Kokkos::parallel_reduce("Tessera::Mesh::count_materials",
                          Kokkos::RangePolicy<ExecutionSpace>(exec, 0, num_elements()),
                          detail::MaxMaterial<ExecutionSpace>{materials_}, Kokkos::Max<Ordinal>(largest));
  num_materials_ = largest + 1;
}

/// Finite coordinates and positive Jacobians, of an element whose nodes exist.
template <class ElementType, class ExecutionSpace>
void Mesh<ElementType, ExecutionSpace>::check_geometry(const ExecutionSpace& exec,
                                                       const Kernel& kernel) const {
  if (const Ordinal node = detail::first_offender(exec, "Tessera::Mesh::check_coordinates", num_nodes(),
                                                  detail::NodeNotFinite<Element, ExecutionSpace>{kernel});
      node != detail::no_offender)
    throw MeshError("node " + std::to_string(node) + " has a coordinate that is not finite");
  const Ordinal e = detail::first_offender(exec, "Tessera::Mesh::check_jacobians", num_elements(),
                                           detail::JacobianNotPositive<Element, ExecutionSpace>{kernel});
  if (e == detail::no_offender) return;
  detail::check_elements(
      exec, "Tessera::Mesh::check_jacobians", connectivity_,
      detail::JacobianNotPositive<Element, ExecutionSpace>{kernel, true},
      "is flat or inverted: its Jacobian is not positive at a quadrature point; reorder its nodes in VTK's "
      "numbering or repair its shape");
  throw ElementError(e, detail::nodes_of_element(connectivity_, e),
                     "is so small or so large that its volume leaves the range of double precision; "
                     "take another unit of length");
}

template <class ElementType, class ExecutionSpace>
void Mesh<ElementType, ExecutionSpace>::check_move_to(const ExecutionSpace& exec,
                                                      const ConstCoordinates& coordinates) const {
  if (coordinates.extent(0) != coordinates_.extent(0))
    throw ArgumentError("Mesh::move: coordinates of " + std::to_string(coordinates.extent(0)) +
                        " nodes, the mesh has " + std::to_string(num_nodes()));
  check_geometry(exec, {coordinates, connectivity_, materials_, {}});
}

template <class ElementType, class ExecutionSpace>
void Mesh<ElementType, ExecutionSpace>::move_to(const ExecutionSpace& exec,
                                                const ConstCoordinates& coordinates) {
  check_move_to(exec, coordinates);
  if (coordinates.data() != coordinates_.data()) Kokkos::deep_copy(exec, coordinates_, coordinates);
  exec.fence("Tessera::Mesh::move");
  ++*revision_;
}

template <class ElementType, class ExecutionSpace>
void Mesh<ElementType, ExecutionSpace>::label_materials(std::vector<MaterialLabel> labels) {
  if (!labels.empty() && labels.size() != static_cast<std::size_t>(num_materials_))
    throw MeshError("mesh has " + std::to_string(num_materials_) + " materials but " +
                    std::to_string(labels.size()) + " labels for them");
  material_labels_ = std::move(labels);
}

template <class ElementType, class ExecutionSpace>
Ordinal Mesh<ElementType, ExecutionSpace>::material(const std::string& name) const {
  std::string known;
  for (std::size_t m = 0; m < material_labels_.size(); ++m) {
    if (material_labels_[m].name == name) return static_cast<Ordinal>(m);
    known += (known.empty() ? "" : ", ") + material_labels_[m].name;
  }
  throw ArgumentError("mesh has no material '" + name + "'; it has " + (known.empty() ? "none" : known));
}

template <class ElementType, class ExecutionSpace>
void Mesh<ElementType, ExecutionSpace>::insert_node_set(const ExecutionSpace& exec, const std::string& name,
                                                        const NodeSet& nodes) {
  const Ordinal i =
      detail::first_offender(exec, "Tessera::Mesh::check_node_set", static_cast<Ordinal>(nodes.extent(0)),
                             detail::SetEntryOutOfRange<ExecutionSpace>{nodes, num_nodes()});
  if (i != detail::no_offender)
    throw MeshError("node set '" + name + "': entry " + std::to_string(i) +
                    " names a node that does not exist: "
                    "nodes are 0 to " +
                    std::to_string(num_nodes() - 1));
  if (!node_sets_.emplace(name, nodes).second) throw MeshError("mesh already has a node set '" + name + "'");
}

template <class ElementType, class ExecutionSpace>
void Mesh<ElementType, ExecutionSpace>::insert_side_set(const ExecutionSpace& exec, const std::string& name,
                                                        const SideSet& sides) {
  if (const auto wrong = detail::first_wrong_side(exec, *this, sides); !wrong.empty())
    throw MeshError("side set '" + name + "': " + wrong);
  if (!side_sets_.emplace(name, sides).second) throw MeshError("mesh already has a side set '" + name + "'");
}

} // namespace tessera
