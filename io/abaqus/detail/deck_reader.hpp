// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// The reader of Abaqus and CalculiX decks.

#include <tessera/io/abaqus/deck.hpp>
#include <tessera/io/abaqus/detail/amplitude.hpp>
#include <tessera/io/abaqus/detail/data_lines.hpp>
#include <tessera/io/abaqus/detail/equations.hpp>
#include <tessera/io/abaqus/detail/joints.hpp>
#include <tessera/io/abaqus/detail/orientation.hpp>

#include <array>
#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tessera::io {

/// Reads a deck from its first line to its last one, then resolves what names nodes and elements.
class AbaqusDeckReader {
public:
  AbaqusDeckReader(const std::string& path, const ReadOptions& options)
      : lexer_(path, options.progress), mesh_(path) {}

  AbaqusDeck read();

private:
  /// A line of a load or constraint until the mesh is complete.
  struct Pending {
    enum class Kind {
      constraint,
      nodal_load,
      pressure,
      surface_pressure,
      gravity,
      rotation,
      temperature,
      linear_temperature
    } kind;
    std::string target;
    int first = 0; ///< component or face
    int last = 0;
    double value = 0.0;
    std::array<double, 3> direction{}, point{};
    std::size_t step = 0; ///< 0: before the first step
    AbaqusPlace place;
    std::string amplitude; ///< name; empty: none
    /// Of a linear temperature: two places along the direction, and the temperatures there.
    std::array<std::array<double, 2>, 2> between{};
  };

  using Kind = Pending::Kind;
  void other(const AbaqusKeyword& keyword, const std::string& detail = {});

  /// Lists the parameters of a keyword other than the given ones; true if there are none.
  bool only(const AbaqusKeyword& keyword, std::initializer_list<std::string_view> known);

  /// Regards OP and AMPLITUDE in a step, and lists parameters other than these and a given one; true if
  /// there are none.
  bool takes_operation(const AbaqusKeyword& keyword, bool AbaqusStep::* anew,
                       std::string_view parameter = {});
  void add(const AbaqusTie& tie);
  void read_keyword(const AbaqusKeyword& keyword);
  AbaqusMaterial& material(const AbaqusKeyword& keyword);
  void read_elastic(const AbaqusKeyword& keyword);

  /// Lines of some numbers and a temperature, which a single line need not have.
  AbaqusTable read_table(const AbaqusKeyword& keyword, AbaqusDataLines& lines,
                         const std::vector<const char*>& names);
  void read_density(const AbaqusKeyword& keyword);
  void read_coupling(const AbaqusKeyword& keyword);

  /// Lines with the first and the last of some components, of so many there are.
  std::vector<std::pair<int, int>> read_ranges(const AbaqusKeyword& keyword, int most,
                                               const std::string& name);
  void read_kinematic(const AbaqusKeyword& keyword);

  /// All six components of the reference node follow from the surface, whichever are listed.
  void read_distributing(const AbaqusKeyword& keyword);
  void read_rigid_body(const AbaqusKeyword& keyword);
  void read_expansion(const AbaqusKeyword& keyword);
  void read_temperatures(const AbaqusKeyword& keyword);
  void read_linear_temperatures(const AbaqusKeyword& keyword);
  Pending pending(Kind kind, const AbaqusDataLines& lines) const;
  void read_boundary(const AbaqusKeyword& keyword);
  void read_nodal_loads(const AbaqusKeyword& keyword);
  void read_distributed_loads(const AbaqusKeyword& keyword);
  void resolve(const Pending& line);
  void resolve_pressure(const Pending& line, AbaqusStep& step);
  void resolve_surface_pressure(const Pending& line, AbaqusStep& step);
  void resolve_gravity(const Pending& line, AbaqusStep& step);
  void resolve_rotation(const Pending& line, AbaqusStep& step);
  void resolve_linear_temperature(const Pending& line, AbaqusStep& step);

  AbaqusLexer lexer_;
  AbaqusMesh mesh_;
  AbaqusDeck deck_;
  std::vector<Pending> pending_;
  std::vector<AbaqusAmplitude> amplitudes_;
  std::string amplitude_; ///< of the keyword whose lines are read; empty: none
  std::vector<AbaqusEquationLines> equations_;
  std::vector<AbaqusTie> ties_;
  std::vector<AbaqusSectors> sectors_;
  std::vector<AbaqusCoupling> couplings_;
  std::vector<AbaqusRigidBody> rigid_bodies_;
  std::vector<AbaqusPretension> pretensions_;
  std::vector<AbaqusTransform> transforms_;
  std::vector<AbaqusOrientation> orientations_;
  std::vector<AbaqusDistribution> distributions_;
};

} // namespace tessera::io
