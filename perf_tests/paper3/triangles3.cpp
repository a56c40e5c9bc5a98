// SPDX-License-Identifier: BSD-3-Clause
#include "measure_rows.hpp"

namespace tessera::paper3 {

void measure_triangles3(const Settings& settings, std::vector<Row>& rows) {
  measure_cubic<Tri<3>>(settings, rows);
}

} // namespace tessera::paper3
