#include "measure_rows.hpp"

namespace tessera::paper3 {

std::vector<Row> measure_tetrahedra(const Settings& settings) {
  // The paper does not say how many tetrahedra; about as many as its triangles.
  return measure_family<Tet<1>, Tet<2>>(settings, 131072, {420, 150, 180, 60});
}

} // namespace tessera::paper3
