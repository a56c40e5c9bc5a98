// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Keyword lines and data lines of Abaqus and CalculiX decks, with comments, blank lines, included files and
/// continued keyword lines resolved.

#include <tessera/core/error.hpp>
#include <tessera/io/detail/input_file.hpp>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::io {

/// Where something stands in a deck or in a file that it includes.
struct AbaqusPlace {
  std::string file;
  std::size_t line = 0;

  /// `FILE:LINE: `, before what is said of it.
  std::string shown() const { return file + ":" + std::to_string(line) + ": "; }

  [[noreturn]] void fail(const std::string& what) const { throw FileError(file, line, what); }
  [[noreturn]] void unsupported(const std::string& what) const { throw UnsupportedError(shown() + what); }
};

/// A keyword line such as `*ELEMENT, TYPE=C3D8, ELSET=EALL`.
struct AbaqusKeyword {
  std::string name;  ///< in capitals without the star and without blanks: SOLIDSECTION
  std::string shown; ///< as written, for messages: *SOLID SECTION
  std::map<std::string, std::string>
      parameters; ///< names in capitals; values as written, empty where there is none
  AbaqusPlace place;

  /// The value of a parameter in capitals, empty if it is not there.
  std::string label(const std::string& parameter) const;
  bool has(const std::string& parameter) const { return parameters.contains(parameter); }
};

/// Names are not case-sensitive: the same text in capitals, without quotes, which may be around parts of it.
std::string capitals(std::string_view text);

/// The text without the blanks around it.
std::string_view trimmed(std::string_view text);

/// Splits a deck into keyword lines and the data lines below each. Parts are passed over until an instance
/// asks for one. A deck that is cut short is told by a last line without an end, unless it is an *END line or
/// one of which the reader knows that it is whole, and by a step without *END STEP or a part without *END
/// PART.
class AbaqusLexer {
public:
  AbaqusLexer(const std::string& path, Progress progress);

  /// The next keyword line, past any data lines that are left; false at the end of the deck.
  /// \throws FileError for a step or part that does not end, an end without its beginning, and a part that
  ///         holds another part, the assembly or a step, or whose name is there already
  bool next_keyword(AbaqusKeyword& keyword);

  /// The next data line of the current keyword, split at its commas, blanks removed; an empty field after the
  /// last comma is dropped. The views are valid until the next call. False if the next line is a keyword
  /// line, or at the end.
  bool next_data(std::vector<std::string_view>& fields) {
    return next_data_of_any_end(fields) && (require_line_end(), true);
  }

  /// The same, but the deck's last line may lack its end; the caller makes sure that it is whole.
  bool next_data_of_any_end(std::vector<std::string_view>& fields);

  /// Whether the last line of data ended in a comma, so that the next one belongs to it.
  bool line_goes_on() const noexcept { return goes_on_; }

  /// Whether the last line that was read has an end.
  bool line_ended() const { return files_.empty() || files_.back()->line_ended(); }

  /// \throws FileError unless `line_ended()`
  void require_line_end() const {
    if (!files_.empty()) files_.back()->require_line_end();
  }

  /// Where the last keyword or data line stands.
  AbaqusPlace place() const { return {files_.empty() ? path_ : files_.back()->path(), line_}; }

  /// Goes on with what stands between *PART of that name and its *END PART, and then from here.
  /// \throws FileError at `place` if there is no such part above
  void read_part(const std::string& name, const AbaqusPlace& place);

  /// The deck and the files that it has included so far.
  const std::vector<std::string>& files() const noexcept { return opened_; }

  /// Throws FileError at that place.
  [[noreturn]] void fail(const std::string& what) const { place().fail(what); }

private:
  /// Where a line begins.
  struct LineStart {
    std::string file;
    std::uint64_t position = 0;
    std::size_t line = 0;
  };

  /// Finds the next line that counts, unless it has been found already; false at the end.
  bool peek();
  void include(std::string_view line);
  /// The next keyword line, whatever it is.
  bool next_line_of_keyword(AbaqusKeyword& keyword);
  /// Remembers a part by its *PART line, and goes to the line below its *END PART.
  void pass_part(const AbaqusKeyword& keyword);
  void leave_part(const AbaqusKeyword& keyword);
  void follow_step(const AbaqusKeyword& keyword);
  void require_deck() const;
  AbaqusKeyword parse_keyword(std::string_view line) const;

  std::string path_;
  std::vector<std::string> opened_;
  std::vector<std::unique_ptr<InputFile>> files_; ///< the deck and the chain of included files
  std::string_view text_;                         ///< the line that peek found, blanks around it removed
  bool peeked_ = false;
  bool goes_on_ = false;
  bool begun_ = false; ///< a keyword has come
  std::size_t line_ = 0;
  std::optional<AbaqusPlace> step_;        ///< of the step that has not ended
  LineStart start_;                        ///< of the last keyword line
  std::uint64_t position_ = 0;             ///< of the line that peek found last
  std::map<std::string, LineStart> parts_; ///< their *PART lines
  /// What peek had found where a part is read for an instance.
  struct Waiting {
    std::string_view text;
    std::size_t line;
    bool peeked;
  };
  std::optional<Waiting> waiting_;
};

} // namespace tessera::io
