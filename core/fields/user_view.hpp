// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Views that an application hands over: checked before they are taken as views of the library's types.

#include <tessera/core/error.hpp>

#include <Kokkos_Core.hpp>

#include <array>
#include <cstddef>
#include <string>
#include <type_traits>

namespace tessera {

namespace detail {

/// Extents and strides of a view of any type, for checks that are the same for all.
struct ViewShape {
  std::size_t rank;
  std::array<std::size_t, 8> extent, stride;
  std::size_t size;
  bool any_stride; ///< its layout says nothing of its strides

  template <class View>
  explicit ViewShape(const View& view)
      : rank(View::rank()), size(view.size()),
        any_stride(std::is_same_v<typename View::array_layout, Kokkos::LayoutStride>) {
    for (std::size_t r = 0; r < rank; ++r) {
      extent[r] = view.extent(r);
      stride[r] = view.stride(r);
    }
  }

  /// "27 x 2"
  std::string extents() const {
    std::string text;
    for (std::size_t r = 0; r < rank; ++r) text += (r == 0 ? "" : " x ") + std::to_string(extent[r]);
    return text;
  }
};

/// \param fixed what the target of the view would be without entries: its extents from `first_fixed` on are
///   known at compile time
/// \param right whether the target's last index is the fastest
inline void check_user_view(const std::string& what, const ViewShape& view, const ViewShape& fixed,
                            std::size_t first_fixed, bool right) {
  for (std::size_t r = first_fixed; r < fixed.rank; ++r)
    if (view.extent[r] != fixed.extent[r])
      throw ArgumentError(what + ": the view is " + view.extents() + ", its index " + std::to_string(r) +
                          " must count " + std::to_string(fixed.extent[r]));
  std::size_t expected = 1;
  for (std::size_t k = 0; k < fixed.rank; ++k) {
    const std::size_t r = right ? fixed.rank - 1 - k : k;
    const bool gaps_allowed = k > 0 && !view.any_stride;
    const std::size_t stride = view.stride[r];
    if (view.size > 0 && (gaps_allowed ? stride < expected : stride != expected))
      throw ArgumentError(what + ": the view's stride along index " + std::to_string(r) + " is " +
                          std::to_string(stride) + ", it must be " + std::to_string(expected) +
                          (gaps_allowed ? " or more" : "") + "; copy it into one without gaps");
    expected = stride * view.extent[r];
  }
}

} // namespace detail

/// A view of the application's as a `Target`, which shares its memory. Kokkos itself takes extents that are
/// known at run time only for those that `Target` has at compile time, and ends the process where strides do
/// not fit.
///
/// Rows (columns, for a `Target` of LayoutLeft) may be farther apart than they are long if the view's layout
/// is that of `Target`; else its entries must follow each other without gaps.
///
/// \param what names the view in messages: "Mesh: coordinates"
/// \throws ArgumentError with the numbers for other extents or strides than `Target` can have
template <class Target, class View>
Target user_view(const std::string& what, const View& view) {
  static_assert(View::rank() == Target::rank(), "a view of another number of indices");
  static_assert(std::is_same_v<typename View::non_const_value_type, typename Target::non_const_value_type>,
                "a view of another type: coordinates and values are double, numbers tessera::Ordinal");
  static_assert(std::is_same_v<typename View::memory_space, typename Target::memory_space>,
                "a view in the memory of another space than the library's kernels run in");
  static_assert(std::is_const_v<typename Target::value_type> || !std::is_const_v<typename View::value_type>,
                "a view that can be written is needed");
  if constexpr (std::is_constructible_v<Target, const View&>) {
    detail::check_user_view(what, detail::ViewShape(view), detail::ViewShape(Target()),
                            Target::rank_dynamic(),
                            std::is_same_v<typename Target::array_layout, Kokkos::LayoutRight>);
    return view;
  } else {
    static_assert(!std::is_same_v<Target, Target>,
                  "a view of another layout than the library's (coordinates: Kokkos::LayoutRight): "
                  "Kokkos::deep_copy it into a view of the library's type, Mesh::Coordinates say");
    return Target();
  }
}

} // namespace tessera
