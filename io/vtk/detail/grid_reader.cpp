// SPDX-License-Identifier: BSD-3-Clause
#include <tessera/core/error.hpp>
#include <tessera/io/detail/text.hpp>
#include <tessera/io/vtk/detail/grid_reader.hpp>

#include <vtkXMLDataElement.h>
#include <vtkXMLDataParser.h>

#include <array>
#include <string>
#include <string_view>

namespace tessera::io {

int WholeGridReader::ReadArrayValues(vtkXMLDataElement* element, vtkIdType place, vtkAbstractArray* array,
                                     vtkIdType first, vtkIdType count, FieldType type) {
  const int result = Superclass::ReadArrayValues(element, place, array, first, count, type);
  // Fields of the whole file have numbers of tuples of their own.
  const bool of_piece = element->GetParent() != this->FieldDataElement;
  if (result != 0 && of_piece && goes_on(element, first + count)) {
    const char* name = element->GetAttribute("Name");
    throw FileError(this->FileName, 0,
                    "array " + in_quotes(name == nullptr ? element->GetName() : name) +
                        " has more than the " + std::to_string(first + count) +
                        " values that follow from NumberOfPoints and NumberOfCells of its piece");
  }
  return result;
}

bool WholeGridReader::goes_on(vtkXMLDataElement* element, vtkIdType values) {
  int type = 0;
  if (element->GetWordTypeAttribute("type", type) == 0 || type == VTK_STRING || type == VTK_BIT) return false;
  // Together with the last value that is expected: VTK would look for a compressed block behind the last one.
  const vtkIdType start = values > 0 ? values - 1 : 0;
  std::array<double, 2> words{}; // of eight bytes at most
  const std::array<float, 2> range{this->ProgressRange[0], this->ProgressRange[1]};
  this->ProgressRange[0] = range[1]; // reading again is no step back
  const char* const format = element->GetAttribute("format");
  vtkTypeInt64 offset = 0;
  const std::size_t found =
      element->GetScalarAttribute("offset", offset) != 0
          ? this->XMLParser->ReadAppendedData(offset, words.data(), static_cast<vtkTypeUInt64>(start), 2,
                                              type)
          : this->XMLParser->ReadInlineData(element,
                                            format == nullptr || std::string_view(format) != "binary" ? 1 : 0,
                                            words.data(), static_cast<vtkTypeUInt64>(start), 2, type);
  this->ProgressRange[0] = range[0];
  return static_cast<vtkIdType>(found) > values - start;
}

} // namespace tessera::io
