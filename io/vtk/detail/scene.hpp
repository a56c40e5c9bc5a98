// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// A picture in the making: surfaces at the left, names and scales at the right, lines of text above and
/// below, so that nothing overlaps. Includes VTK, so only sources named vtk_* may include it.

#include <tessera/io/vtk/picture.hpp>

#include <vtkNew.h>
#include <vtkRenderer.h>
#include <vtkScalarsToColors.h>
#include <vtkUnstructuredGrid.h>

#include <string>

namespace tessera::io {

class Scene {
public:
  /// \throws ArgumentError that begins with `function` if the picture is too small
  Scene(const char* function, const PictureOptions& options, int dimension);

  /// Adds the surface of cells, or cells that are surfaces, lines or points themselves, in one color. What is
  /// added later lies over what coincides with it.
  void add(vtkUnstructuredGrid* grid, const Color& color);
  /// The same, colored by the grid's active scalars of its points or cells.
  void add(vtkUnstructuredGrid* grid, vtkScalarsToColors* colors);
  /// Adds the edges of the surface's cells unless there are too many to be told from each other.
  void add_edges(vtkUnstructuredGrid* grid);

  /// Adds a name on its color to the list at the right. Those beyond the list's end are counted.
  void add_name(const std::string& name, const Color& color);
  /// Adds the scale of colors at the right under its title, which may have two lines.
  void add_scale(vtkScalarsToColors* colors, const std::string& title);
  /// The line below.
  void add_note(const std::string& text);

  /// The picture as a PNG file holds it.
  /// \throws UnsupportedError if VTK can open no off-screen window on this machine
  std::string png();

private:
  void add_text(const std::string& text, double x, double y, double size, const Color* background = nullptr);
  void add_axes();
  void place_camera();

  const char* function_;
  int width_, height_, dimension_;
  bool back_;
  int layers_ = 0, names_ = 0;
  vtkNew<vtkRenderer> model_, overlay_, axes_;
};

} // namespace tessera::io
