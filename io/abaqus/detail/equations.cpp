// SPDX-License-Identifier: BSD-3-Clause
#include <tessera/core/error.hpp>
#include <tessera/io/abaqus/detail/data_lines.hpp>
#include <tessera/io/abaqus/detail/equations.hpp>
#include <tessera/io/abaqus/detail/vector.hpp>

#include <cmath>

namespace tessera::io {

namespace {

/// Terms of one equation, on as many lines as they take.
AbaqusEquationLines read_equation(const AbaqusKeyword& keyword, AbaqusDataLines& lines) {
  AbaqusEquationLines equation{{}, lines.place()};
  const std::int64_t count = lines.integer(0, "the number of terms of an equation");
  lines.require_at_most(1, keyword);
  if (count < 1) lines.fail("an equation with " + std::to_string(count) + " terms");
  while (static_cast<std::int64_t>(equation.terms.size()) < count) {
    if (!lines.next())
      equation.place.fail("the equation has " + std::to_string(count) + " terms, but only " +
                          std::to_string(equation.terms.size()) + " follow");
    for (std::size_t i = 0; i < lines.fields().size(); i += 3) {
      const std::int64_t component = lines.integer(i + 1, "a component of a displacement");
      if (component < 1 || component > 3)
        lines.place().unsupported("*EQUATION, component " + std::to_string(component) +
                                  " is not supported in a linear static deck");
      equation.terms.push_back({capitals(lines.field(i)), static_cast<int>(component),
                                lines.real(i + 2, "the factor of a displacement")});
    }
    if (static_cast<std::int64_t>(equation.terms.size()) > count)
      lines.fail("the equation has " + std::to_string(count) + " terms, but more follow");
  }
  return equation;
}

} // namespace

void read_equations(const AbaqusKeyword& keyword, AbaqusLexer& lexer,
                    std::vector<AbaqusEquationLines>& equations) {
  AbaqusDataLines lines(lexer);
  while (lines.next()) equations.push_back(read_equation(keyword, lines));
}

void add_equations(const AbaqusEquationLines& lines, const AbaqusMesh& mesh, AbaqusDeck& deck) {
  std::vector<AbaqusEquation::Term> others;
  others.reserve(lines.terms.size());
  for (std::size_t i = 1; i < lines.terms.size(); ++i) {
    const AbaqusEquationLines::Term& term = lines.terms[i];
    const std::vector<Ordinal> nodes = mesh.nodes_of(term.nodes, lines.place);
    if (nodes.size() != 1) lines.place.unsupported("a set of nodes in an equation's term after the first");
    others.push_back({nodes.front(), term.component, term.factor});
  }
  const AbaqusEquationLines::Term& first = lines.terms.front();
  for (const Ordinal node : mesh.nodes_of(first.nodes, lines.place)) {
    AbaqusEquation equation{{{node, first.component, first.factor}}, lines.place};
    equation.terms.insert(equation.terms.end(), others.begin(), others.end());
    deck.equations.push_back(std::move(equation));
  }
}

AbaqusAxes axes_from(const AbaqusVector& first, const AbaqusVector& in_plane, const AbaqusPlace& place) {
  const AbaqusVector normal = cross(first, in_plane);
  if (!(length_of(normal) > 1e-10 * length_of(first) * length_of(in_plane)))
    place.fail("the two points give no axes: their directions are zero or parallel");
  const AbaqusVector x = scaled(first, 1 / length_of(first));
  const AbaqusVector z = scaled(normal, 1 / length_of(normal));
  return {x, cross(z, x), z};
}

AbaqusTransform read_transform(const AbaqusKeyword& keyword, AbaqusLexer& lexer) {
  AbaqusTransform transform;
  transform.place = keyword.place;
  transform.nodes = keyword.label("NSET");
  if (transform.nodes.empty()) keyword.place.fail(keyword.shown + " needs the parameter NSET=name");
  const std::string type = keyword.has("TYPE") ? keyword.label("TYPE") : "R";
  if (type != "R" && type != "C") keyword.place.fail(keyword.shown + ", TYPE=" + type + "; expected R or C");
  transform.cylindrical = type == "C";
  AbaqusDataLines lines(lexer);
  if (!lines.next()) keyword.place.fail(keyword.shown + " has no data line");
  for (std::size_t i = 0; i < 6; ++i)
    transform.points[i / 3][i % 3] = lines.real(i, "a coordinate of two points");
  lines.require_at_most(6, keyword);
  if (lines.next()) lines.fail(keyword.shown + " has one data line; is a keyword missing?");
  return transform;
}

namespace {

/// The radial direction that CalculiX gives to nodes on the axis.
AbaqusVector radial_on(const AbaqusVector& axis) {
  const double negligible = 1e-10 * length_of(axis);
  if (std::abs(axis[0]) > negligible) return {-axis[1] / axis[0], 1.0, 0.0};
  if (std::abs(axis[1]) > negligible) return {0.0, -axis[2] / axis[1], 1.0};
  return {1.0, 0.0, 0.0};
}

} // namespace

AbaqusAxes cylindrical_axes(const std::array<AbaqusVector, 2>& points, const AbaqusMesh& mesh, Ordinal node,
                            const AbaqusPlace& place) {
  const double* const x = &mesh.data().points[3 * static_cast<std::size_t>(node)];
  AbaqusVector arm = difference({x[0], x[1], x[2]}, points[0]);
  const AbaqusVector axis = difference(points[1], points[0]);
  if (!(length_of(axis) > 0.0)) place.fail("the two points give no axis of cylindrical coordinates");
  if (!(length_of(cross(axis, arm)) > 1e-10 * length_of(axis) * length_of(arm))) arm = radial_on(axis);
  const AbaqusAxes axial = axes_from(axis, arm, place); // axial, radial, tangential
  return {axial[1], axial[2], axial[0]};
}

void add_axes(const AbaqusTransform& transform, const AbaqusMesh& mesh, AbaqusDeck& deck) {
  for (const Ordinal node : mesh.nodes_of(transform.nodes, transform.place))
    deck.axes[node] = transform.cylindrical
                          ? cylindrical_axes(transform.points, mesh, node, transform.place)
                          : axes_from(transform.points[0], transform.points[1], transform.place);
}

} // namespace tessera::io
