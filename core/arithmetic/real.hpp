// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// What an element kernel may assume of its scalar: a floating point number, or a `Pack` that carries one
/// element per lane. Kokkos' own SIMD types have one lane in every Kokkos that was configured without an
/// architecture (the distributions' packages), so that packs here rest on the compiler's vector types,
/// whose width follows the instruction set that a function is compiled for; see `instruction_sets.hpp`.

#include <tessera/core/types.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <cstring>
#include <type_traits>

namespace tessera {

namespace detail {

#ifdef __CUDACC__
// nvcc compiles host kernels for the device too, where it admits no vector types.
template <class T, int Lanes>
struct PackRegister {
  struct type {
    T entry[Lanes];

    KOKKOS_FUNCTION T& operator[](int lane) { return entry[lane]; }
    KOKKOS_FUNCTION const T& operator[](int lane) const { return entry[lane]; }
    template <class Operation>
    KOKKOS_FORCEINLINE_FUNCTION static type each(const Operation& operation) {
      type result;
      for (int lane = 0; lane < Lanes; ++lane) result.entry[lane] = operation(lane);
      return result;
    }
    KOKKOS_FUNCTION friend type operator+(const type& a, T b) {
      return each([&](int l) { return a.entry[l] + b; });
    }
    KOKKOS_FUNCTION friend type operator-(const type& a) {
      return each([&](int l) { return -a.entry[l]; });
    }
    KOKKOS_FUNCTION friend type operator+(const type& a, const type& b) {
      return each([&](int l) { return a.entry[l] + b.entry[l]; });
    }
    KOKKOS_FUNCTION friend type operator-(const type& a, const type& b) {
      return each([&](int l) { return a.entry[l] - b.entry[l]; });
    }
    KOKKOS_FUNCTION friend type operator*(const type& a, const type& b) {
      return each([&](int l) { return a.entry[l] * b.entry[l]; });
    }
    KOKKOS_FUNCTION friend type operator/(const type& a, const type& b) {
      return each([&](int l) { return a.entry[l] / b.entry[l]; });
    }
  };
};
#else
template <class T, int Lanes>
struct PackRegister;
template <int Lanes>
struct PackRegister<double, Lanes> {
  typedef double type __attribute__((vector_size(sizeof(double) * Lanes)));
};
template <int Lanes>
struct PackRegister<float, Lanes> {
  typedef float type __attribute__((vector_size(sizeof(float) * Lanes)));
};
#endif

} // namespace detail
} // namespace tessera

