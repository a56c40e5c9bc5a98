// SPDX-License-Identifier: BSD-3-Clause
#include "measure_rows.hpp"

namespace tessera::paper3 {

void measure_tetrahedra1(const Settings& settings, std::vector<Row>& rows) {
  measure_linear<Tet<1>>(settings, rows);
}

} // namespace tessera::paper3
