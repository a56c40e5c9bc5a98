#pragma once

/// \file
/// Coefficients that vary, of a window's elements, in scratch.

#include <tessera/core/fields/coefficient.hpp>
#include <tessera/core/mesh/mesh.hpp>
#include <tessera/core/unroll.hpp>
#include <tessera/strategies/assembly/detail/row_owner/star_elements.hpp>
#include <tessera/strategies/assembly/detail/row_owner/star_form.hpp>

#include <Kokkos_Core.hpp>

namespace tessera::assembly::detail {

/// Values of a coefficient in some elements. No condition stands between two loads.
template <int count, class Scalar, class Mesh>
KOKKOS_FORCEINLINE_FUNCTION void fetch_values(const CellFieldKernel& field, const Mesh& mesh,
                                              const Ordinal (&element)[count], Scalar (&value)[count]) {
  Ordinal index[count];
  for (int i = 0; i < count; ++i) index[i] = element[i];
  if (field.kind == CellField::Kind::per_material)
    for (int i = 0; i < count; ++i) index[i] = mesh.material(element[i]);
  if (varies(field))
    for (int i = 0; i < count; ++i) value[i] = static_cast<Scalar>(field.data[index[i]]);
  else
    for (int i = 0; i < count; ++i) value[i] = static_cast<Scalar>(field.constant);
}

/// Fetches the first `fields` coefficients of a window's elements to a table: those of element k of field f
/// at f * `elements.most` + k, so that lanes with neighbouring elements meet different banks.
/// \param first of the elements that are the thread's: its rank in its team of `threads`, which fetch
///   `together` elements each at a time
template <int fields, int together, int threads, class Kernel, class Mesh, class ExecutionSpace, class Scalar>
KOKKOS_FORCEINLINE_FUNCTION void fill_table(const Kernel& kernel, const Mesh& mesh,
                                            const tessera::detail::StarElements<ExecutionSpace>& elements,
                                            Ordinal window, int first, Scalar* table) {
  const auto [begin, count] = elements.windows(window);
  const Ordinal* const list = elements.elements.data() + begin;
  TESSERA_UNROLL(1)
  for (; first < count; first += together * threads) {
    Ordinal element[together];
    TESSERA_UNROLL(together)
    for (int i = 0; i < together; ++i) element[i] = list[Kokkos::min(first + i * threads, count - 1)];
    TESSERA_UNROLL(fields)
    for (int f = 0; f < fields; ++f) {
      Scalar value[together];
      fetch_values(StarForm<Kernel>::field(kernel, f), mesh, element, value);
      TESSERA_UNROLL(together)
      for (int i = 0; i < together; ++i)
        if (first + i * threads < count) table[f * elements.most + first + i * threads] = value[i];
    }
  }
}

/// The first turn of `fill_table` in three steps, so that other loads are under way between them.
template <int fields, int together, int threads, class Scalar>
class TableTurn {
public:
  template <class ExecutionSpace>
  KOKKOS_FORCEINLINE_FUNCTION void
  fetch_numbers(const tessera::detail::StarElements<ExecutionSpace>& elements, Ordinal window, int rank) {
    const auto [begin, count] = elements.windows(window);
    const Ordinal* const list = elements.elements.data() + begin;
    first_ = rank;
    count_ = count;
    if (first_ >= count_) return;
    TESSERA_UNROLL(together)
    for (int i = 0; i < together; ++i) element_[i] = list[Kokkos::min(first_ + i * threads, count_ - 1)];
  }

  template <class Kernel, class Mesh>
  KOKKOS_FORCEINLINE_FUNCTION void fetch_values(const Kernel& kernel, const Mesh& mesh) {
    if (first_ >= count_) return;
    TESSERA_UNROLL(fields)
    for (int f = 0; f < fields; ++f)
      detail::fetch_values(StarForm<Kernel>::field(kernel, f), mesh, element_, value_[f]);
  }

  /// \param most  from the values of a coefficient to those of the next
  KOKKOS_FORCEINLINE_FUNCTION void write(Scalar* table, int most) const {
    TESSERA_UNROLL(fields)
    for (int f = 0; f < fields; ++f) {
      TESSERA_UNROLL(together)
      for (int i = 0; i < together; ++i)
        if (first_ + i * threads < count_) table[f * most + first_ + i * threads] = value_[f][i];
    }
  }

private:
  int first_, count_;
  Ordinal element_[together];
  Scalar value_[fields][together];
};

} // namespace tessera::assembly::detail
