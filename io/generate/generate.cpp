// SPDX-License-Identifier: BSD-3-Clause
#include <tessera/core/error.hpp>
#include <tessera/core/same_name.hpp>
#include <tessera/io/detail/text.hpp>
#include <tessera/io/generate/generate.hpp>

#include <limits>
#include <optional>
#include <vector>

namespace tessera::io {

namespace {

[[noreturn]] void fail(std::string_view name, const std::string& what) {
  throw ArgumentError("generate: mesh '" + std::string(name) + "': " + what + "; the valid meshes are " +
                      generator_names());
}

/// The numbers of a text like "4x2x2", at most three.
template <class Number>
std::optional<std::vector<Number>> numbers(std::string_view text) {
  std::vector<Number> found;
  while (found.size() < 3) {
    const std::size_t end = text.find('x');
    Number value{};
    if (!parse(text.substr(0, end), value)) return std::nullopt;
    found.push_back(value);
    if (end == std::string_view::npos) return found;
    text.remove_prefix(end + 1);
  }
  return std::nullopt;
}

Box parse_box(std::string_view name, std::string_view size, std::size_t dimension) {
  const std::size_t at = size.find('@');
  const auto cells = numbers<std::int64_t>(size.substr(0, at));
  if (!cells || (cells->size() != 1 && cells->size() != dimension))
    fail(name, "expected one number of cells or " + std::to_string(dimension) + " of them separated by 'x'");
  Box box;
  for (std::size_t d = 0; d < dimension; ++d) {
    const std::int64_t count = (*cells)[cells->size() == 1 ? 0 : d];
    if (count < 1 || count > std::numeric_limits<Ordinal>::max())
      fail(name,
           "expected a number of cells from 1 to " + std::to_string(std::numeric_limits<Ordinal>::max()));
    box.cells[d] = static_cast<Ordinal>(count);
  }
  if (at == std::string_view::npos) return box;
  const auto lengths = numbers<double>(size.substr(at + 1));
  if (!lengths || lengths->size() != dimension)
    fail(name, "expected " + std::to_string(dimension) + " lengths separated by 'x' after '@'");
  for (std::size_t d = 0; d < dimension; ++d) {
    box.lengths[d] = (*lengths)[d];
    if (!(box.lengths[d] > 0.0)) fail(name, "expected positive lengths");
  }
  return box;
}

/// The number after the colon, from `first` to `last`.
Ordinal parse_size(std::string_view name, std::string_view size, Ordinal first, Ordinal last) {
  std::int64_t value = 0;
  if (!parse(size, value) || value < first || value > last)
    fail(name, "expected a size from " + std::to_string(first) + " to " + std::to_string(last));
  return static_cast<Ordinal>(value);
}

} // namespace

std::string generator_names() {
  return "box:N, box:AxB, box:AxBxC, box:AxB@LxW, box:AxBxC@LxWxH, cantilever2:1 to cantilever2:4 (hex, "
         "tet), "
         "regular4 or regular4:0 to regular4:3 (tet), cantilever5:C1 to cantilever5:C5 (quad, tri)";
}

Box named_box(std::string_view name, Shape shape) {
  const std::size_t colon = name.find(':');
  const std::string_view family = name.substr(0, colon);
  const std::string_view size = colon == std::string_view::npos ? std::string_view() : name.substr(colon + 1);
  const int dimension = dimension_of(shape);
  const auto require_shape = [&](bool holds) {
    if (!holds) fail(name, std::string("has no ") + short_name(shape) + " elements");
  };

  if (same_name(family, "box")) {
    require_shape(dimension > 1);
    return parse_box(name, size, static_cast<std::size_t>(dimension));
  }
  if (same_name(family, "cantilever2")) {
    static constexpr Ordinal over_height[] = {24, 32, 50, 64};
    const Ordinal n = over_height[parse_size(name, size, 1, 4) - 1];
    require_shape(dimension == 3);
    return {{8 * n, n, n}, {16.0, 2.0, 2.0}};
  }
  if (same_name(family, "regular4")) {
    const Ordinal n = 8 << (colon == std::string_view::npos ? 3 : parse_size(name, size, 0, 3));
    require_shape(shape == Shape::tetrahedron);
    return {{n, n, n}, {4.0, 4.0, 4.0}};
  }
  if (same_name(family, "cantilever5")) {
    if (size.empty() || !same_name(size.substr(0, 1), "C")) fail(name, "expected a size from C1 to C5");
    const Ordinal k = parse_size(name, size.substr(1), 1, 5);
    require_shape(dimension == 2);
    return {{1000 * k, 100 * k, 1}, {10.0, 1.0, 1.0}};
  }
  fail(name, "there is no such mesh");
}

} // namespace tessera::io
