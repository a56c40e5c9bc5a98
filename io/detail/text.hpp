// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Numbers from text, and text for messages.

#include <cstdint>
#include <string>
#include <string_view>

namespace tessera::io {

/// Longest number, in characters, that is read.
inline constexpr std::size_t longest_word = 256;

/// First character after a '+' sign, which std::from_chars does not take and many programs write.
const char* skip_plus(const char* first, const char* last) noexcept;

/// Converts the longest number at the start of the text [first, last); underflow gives zero. Returns where it
/// ends, or nullptr if there is none or it is not finite.
const char* convert(const char* first, const char* last, double& value);

/// Converts a whole text to an integer; false if it is not one or does not fit.
bool parse(std::string_view text, std::int64_t& value) noexcept;

/// Converts a whole text to a finite number; an exponent may be written with d or D as Fortran does;
/// underflow gives zero. False if it is not a finite number.
bool parse(std::string_view text, double& value);

/// A piece of the file's text for a message: at most 40 characters, unprintable ones replaced by '?', quoted.
std::string in_quotes(std::string_view text);

/// A number as short as nine digits allow, for a message.
std::string shown(double value);

} // namespace tessera::io
