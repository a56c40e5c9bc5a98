// SPDX-License-Identifier: BSD-3-Clause
#include "measure_rows.hpp"

namespace tessera::paper3 {

void measure_triangles1(const Settings& settings, std::vector<Row>& rows) {
  measure_linear<Tri<1>>(settings, rows);
}

} // namespace tessera::paper3
