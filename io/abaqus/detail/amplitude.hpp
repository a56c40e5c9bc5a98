// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// *AMPLITUDE of Abaqus and CalculiX decks.

#include <tessera/io/abaqus/deck.hpp>
#include <tessera/io/abaqus/detail/lexer.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace tessera::io {

/// What loads and supports that name it are multiplied by in the course of time. It is of no effect, and may
/// have anything in it, until one does.
struct AbaqusAmplitude {
  std::string name;
  std::vector<double> numbers; ///< pairs of a time and a factor
  std::string unsupported;     ///< a parameter that changes what the numbers mean; empty if none does
  bool total_time = false;     ///< from the beginning of the first step on, not of each one
  AbaqusPlace place;
};

/// Reads the data lines. \throws FileError for what is no number
AbaqusAmplitude read_amplitude(const AbaqusKeyword& keyword, AbaqusLexer& lexer);

/// The factor at the end of a step, one of `steps` by its number from 1; beyond the ends as there.
/// \throws FileError for numbers that are no pairs, or times that do not ascend; UnsupportedError
double factor_at_end(const AbaqusAmplitude& amplitude, const std::vector<AbaqusStep>& steps,
                     std::size_t number);

} // namespace tessera::io