namespace TESSERA_KERNELS {

// Packs are passed in the registers that the instruction set has. It is part of their names, so that the
// linker never joins functions of two programs, or of a program and the library, that pass them in different
// ways.
#if defined(__AVX512F__)
inline namespace avx512 {
#elif defined(__AVX__)
inline namespace avx {
#else
inline namespace baseline {
#endif

/// `Lanes` numbers of type `T` side by side in a host register (or several): one element per lane.
template <class T, int Lanes>
struct Pack {
  using Register = typename detail::PackRegister<T, Lanes>::type;
  Register lanes;

  Pack() = default;
  KOKKOS_FORCEINLINE_FUNCTION Pack(T value) : lanes(Register{} + value) {}
  KOKKOS_FORCEINLINE_FUNCTION explicit Pack(const Register& r) : lanes(r) {}

  KOKKOS_FORCEINLINE_FUNCTION T operator[](int lane) const { return lanes[lane]; }
  /// Writes to memory, where packs are gathered lane by lane: compilers would put all lanes down and take
  /// them up again for each.
  KOKKOS_FORCEINLINE_FUNCTION void set(int lane, T value) {
    std::memcpy(reinterpret_cast<char*>(&lanes) + lane * sizeof(T), &value, sizeof(T));
  }

  KOKKOS_FORCEINLINE_FUNCTION Pack operator-() const { return Pack(-lanes); }
  KOKKOS_FORCEINLINE_FUNCTION friend Pack operator+(Pack a, Pack b) { return Pack(a.lanes + b.lanes); }
  KOKKOS_FORCEINLINE_FUNCTION friend Pack operator-(Pack a, Pack b) { return Pack(a.lanes - b.lanes); }
  KOKKOS_FORCEINLINE_FUNCTION friend Pack operator*(Pack a, Pack b) { return Pack(a.lanes * b.lanes); }
  KOKKOS_FORCEINLINE_FUNCTION friend Pack operator/(Pack a, Pack b) { return Pack(a.lanes / b.lanes); }
  KOKKOS_FORCEINLINE_FUNCTION Pack& operator+=(Pack b) { return *this = *this + b; }
  KOKKOS_FORCEINLINE_FUNCTION Pack& operator-=(Pack b) { return *this = *this - b; }
  KOKKOS_FORCEINLINE_FUNCTION Pack& operator*=(Pack b) { return *this = *this * b; }
};

/// Lanes of a 512-bit register; compilers split it where registers are narrower.
template <class T>
using NativePack = Pack<T, 64 / sizeof(T)>;

} // namespace
} // namespace TESSERA_KERNELS

namespace tessera {

/// How a scalar of an element kernel decomposes into lanes.
template <class Real>
struct RealTraits {
  static_assert(std::is_floating_point_v<Real>, "tessera::RealTraits: float, double or a Pack of them");
  using value_type = Real;
  static constexpr int lanes = 1;
};

template <class T, int Lanes>
struct RealTraits<Pack<T, Lanes>> {
  using value_type = T;
  static constexpr int lanes = Lanes;
};

/// The floating point type behind a scalar or a pack; tables of constants have this type.
template <class Real>
using value_type_t = typename RealTraits<Real>::value_type;

/// Number of elements that one scalar of type `Real` carries.
template <class Real>
inline constexpr int lanes_v = RealTraits<Real>::lanes;

/// The scalar or pack whose lane l holds `entry_of_lane(l)`.
template <class Real, class EntryOfLane>
KOKKOS_FORCEINLINE_FUNCTION Real from_lanes(const EntryOfLane& entry_of_lane) {
  if constexpr (lanes_v<Real> == 1) {
    return Real(entry_of_lane(0));
  } else {
    Real pack;
    for (int lane = 0; lane < lanes_v<Real>; ++lane) pack.set(lane, value_type_t<Real>(entry_of_lane(lane)));
    return pack;
  }
}

/// Entry of one lane.
template <class Real>
KOKKOS_FORCEINLINE_FUNCTION value_type_t<Real> lane_of(const Real& real, [[maybe_unused]] int lane) {
  if constexpr (std::is_floating_point_v<Real>)
    return real;
  else
    return real[lane];
}

/// Writes the entry of one lane.
template <class Real, class Value>
KOKKOS_FORCEINLINE_FUNCTION void set_lane(Real& real, [[maybe_unused]] int lane, Value value) {
  if constexpr (lanes_v<Real> == 1)
    real = Real(value);
  else
    real.set(lane, value_type_t<Real>(value));
}

/// The word of a number that holds its sign: negative for negative numbers.
template <class Value>
KOKKOS_FORCEINLINE_FUNCTION std::int32_t sign_word(Value x) {
  if constexpr (sizeof(Value) == 8)
    return static_cast<std::int32_t>(Kokkos::bit_cast<std::int64_t>(x) >> 32);
  else
    return Kokkos::bit_cast<std::int32_t>(x);
}

/// True if every lane is greater than zero; false for a NaN in any lane.
template <class Real>
KOKKOS_FORCEINLINE_FUNCTION bool all_positive(const Real& real) {
  bool positive = true;
  for (int lane = 0; lane < lanes_v<Real>; ++lane) positive = positive && lane_of(real, lane) > 0;
  return positive;
}

/// True if every lane is a finite number.
template <class Real>
KOKKOS_FORCEINLINE_FUNCTION bool all_finite(const Real& real) {
  bool finite = true;
  for (int lane = 0; lane < lanes_v<Real>; ++lane) finite = finite && Kokkos::isfinite(lane_of(real, lane));
  return finite;
}

} // namespace tessera
