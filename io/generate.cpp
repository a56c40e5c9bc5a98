#include <tessera/core/error.hpp>
#include <tessera/io/generate.hpp>
#include <tessera/io/input_file.hpp>

#include <optional>

namespace tessera::io {

namespace {

[[noreturn]] void fail(std::string_view name, const std::string& what) {
  throw ArgumentError("generate: '" + std::string(name) + "': " + what + "; the valid meshes are " +
                      generator_names());
}

/// Numbers separated by 'x', two or three of them or exactly one.
template <class Number>
std::optional<std::vector<Number>> numbers(std::string_view text) {
  std::vector<Number> found;
  while (true) {
    const std::size_t end = text.find('x');
    Number value{};
    if (!parse(text.substr(0, end), value) || found.size() == 3) return std::nullopt;
    found.push_back(value);
    if (end == std::string_view::npos) return found;
    text.remove_prefix(end + 1);
  }
}

bool is_plane(CellShape shape) { return CellType{shape, 1}.dimension() == 2; }

Box parse_box(std::string_view name, std::string_view size, CellShape shape) {
  const std::size_t dimension = is_plane(shape) ? 2 : 3;
  const std::size_t at = size.find('@');
  const auto cells = numbers<std::int64_t>(size.substr(0, at));
  if (!cells || (cells->size() != 1 && cells->size() != dimension))
    fail(name, "expected one number of cells or " + std::to_string(dimension) + " of them separated by 'x'");
  Box box;
  for (std::size_t d = 0; d < dimension; ++d) box.cells[d] = (*cells)[cells->size() == 1 ? 0 : d];
  if (at == std::string_view::npos) return box;
  const auto lengths = numbers<double>(size.substr(at + 1));
  if (!lengths || lengths->size() != dimension)
    fail(name, "expected " + std::to_string(dimension) + " lengths separated by 'x' after '@'");
  for (std::size_t d = 0; d < dimension; ++d) box.lengths[d] = (*lengths)[d];
  return box;
}

/// The number after the colon, from `first` to `last`.
std::int64_t parse_size(std::string_view name, std::string_view size, std::int64_t first, std::int64_t last) {
  std::int64_t value = 0;
  if (!parse(size, value) || value < first || value > last)
    fail(name, "expected a size from " + std::to_string(first) + " to " + std::to_string(last));
  return value;
}

} // namespace

std::string generator_names() {
  return "box:N, box:AxB, box:AxBxC, box:AxB@LxW, box:AxBxC@LxWxH, cantilever2:1 to cantilever2:4 (tet, "
         "hex), regular4 "
         "or regular4:0 to regular4:3 (tet), cantilever5:C1 to cantilever5:C5 (tri, quad)";
}

MeshData generate(std::string_view name, CellShape shape) {
  const std::size_t colon = name.find(':');
  const std::string_view family = name.substr(0, colon);
  const std::string_view size = colon == std::string_view::npos ? std::string_view() : name.substr(colon + 1);
  const auto require = [&](bool holds) {
    if (!holds)
      fail(name,
           "has no " + CellType{shape, 1}.name().substr(0, CellType{shape, 1}.name().size() - 1) + " cells");
  };

  Box box;
  if (family == "box") {
    box = parse_box(name, size, shape);
  } else if (family == "cantilever2") {
    static constexpr std::int64_t over_height[] = {24, 32, 50, 64};
    const std::int64_t n = over_height[parse_size(name, size, 1, 4) - 1];
    require(!is_plane(shape));
    box = {{8 * n, n, n}, {16.0, 2.0, 2.0}};
  } else if (family == "regular4") {
    const std::int64_t halvings = colon == std::string_view::npos ? 3 : parse_size(name, size, 0, 3);
    require(shape == CellShape::tetrahedron);
    const std::int64_t n = std::int64_t{8} << halvings;
    box = {{n, n, n}, {4.0, 4.0, 4.0}};
  } else if (family == "cantilever5") {
    if (size.empty() || size[0] != 'C') fail(name, "expected a size from C1 to C5");
    const std::int64_t k = parse_size(name, size.substr(1), 1, 5);
    require(is_plane(shape));
    box = {{1000 * k, 100 * k, 1}, {10.0, 1.0, 1.0}};
  } else {
    fail(name, "there is no such mesh");
  }
  MeshData data = generate_box(shape, box);
  data.source = std::string(name);
  return data;
}

} // namespace tessera::io
