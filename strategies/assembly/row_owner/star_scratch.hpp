#pragma once

/// \file
/// How many threads a node of simplices has, and what a neighbour takes of their scratch memory.

namespace tessera::assembly::detail {

/// Threads that take turns with the elements around a node. Two hide more of the memory's latency where
/// scratch leaves few warps, as it does for tetrahedra; each has sums of its own.
template <class Stars>
constexpr int star_threads(int components) {
  return Stars::on_host || Stars::dimension == 2 || components > 1 ? 1 : 2;
}

/// Numbers that a neighbour takes in scratch.
template <class Stars>
constexpr int star_numbers(int components, int threads) {
  return Stars::dimension + threads * components * components;
}

} // namespace tessera::assembly::detail
