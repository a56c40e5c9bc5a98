// SPDX-License-Identifier: BSD-3-Clause
#include <tessera/io/abaqus/detail/sets.hpp>

#include <algorithm>

namespace tessera::io {

std::int64_t AbaqusSets::parse_id(std::string_view field, const AbaqusScope& scope,
                                  const AbaqusLexer& lexer) const {
  std::int64_t number = 0;
  if (!parse(field, number))
    lexer.fail("expected " + kind_ + " number, an integer, but found " + in_quotes(field));
  if (number < 1 || number > scope.last_number)
    lexer.fail("expected " + kind_ + " number from 1 to " + std::to_string(scope.last_number) +
               ", but found " + std::to_string(number));
  return scope.base + number;
}

void AbaqusSets::append(Set& set, Range range, const AbaqusPlace& place) {
  if (files_.empty() || files_.back() != place.file) files_.push_back(place.file);
  range.line = place.line;
  range.file = static_cast<std::uint32_t>(files_.size() - 1);
  if (range.step == 0 && !set.ranges.empty()) {
    Range& last = set.ranges.back();
    if (last.step == 0 && last.file == range.file && last.last + 1 == range.first) {
      last.last = range.last;
      return;
    }
  }
  set.ranges.push_back(range);
}

void AbaqusSets::add(const std::string& name, std::int64_t id, const AbaqusPlace& place) {
  append(sets_[name], {id, id, 0, 0, 0}, place);
}

void AbaqusSets::read(const std::string& name, bool generate, const AbaqusScope& scope, AbaqusLexer& lexer) {
  Set& set = sets_[name];
  std::vector<std::string_view> fields;
  while (lexer.next_data(fields)) {
    if (generate) {
      if (fields.size() < 2 || fields.size() > 3)
        lexer.fail("expected first, last and step of a range, but found " + std::to_string(fields.size()) +
                   " fields");
      const std::int64_t first = parse_id(fields[0], scope, lexer);
      const std::int64_t last = parse_id(fields[1], scope, lexer);
      std::int64_t step = 1;
      if (fields.size() == 3 && (!parse(fields[2], step) || step < 1))
        lexer.fail("expected the step of a range, at least 1, but found " + in_quotes(fields[2]));
      append(set, {first, last, step, 0, 0}, lexer.place());
      continue;
    }
    for (const std::string_view field : fields) {
      if (field.empty()) continue;
      std::int64_t number = 0;
      if (parse(field, number)) {
        const std::int64_t id = parse_id(field, scope, lexer);
        append(set, {id, id, 0, 0, 0}, lexer.place());
        continue;
      }
      const std::string other = scope.prefix + capitals(field);
      if (const auto id = instances_.id_of(other); id && !contains(other)) {
        if (*id < 0) lexer.fail("there is no " + kind_ + " " + other);
        append(set, {*id, *id, 0, 0, 0}, lexer.place());
        continue;
      }
      require(other, lexer.place());
      set.others.push_back(other);
    }
  }
}

void AbaqusSets::require(const std::string& name, const AbaqusPlace& place) const {
  if (sets_.contains(name)) return;
  std::string known;
  for (const auto& [other, set] : sets_) known += (known.empty() ? "" : ", ") + other;
  place.fail("there is no " + kind_ + " set " + in_quotes(name) + " above this line" +
             (known.empty() ? "" : "; there are " + known));
}

void AbaqusSets::for_each(const std::string& name, std::span<const Numbering* const> numberings,
                          const std::function<void(std::size_t, Ordinal)>& take) const {
  // A set that is named twice has its members twice; more often makes no difference, and sets may hold each
  // other.
  std::map<std::string, int> reached{{name, 1}};
  std::vector<const Set*> waiting{&sets_.at(name)};
  const auto take_number = [&](std::int64_t number) {
    bool found = false;
    for (std::size_t which = 0; which < numberings.size(); ++which) {
      const Ordinal index = numberings[which]->find(number);
      if (index < 0) continue;
      take(which, index);
      found = true;
    }
    return found;
  };
  while (!waiting.empty()) {
    const Set& set = *waiting.back();
    waiting.pop_back();
    for (const std::string& other : set.others)
      if (++reached[other] <= 2) waiting.push_back(&sets_.at(other));
    for (const Range& range : set.ranges) {
      const std::int64_t step = std::max<std::int64_t>(range.step, 1);
      std::int64_t members = 0;
      for (const Numbering* numbering : numberings) members += numbering->size();
      if (range.step > 0 && (range.last - range.first) / step > members) {
        // Fewer members than numbers in the range.
        for (std::size_t which = 0; which < numberings.size(); ++which)
          for (Ordinal index = 0; index < numberings[which]->size(); ++index) {
            const std::int64_t number = numberings[which]->id(index);
            if (number >= range.first && number <= range.last && (number - range.first) % step == 0)
              take(which, index);
          }
        continue;
      }
      for (std::int64_t number = range.first; number <= range.last; number += step) {
        if (!take_number(number) && range.step == 0)
          AbaqusPlace{files_[range.file], range.line}.fail(kind_ + " set " + in_quotes(name) + " holds " +
                                                           kind_ + " " + instances_.shown(number) +
                                                           ", which the deck does not define");
        if (step > range.last - number) break; // the sum may not fit
      }
    }
  }
}

std::vector<std::string> AbaqusSets::names() const {
  std::vector<std::string> list;
  list.reserve(sets_.size());
  for (const auto& [name, set] : sets_) list.push_back(name);
  return list;
}

} // namespace tessera::io
