// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// VTK's reader of .vtu files, made to notice what it leaves unread. Includes VTK, so only sources in io/vtk
/// may include it.

#include <vtkObjectFactory.h>
#include <vtkXMLUnstructuredGridReader.h>

namespace tessera::io {

/// Where a piece announces fewer points or cells than its arrays hold, VTK reads the first of them and says
/// nothing of the others. This reader looks at each array for a value beyond the last one that VTK wanted.
class WholeGridReader : public vtkXMLUnstructuredGridReader {
public:
  static WholeGridReader* New() { VTK_STANDARD_NEW_BODY(WholeGridReader); }
  vtkTypeMacro(WholeGridReader, vtkXMLUnstructuredGridReader)

protected:
  /// As VTK's. \throws FileError for an array that goes on
  int ReadArrayValues(vtkXMLDataElement* element, vtkIdType place, vtkAbstractArray* array, vtkIdType first,
                      vtkIdType count, FieldType type) override;

private:
  /// Whether an array has more than so many values.
  bool goes_on(vtkXMLDataElement* element, vtkIdType values);
};

} // namespace tessera::io
