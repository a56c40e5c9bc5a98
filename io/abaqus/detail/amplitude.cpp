// SPDX-License-Identifier: BSD-3-Clause
#include <tessera/io/abaqus/detail/amplitude.hpp>
#include <tessera/io/abaqus/detail/data_lines.hpp>

namespace tessera::io {

AbaqusAmplitude read_amplitude(const AbaqusKeyword& keyword, AbaqusLexer& lexer) {
  AbaqusAmplitude amplitude;
  amplitude.name = keyword.label("NAME");
  amplitude.place = keyword.place;
  amplitude.total_time = keyword.label("TIME").starts_with("TOTAL");
  for (const auto& [parameter, value] : keyword.parameters)
    if (parameter != "NAME" && parameter != "TIME" && parameter != "VALUE")
      amplitude.unsupported = keyword.shown + ", " + parameter;
  AbaqusDataLines lines(lexer);
  while (lines.next())
    for (std::size_t i = 0; i < lines.fields().size(); ++i)
      amplitude.numbers.push_back(lines.real(i, "a time or an amplitude"));
  return amplitude;
}

double factor_at_end(const AbaqusAmplitude& amplitude, const std::vector<AbaqusStep>& steps,
                     std::size_t number) {
  if (!amplitude.unsupported.empty())
    amplitude.place.unsupported(amplitude.unsupported + " is not supported in a linear static deck");
  if (amplitude.numbers.empty() || amplitude.numbers.size() % 2 != 0)
    amplitude.place.fail("*AMPLITUDE needs pairs of a time and a factor");
  AbaqusTable table;
  for (std::size_t i = 0; i < amplitude.numbers.size(); i += 2) {
    if (i > 0 && amplitude.numbers[i] <= table.arguments.back())
      amplitude.place.fail("the times of *AMPLITUDE do not ascend");
    table.arguments.push_back(amplitude.numbers[i]);
    table.rows.push_back({amplitude.numbers[i + 1]});
  }
  double time = steps[number - 1].period;
  if (amplitude.total_time)
    for (std::size_t s = 0; s + 1 < number; ++s) time += steps[s].period;
  return table.at(time).front();
}

} // namespace tessera::io
