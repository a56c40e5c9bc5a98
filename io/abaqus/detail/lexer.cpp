// SPDX-License-Identifier: BSD-3-Clause
#include <tessera/io/abaqus/detail/lexer.hpp>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <sstream>

namespace tessera::io {

namespace {

constexpr std::size_t deepest_include = 16;

char capital(char c) noexcept { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }

bool is_blank(char c) noexcept { return c == ' ' || c == '\t' || c == '\r'; }

std::string without_blanks(std::string_view text) {
  std::string kept = capitals(text);
  std::erase_if(kept, is_blank);
  return kept;
}

} // namespace

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

std::string capitals(std::string_view text) {
  std::string result(text);
  std::erase(result, '"');
  std::transform(result.begin(), result.end(), result.begin(), capital);
  return result;
}

std::string AbaqusKeyword::label(const std::string& parameter) const {
  const auto found = parameters.find(parameter);
  return found == parameters.end() ? std::string() : capitals(found->second);
}

AbaqusLexer::AbaqusLexer(const std::string& path, Progress progress) : path_(path), opened_{path} {
  files_.push_back(std::make_unique<InputFile>(path, std::move(progress)));
}

bool AbaqusLexer::peek() {
  if (peeked_) return true;
  while (!files_.empty()) {
    std::string_view line;
    position_ = files_.back()->position();
    if (!files_.back()->next_line(line)) {
      if (files_.size() == 1) return false;
      files_.pop_back();
      continue;
    }
    line_ = files_.back()->line();
    line = trimmed(line);
    if (line.empty() || line.starts_with("**")) continue;
    if (line[0] == '*' && without_blanks(line.substr(0, line.find(','))) == "*INCLUDE") {
      include(line);
      continue;
    }
    if (line[0] == '*' && !without_blanks(line).starts_with("*END")) require_line_end();
    text_ = line;
    peeked_ = true;
    return true;
  }
  return false;
}

void AbaqusLexer::include(std::string_view line) {
  const AbaqusKeyword keyword = parse_keyword(line);
  const auto input = keyword.parameters.find("INPUT");
  if (input == keyword.parameters.end()) fail("*INCLUDE needs the parameter INPUT=file");
  if (files_.size() >= deepest_include)
    fail("files are included more than " + std::to_string(deepest_include - 1) +
         " deep; does one include itself?");
  std::string name = input->second;
  std::erase(name, '"');
  const std::filesystem::path file = std::filesystem::path(files_.back()->path()).parent_path() / name;
  try {
    files_.push_back(std::make_unique<InputFile>(file.string()));
    opened_.push_back(file.string());
  } catch (const FileError& error) {
    fail(std::string("*INCLUDE: ") + error.what());
  }
}

AbaqusKeyword AbaqusLexer::parse_keyword(std::string_view line) const {
  AbaqusKeyword keyword;
  keyword.place = place();
  bool first = true;
  while (true) {
    const std::size_t comma = line.find(',');
    const std::string_view field = trimmed(line.substr(0, comma));
    if (first) {
      keyword.shown = std::string(field);
      keyword.name = without_blanks(field.substr(1));
    } else if (!field.empty()) {
      const std::size_t equals = field.find('=');
      const std::string_view value =
          equals == std::string_view::npos ? std::string_view() : trimmed(field.substr(equals + 1));
      keyword.parameters[without_blanks(field.substr(0, equals))] = std::string(value);
    }
    first = false;
    if (comma == std::string_view::npos) return keyword;
    line.remove_prefix(comma + 1);
  }
}

bool AbaqusLexer::next_keyword(AbaqusKeyword& keyword) {
  while (next_line_of_keyword(keyword)) {
    follow_step(keyword);
    if (keyword.name == "ENDPART") {
      leave_part(keyword);
      continue;
    }
    if (keyword.name == "PART") pass_part(keyword);
    return true;
  }
  if (step_) step_->fail("the step has no *END STEP: the deck may be cut short");
  return false;
}

bool AbaqusLexer::next_line_of_keyword(AbaqusKeyword& keyword) {
  while (peek()) {
    peeked_ = false;
    if (text_[0] != '*') {
      require_deck();
      require_line_end();
      continue;
    }
    begun_ = true;
    std::string line(text_);
    const AbaqusPlace start = place();
    start_ = {start.file, position_, start.line};
    // A comma at the end continues the keyword line; the data line that follows some programs' stray comma
    // has no parameter=value in it.
    while (line.back() == ',' && peek() && text_[0] != '*' && text_.find('=') != std::string_view::npos) {
      line += text_;
      peeked_ = false;
    }
    keyword = parse_keyword(line);
    keyword.place = start;
    return true;
  }
  return false;
}

void AbaqusLexer::pass_part(const AbaqusKeyword& keyword) {
  const LineStart start = start_;
  const std::string name = keyword.label("NAME");
  if (name.empty()) keyword.place.fail("*PART needs the parameter NAME=name");
  if (!parts_.emplace(name, start).second) keyword.place.fail("there are two parts " + in_quotes(name));
  constexpr std::string_view elsewhere[] = {"PART", "ASSEMBLY", "INSTANCE", "STEP"};
  for (AbaqusKeyword inner; next_line_of_keyword(inner);) {
    if (std::find(std::begin(elsewhere), std::end(elsewhere), inner.name) != std::end(elsewhere))
      inner.place.fail(inner.shown + " inside part " + in_quotes(name) + " of line " +
                       std::to_string(start.line) + ", which has no *END PART");
    if (inner.name != "ENDPART") continue;
    if (inner.place.file != start.file)
      inner.place.fail("*END PART stands in another file than its *PART, " + start.file);
    return;
  }
  keyword.place.fail("part " + in_quotes(name) + " has no *END PART: the deck may be cut short");
}

void AbaqusLexer::read_part(const std::string& name, const AbaqusPlace& place) {
  const auto part = parts_.find(name);
  if (part == parts_.end()) {
    std::string known;
    for (const auto& [other, start] : parts_) known += (known.empty() ? "; there are " : ", ") + other;
    place.fail("there is no part " + in_quotes(name) + " above this line" + known);
  }
  waiting_ = {text_, line_, peeked_};
  peeked_ = false;
  files_.push_back(std::make_unique<InputFile>(part->second.file));
  files_.back()->go_to(part->second.position, part->second.line);
  AbaqusKeyword keyword;
  next_line_of_keyword(keyword); // the *PART line itself
}

void AbaqusLexer::leave_part(const AbaqusKeyword& keyword) {
  if (!waiting_) keyword.place.fail("*END PART without *PART");
  files_.pop_back();
  text_ = waiting_->text;
  line_ = waiting_->line;
  peeked_ = waiting_->peeked;
  waiting_.reset();
}

void AbaqusLexer::follow_step(const AbaqusKeyword& keyword) {
  if (keyword.name == "STEP") {
    if (step_)
      keyword.place.fail("a step inside that of line " + std::to_string(step_->line) +
                         ", which has no *END STEP");
    step_ = keyword.place;
  } else if (keyword.name == "ENDSTEP") {
    if (!step_) keyword.place.fail("*END STEP without *STEP");
    step_.reset();
  }
}

void AbaqusLexer::require_deck() const {
  if (begun_) return;
  std::istringstream line{std::string(text_)};
  int numbers = 0;
  for (std::int64_t number = 0; line >> number;) ++numbers;
  if (line.eof() && numbers == 5) fail("is a file of AVS UCD and no deck of Abaqus or CalculiX");
}

bool AbaqusLexer::next_data_of_any_end(std::vector<std::string_view>& fields) {
  if (!peek() || text_[0] == '*') return false;
  peeked_ = false;
  fields.clear();
  std::string_view rest = text_;
  while (true) {
    const std::size_t comma = rest.find(',');
    fields.push_back(trimmed(rest.substr(0, comma)));
    if (comma == std::string_view::npos) break;
    rest.remove_prefix(comma + 1);
  }
  goes_on_ = fields.size() > 1 && fields.back().empty();
  if (goes_on_) fields.pop_back();
  return true;
}

} // namespace tessera::io
