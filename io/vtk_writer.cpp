#include <tessera/core/error.hpp>
#include <tessera/io/vtk_cells.hpp>
#include <tessera/io/vtk_writer.hpp>

#include <vtkCallbackCommand.h>
#include <vtkCellArray.h>
#include <vtkCellData.h>
#include <vtkDoubleArray.h>
#include <vtkErrorCode.h>
#include <vtkExecutive.h>
#include <vtkIntArray.h>
#include <vtkNew.h>
#include <vtkPointData.h>
#include <vtkPoints.h>
#include <vtkTypeInt32Array.h>
#include <vtkTypeInt64Array.h>
#include <vtkUnstructuredGrid.h>
#include <vtkXMLUnstructuredGridWriter.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <set>
#include <unistd.h>

namespace tessera::io {

namespace {

/// `items x components` values as `items x 3` where there are two components, else as they are.
vtkNew<vtkDoubleArray> to_array(std::span<const double> values, std::size_t items, std::size_t components) {
  vtkNew<vtkDoubleArray> array;
  if (components != 2) {
    array->SetNumberOfComponents(static_cast<int>(components));
    // Borrowed: VTK takes no pointer to const, and does not write through it or free it.
    array->SetArray(const_cast<double*>(values.data()), static_cast<vtkIdType>(values.size()), 1);
    return array;
  }
  array->SetNumberOfComponents(3);
  array->SetNumberOfTuples(static_cast<vtkIdType>(items));
  for (std::size_t item = 0; item < items; ++item)
    array->SetTuple3(static_cast<vtkIdType>(item), values[2 * item], values[2 * item + 1], 0.0);
  return array;
}

void add_fields(vtkDataSetAttributes* attributes, const std::vector<Field>& fields, std::size_t items,
                const char* kind) {
  std::set<std::string> names;
  for (const Field& field : fields) {
    if (!names.insert(field.name).second)
      throw ArgumentError(std::string("write_vtu: two ") + kind + " fields are called '" + field.name + "'");
    const std::size_t components = items == 0 ? 1 : field.values.size() / items;
    if (components * items != field.values.size() || components == 0)
      throw ArgumentError(std::string("write_vtu: ") + kind + " field '" + field.name + "' has " +
                          std::to_string(field.values.size()) + " values, not a multiple of the " +
                          std::to_string(items) + " " + kind + "s");
    vtkNew<vtkDoubleArray> array = to_array(field.values, items, components);
    array->SetName(field.name.c_str());
    attributes->AddArray(array);
  }
}

void set_cells(vtkUnstructuredGrid* grid, const MeshArrays& mesh, std::size_t cells) {
  const auto nodes = static_cast<std::size_t>(mesh.type.nodes());
  vtkNew<vtkTypeInt32Array> connectivity;
  connectivity->SetArray(const_cast<Ordinal*>(mesh.connectivity.data()),
                         static_cast<vtkIdType>(mesh.connectivity.size()), 1);
  vtkNew<vtkCellArray> array;
  if (mesh.connectivity.size() <= 0x7fffffff) {
    vtkNew<vtkTypeInt32Array> offsets;
    offsets->SetNumberOfValues(static_cast<vtkIdType>(cells + 1));
    for (std::size_t cell = 0; cell <= cells; ++cell)
      offsets->SetValue(static_cast<vtkIdType>(cell), static_cast<std::int32_t>(cell * nodes));
    array->SetData(offsets, connectivity);
  } else {
    // Offsets beyond 32 bits need 64-bit indices beside them.
    vtkNew<vtkTypeInt64Array> wide;
    wide->DeepCopy(connectivity);
    vtkNew<vtkTypeInt64Array> offsets;
    offsets->SetNumberOfValues(static_cast<vtkIdType>(cells + 1));
    for (std::size_t cell = 0; cell <= cells; ++cell)
      offsets->SetValue(static_cast<vtkIdType>(cell), static_cast<std::int64_t>(cell * nodes));
    array->SetData(offsets, wide);
  }
  grid->SetCells(vtk_type(mesh.type), array);
}

void check(const MeshArrays& mesh, std::size_t nodes, std::size_t cells) {
  if (mesh.coordinates.size() != nodes * static_cast<std::size_t>(mesh.dimension))
    throw ArgumentError("write_vtu: " + std::to_string(mesh.coordinates.size()) +
                        " coordinates are not a multiple of " + std::to_string(mesh.dimension));
  if (mesh.connectivity.size() != cells * static_cast<std::size_t>(mesh.type.nodes()))
    throw ArgumentError("write_vtu: a connectivity of " + std::to_string(mesh.connectivity.size()) +
                        " entries is not a multiple of the " + std::to_string(mesh.type.nodes()) +
                        " nodes of " + mesh.type.name());
  if (!mesh.materials.empty() && mesh.materials.size() != cells)
    throw ArgumentError("write_vtu: " + std::to_string(mesh.materials.size()) + " materials for " +
                        std::to_string(cells) + " cells");
  for (std::size_t i = 0; i < mesh.connectivity.size(); ++i)
    if (mesh.connectivity[i] < 0 || static_cast<std::size_t>(mesh.connectivity[i]) >= nodes)
      throw ArgumentError("write_vtu: cell " +
                          std::to_string(i / static_cast<std::size_t>(mesh.type.nodes())) + " has node " +
                          std::to_string(mesh.connectivity[i]) + ", but there are " + std::to_string(nodes) +
                          " nodes");
}

/// A file beside the final one, removed unless it is put in its place.
class PartFile {
public:
  explicit PartFile(const std::string& path)
      : path_(path), part_(path + "." + std::to_string(::getpid()) + ".part") {
    const int descriptor = ::open(part_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (descriptor < 0) fail(std::strerror(errno));
    ::close(descriptor);
  }
  PartFile(const PartFile&) = delete;
  PartFile& operator=(const PartFile&) = delete;
  ~PartFile() { std::remove(part_.c_str()); }

  const std::string& name() const noexcept { return part_; }

  /// Checks that the file is whole and on the disk, and gives it its name.
  void finish() {
    static constexpr char last[] = "</VTKFile>\n";
    constexpr std::size_t length = sizeof last - 1;
    const int descriptor = ::open(part_.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) fail(std::strerror(errno));
    char found[length] = {};
    // VTK does not look whether its last buffer reached the file.
    const bool whole = ::lseek(descriptor, -static_cast<off_t>(length), SEEK_END) >= 0 &&
                       ::read(descriptor, found, length) == static_cast<ssize_t>(length) &&
                       std::memcmp(found, last, length) == 0;
    const bool synced = ::fsync(descriptor) == 0;
    const int sync_error = errno;
    ::close(descriptor);
    if (!whole) fail("the end of the file is missing; is the disk full?");
    if (!synced) fail(std::strerror(sync_error));
    if (std::rename(part_.c_str(), path_.c_str()) != 0) fail(std::strerror(errno));
  }

  [[noreturn]] void fail(const std::string& why) const {
    std::remove(part_.c_str());
    throw FileError(path_, 0, "cannot be written: " + why);
  }

private:
  std::string path_;
  std::string part_;
};

} // namespace

void write_vtu(const std::string& path, const MeshArrays& mesh, const std::vector<Field>& node_fields,
               const std::vector<Field>& cell_fields) {
  const std::size_t nodes = mesh.coordinates.size() / static_cast<std::size_t>(mesh.dimension);
  const std::size_t cells = mesh.connectivity.size() / static_cast<std::size_t>(mesh.type.nodes());
  check(mesh, nodes, cells);

  vtkNew<vtkUnstructuredGrid> grid;
  vtkNew<vtkPoints> points;
  points->SetDataTypeToDouble();
  points->SetData(to_array(mesh.coordinates, nodes, static_cast<std::size_t>(mesh.dimension)));
  grid->SetPoints(points);
  set_cells(grid, mesh, cells);
  add_fields(grid->GetPointData(), node_fields, nodes, "node");
  add_fields(grid->GetCellData(), cell_fields, cells, "cell");
  if (!mesh.materials.empty()) {
    vtkNew<vtkTypeInt32Array> materials;
    materials->SetName("material");
    materials->SetArray(const_cast<Ordinal*>(mesh.materials.data()),
                        static_cast<vtkIdType>(mesh.materials.size()), 1);
    grid->GetCellData()->AddArray(materials);
  }

  PartFile part(path);
  vtkNew<vtkXMLUnstructuredGridWriter> writer;
  // VTK prints its errors unless somebody listens.
  vtkNew<vtkCallbackCommand> listener;
  listener->SetCallback([](vtkObject*, unsigned long, void*, void*) {});
  writer->AddObserver(vtkCommand::ErrorEvent, listener);
  writer->GetExecutive()->AddObserver(vtkCommand::ErrorEvent, listener);
  writer->SetFileName(part.name().c_str());
  writer->SetInputData(grid);
  writer->SetDataModeToAppended();
  writer->EncodeAppendedDataOff();
  writer->SetCompressorTypeToLZ4();
  writer->SetHeaderTypeToUInt64();
  if (writer->Write() == 0 || writer->GetErrorCode() != vtkErrorCode::NoError)
    part.fail(writer->GetErrorCode() == vtkErrorCode::OutOfDiskSpaceError
                  ? std::string("the disk is full")
                  : "VTK's error " + std::to_string(writer->GetErrorCode()));
  part.finish();
}

} // namespace tessera::io
