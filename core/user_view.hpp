#pragma once

/// \file
/// Views that an application hands over: checked before they are taken as views of the library's types.

#include <tessera/core/error.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <string>
#include <type_traits>

namespace tessera {

namespace detail {

/// "27 x 2"
template <class View>
std::string extents_of(const View& view) {
  std::string text;
  for (std::size_t r = 0; r < View::rank(); ++r)
    text += (r == 0 ? "" : " x ") + std::to_string(view.extent(r));
  return text;
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
  const Target fixed;
  for (std::size_t r = Target::rank_dynamic(); r < Target::rank(); ++r)
    if (view.extent(r) != fixed.extent(r))
      throw ArgumentError(what + ": the view is " + detail::extents_of(view) + ", its index " +
                          std::to_string(r) + " must count " + std::to_string(fixed.extent(r)));
  constexpr bool right = std::is_same_v<typename Target::array_layout, Kokkos::LayoutRight>;
  constexpr bool any_stride = std::is_same_v<typename View::array_layout, Kokkos::LayoutStride>;
  std::size_t expected = 1;
  for (std::size_t k = 0; k < Target::rank(); ++k) {
    const std::size_t r = right ? Target::rank() - 1 - k : k;
    const bool gaps_allowed = k > 0 && !any_stride;
    const std::size_t stride = view.stride(r);
    if (view.size() > 0 && (gaps_allowed ? stride < expected : stride != expected))
      throw ArgumentError(what + ": the view's stride along index " + std::to_string(r) + " is " +
                          std::to_string(stride) + ", it must be " + std::to_string(expected) +
                          (gaps_allowed ? " or more" : "") + "; copy it into one without gaps");
    expected = stride * view.extent(r);
  }
  return view;
}

} // namespace tessera
