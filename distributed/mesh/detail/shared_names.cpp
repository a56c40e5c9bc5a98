// SPDX-License-Identifier: BSD-3-Clause
#include <tessera/distributed/mesh/detail/shared_names.hpp>

#include <algorithm>
#include <iterator>
#include <tuple>

namespace tessera::distributed::detail {

namespace {

/// Collective: a text of one rank's.
std::string broadcast(const Communicator& ranks, int from, std::string text) {
  int length = static_cast<int>(text.size());
  MPI_Bcast(&length, 1, MPI_INT, from, ranks.own());
  text.resize(static_cast<std::size_t>(length));
  MPI_Bcast(text.data(), length, MPI_CHAR, from, ranks.own());
  return text;
}

/// Names with an end mark each, which no name of a set contains.
std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const auto& name : names) text += name + '\0';
  return text;
}

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> names;
  for (std::size_t begin = 0; begin < text.size(); begin = text.find('\0', begin) + 1)
    names.push_back(text.substr(begin, text.find('\0', begin) - begin));
  return names;
}

} // namespace

std::vector<std::string> shared_names(const Communicator& ranks, std::vector<std::string> names) {
  std::sort(names.begin(), names.end());
  std::vector<std::string> shared;
  for (;;) {
    std::vector<std::string> missing;
    std::set_difference(names.begin(), names.end(), shared.begin(), shared.end(),
                        std::back_inserter(missing));
    int first = missing.empty() ? ranks.size() : ranks.rank();
    MPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_INT, MPI_MIN, ranks.own());
    if (first == ranks.size()) return shared;
    const auto more = split(broadcast(ranks, first, joined(missing)));
    shared.insert(shared.end(), more.begin(), more.end());
    std::sort(shared.begin(), shared.end());
  }
}

std::vector<MaterialLabel> shared_labels(const Communicator& ranks,
                                         const std::vector<MaterialLabel>& labels) {
  struct {
    int count, rank;
  } longest{static_cast<int>(labels.size()), ranks.rank()};
  MPI_Allreduce(MPI_IN_PLACE, &longest, 1, MPI_2INT, MPI_MAXLOC, ranks.own());
  if (longest.count == 0) return {};
  std::vector<std::string> words;
  for (const auto& label : labels) {
    words.push_back(std::to_string(label.number));
    words.push_back(label.name);
  }
  words = split(broadcast(ranks, longest.rank, joined(words)));
  std::vector<MaterialLabel> all;
  for (std::size_t i = 0; i + 1 < words.size(); i += 2) all.push_back({std::stoi(words[i]), words[i + 1]});
  return all;
}

std::vector<MaterialLabel> joined_labels(const Communicator& ranks,
                                         const std::vector<MaterialLabel>& labels) {
  std::vector<std::string> texts;
  texts.reserve(labels.size());
  for (const auto& label : labels) texts.push_back(std::to_string(label.number) + ' ' + label.name);
  std::vector<MaterialLabel> all;
  for (const auto& text : shared_names(ranks, texts))
    all.push_back({std::stoi(text), text.substr(text.find(' ') + 1)});
  std::sort(all.begin(), all.end(), [](const MaterialLabel& a, const MaterialLabel& b) {
    return std::tie(a.number, a.name) < std::tie(b.number, b.name);
  });
  return all;
}

} // namespace tessera::distributed::detail
