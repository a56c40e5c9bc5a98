// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// What VTK says of a file. Includes VTK, so only sources named vtk_* may include it.

#include <vtkNew.h>
#include <vtkObjectFactory.h>
#include <vtkOutputWindow.h>

#include <string>

namespace tessera::io {

/// Keeps the first complaint of VTK, an error or a warning, of whatever object: where a file ends too early
/// VTK may only warn, and leave the rest of an array as the memory was. Only warnings known to be harmless
/// pass.
class Complaints : public vtkOutputWindow {
public:
  static Complaints* New() { VTK_STANDARD_NEW_BODY(Complaints); }
  vtkTypeMacro(Complaints, vtkOutputWindow)

  /// Where VTK sends all that it says.
  void DisplayText(const char* text) override;

  /// \throws FileError if there was a complaint
  void check(const std::string& path) const;

private:
  std::string first_;
};

/// Turns this process's VTK into one that tells its complaints here; for a child process, which does nothing
/// else with it.
vtkNew<Complaints> hear_complaints();

} // namespace tessera::io
