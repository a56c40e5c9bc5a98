// SPDX-License-Identifier: BSD-3-Clause
#include <tessera/core/error.hpp>
#include <tessera/io/vtk/detail/scene.hpp>

#include <vtkActor.h>
#include <vtkAutoInit.h>
#include <vtkAxesActor.h>
#include <vtkCamera.h>
#include <vtkCaptionActor2D.h>
#include <vtkDataSetSurfaceFilter.h>
#include <vtkExtractEdges.h>
#include <vtkMapper.h>
#include <vtkOpenGLRenderWindow.h>
#include <vtkPNGWriter.h>
#include <vtkPolyData.h>
#include <vtkPolyDataMapper.h>
#include <vtkProperty.h>
#include <vtkRenderWindow.h>
#include <vtkScalarBarActor.h>
#include <vtkTextActor.h>
#include <vtkTextProperty.h>
#include <vtkUnsignedCharArray.h>
#include <vtkUnstructuredGridGeometryFilter.h>
#include <vtkWindowToImageFilter.h>

#include <algorithm>
#include <cmath>
#include <new>

VTK_MODULE_INIT(vtkRenderingOpenGL2)
VTK_MODULE_INIT(vtkRenderingFreeType)

namespace tessera::io {

namespace {

// Parts of the picture, as shares of its width and height.
constexpr double right_column = 0.81, lower_line = 0.03, upper_line = 0.945, scale_bottom = 0.32,
                 scale_top = 0.84;
constexpr double name_height = 0.05;
constexpr int most_names = 10;
// A cell of the surface with less room than so many pixels is drawn without its edges.
constexpr double pixels_per_cell = 150;

/// Curved cells as a few flat ones.
vtkNew<vtkDataSetSurfaceFilter> surface_of(vtkUnstructuredGrid* grid) {
  vtkNew<vtkDataSetSurfaceFilter> surface;
  surface->SetInputData(grid);
  surface->SetNonlinearSubdivisionLevel(1);
  return surface;
}

vtkNew<vtkActor> actor_of(vtkMapper* mapper) {
  vtkNew<vtkActor> actor;
  actor->SetMapper(mapper);
  actor->GetProperty()->SetAmbient(0.6);
  actor->GetProperty()->SetDiffuse(0.4);
  actor->GetProperty()->SetLineWidth(6);
  actor->GetProperty()->SetPointSize(9);
  actor->GetProperty()->RenderPointsAsSpheresOn();
  return actor;
}

} // namespace

Scene::Scene(const char* function, const PictureOptions& options, int dimension)
    : function_(function), width_(options.width), height_(options.height), dimension_(dimension),
      back_(options.back) {
  if (width_ < 320 || height_ < 240)
    throw ArgumentError(std::string(function) + ": a picture has at least 320 x 240 pixels, got " +
                        std::to_string(width_) + " x " + std::to_string(height_));
  vtkMapper::SetResolveCoincidentTopologyToPolygonOffset();
  overlay_->SetLayer(1);
  model_->SetBackground(1, 1, 1);
  model_->SetViewport(0.02, 0.09, right_column - 0.02, 0.92);
  if (!options.title.empty()) add_text(options.title, 0.02, upper_line, 1.15);
  if (dimension_ == 3) add_axes();
}

void Scene::add(vtkUnstructuredGrid* grid, const Color& color) {
  const auto surface = surface_of(grid);
  vtkNew<vtkPolyDataMapper> mapper;
  mapper->SetInputConnection(surface->GetOutputPort());
  mapper->ScalarVisibilityOff();
  mapper->SetRelativeCoincidentTopologyPolygonOffsetParameters(-layers_, -layers_);
  const auto actor = actor_of(mapper);
  actor->GetProperty()->SetColor(color[0], color[1], color[2]);
  model_->AddActor(actor);
  ++layers_;
}

void Scene::add(vtkUnstructuredGrid* grid, vtkScalarsToColors* colors) {
  const auto surface = surface_of(grid);
  vtkNew<vtkPolyDataMapper> mapper;
  mapper->SetInputConnection(surface->GetOutputPort());
  mapper->SetLookupTable(colors);
  mapper->UseLookupTableScalarRangeOn();
  mapper->InterpolateScalarsBeforeMappingOn();
  mapper->SetRelativeCoincidentTopologyPolygonOffsetParameters(-layers_, -layers_);
  model_->AddActor(actor_of(mapper));
  ++layers_;
}

void Scene::add_edges(vtkUnstructuredGrid* grid) {
  vtkNew<vtkUnstructuredGridGeometryFilter> sides;
  sides->SetInputData(grid);
  sides->Update();
  if (static_cast<double>(sides->GetOutput()->GetNumberOfCells()) * pixels_per_cell >
      static_cast<double>(width_) * height_)
    return;
  vtkNew<vtkExtractEdges> edges;
  edges->SetInputConnection(sides->GetOutputPort());
  vtkNew<vtkPolyDataMapper> mapper;
  mapper->SetInputConnection(edges->GetOutputPort());
  mapper->ScalarVisibilityOff();
  mapper->SetRelativeCoincidentTopologyLineOffsetParameters(-layers_, -30 * (layers_ + 1));
  const auto actor = actor_of(mapper);
  actor->GetProperty()->SetColor(0.25, 0.25, 0.25);
  actor->GetProperty()->SetLineWidth(1.4);
  actor->GetProperty()->LightingOff();
  model_->AddActor(actor);
}

void Scene::add_text(const std::string& text, double x, double y, double size, const Color* background) {
  vtkNew<vtkTextActor> actor;
  actor->SetInput(text.c_str());
  actor->GetPositionCoordinate()->SetCoordinateSystemToNormalizedViewport();
  actor->SetPosition(x, y);
  vtkTextProperty* const property = actor->GetTextProperty();
  property->SetFontSize(static_cast<int>(std::lround(size * height_ / 36)));
  property->SetColor(0, 0, 0);
  if (background) {
    property->SetBackgroundColor((*background)[0], (*background)[1], (*background)[2]);
    property->SetBackgroundOpacity(1);
    const double brightness = 0.3 * (*background)[0] + 0.6 * (*background)[1] + 0.1 * (*background)[2];
    if (brightness < 0.5) property->SetColor(1, 1, 1);
  }
  overlay_->AddViewProp(actor);
}

void Scene::add_name(const std::string& name, const Color& color) {
  if (++names_ > most_names) return;
  add_text(' ' + name + ' ', right_column, scale_top - names_ * name_height, 0.9, &color);
}

void Scene::add_scale(vtkScalarsToColors* colors, const std::string& title) {
  add_text(title, right_column, scale_top + 0.015, 0.9);
  vtkNew<vtkScalarBarActor> scale;
  scale->SetLookupTable(colors);
  scale->SetNumberOfLabels(6);
  scale->SetLabelFormat("{:.3g}");
  scale->UnconstrainedFontSizeOn();
  scale->GetLabelTextProperty()->SetFontSize(static_cast<int>(std::lround(0.85 * height_ / 36)));
  scale->GetLabelTextProperty()->SetColor(0, 0, 0);
  scale->GetLabelTextProperty()->ItalicOff();
  scale->GetLabelTextProperty()->BoldOff();
  scale->GetLabelTextProperty()->ShadowOff();
  scale->SetBarRatio(0.25);
  scale->GetPositionCoordinate()->SetCoordinateSystemToNormalizedViewport();
  scale->SetPosition(right_column, scale_bottom);
  scale->SetPosition2(0.97 - right_column, scale_top - scale_bottom);
  overlay_->AddViewProp(scale);
}

void Scene::add_note(const std::string& text) { add_text(text, 0.02, lower_line, 0.9); }

void Scene::add_axes() {
  vtkNew<vtkAxesActor> actor;
  for (vtkCaptionActor2D* caption :
       {actor->GetXAxisCaptionActor2D(), actor->GetYAxisCaptionActor2D(), actor->GetZAxisCaptionActor2D()}) {
    caption->GetTextActor()->SetTextScaleModeToNone();
    caption->GetCaptionTextProperty()->SetFontSize(static_cast<int>(std::lround(0.9 * height_ / 36)));
    caption->GetCaptionTextProperty()->SetColor(0, 0, 0);
    caption->GetCaptionTextProperty()->ItalicOff();
    caption->GetCaptionTextProperty()->BoldOff();
    caption->GetCaptionTextProperty()->ShadowOff();
  }
  axes_->SetBackground(1, 1, 1);
  axes_->AddActor(actor);
  axes_->SetViewport(right_column + 0.02, 0.03, 0.97, 0.28);
}

void Scene::place_camera() {
  // Unit vectors to the viewer, to the right and upwards.
  const double away = (back_ ? -1 : 1) / std::sqrt(0.6 * 0.6 + 1 + 0.55 * 0.55);
  const double flat = (back_ ? -1 : 1) / std::sqrt(1 + 0.6 * 0.6);
  const double z_out[3] = {0, 0, 1}, x_right[3] = {1, 0, 0}, y_up[3] = {0, 1, 0};
  const double out3[3] = {0.6 * away, -away, 0.55 * std::abs(away)}, right3[3] = {flat, 0.6 * flat, 0};
  const double up3[3] = {out3[1] * right3[2] - out3[2] * right3[1], out3[2] * right3[0] - out3[0] * right3[2],
                         out3[0] * right3[1] - out3[1] * right3[0]};
  const double* out = dimension_ == 3 ? out3 : z_out;
  const double* right = dimension_ == 3 ? right3 : x_right;
  const double* up = dimension_ == 3 ? up3 : y_up;

  double bounds[6];
  model_->ComputeVisiblePropBounds(bounds);
  double centre[3], half_width = 0, half_height = 0;
  for (int d = 0; d < 3; ++d) {
    const double half = 0.5 * (bounds[2 * d + 1] - bounds[2 * d]);
    centre[d] = bounds[2 * d] + half;
    half_width += half * std::abs(right[d]);
    half_height += half * std::abs(up[d]);
  }
  const double* view = model_->GetViewport();
  const double aspect = (view[2] - view[0]) * width_ / ((view[3] - view[1]) * height_);
  const double scale = 1.03 * std::max(half_height, half_width / aspect);
  for (vtkRenderer* renderer : {model_.Get(), axes_.Get()}) {
    vtkCamera* const camera = renderer->GetActiveCamera();
    camera->ParallelProjectionOn();
    camera->SetFocalPoint(0, 0, 0);
    camera->SetPosition(out[0], out[1], out[2]);
    camera->SetViewUp(up[0], up[1], up[2]);
  }
  vtkCamera* const camera = model_->GetActiveCamera();
  camera->SetFocalPoint(centre);
  camera->SetPosition(centre[0] + 10 * scale * out[0], centre[1] + 10 * scale * out[1],
                      centre[2] + 10 * scale * out[2]);
  camera->SetParallelScale(scale);
  model_->ResetCameraClippingRange();
  axes_->ResetCamera();
}

std::string Scene::png() {
  if (names_ > most_names)
    add_text("and " + std::to_string(names_ - most_names) + " more", right_column,
             scale_top - (most_names + 1) * name_height, 0.9);
  place_camera();
  vtkNew<vtkRenderWindow> window;
  if (!vtkOpenGLRenderWindow::SafeDownCast(window))
    throw UnsupportedError(std::string(function_) + ": VTK has no off-screen window on this machine");
  window->SetOffScreenRendering(1);
  window->SetMultiSamples(8);
  window->SetNumberOfLayers(2);
  window->SetSize(width_, height_);
  vtkNew<vtkRenderer> background;
  background->SetBackground(1, 1, 1);
  window->AddRenderer(background);
  window->AddRenderer(model_);
  if (dimension_ == 3) window->AddRenderer(axes_);
  window->AddRenderer(overlay_);
  if (!window->SupportsOpenGL())
    throw UnsupportedError(std::string(function_) + ": VTK cannot open an off-screen window on this machine");
  window->Render();
  vtkNew<vtkWindowToImageFilter> image;
  image->SetInput(window);
  image->ReadFrontBufferOff();
  vtkNew<vtkPNGWriter> writer;
  writer->SetInputConnection(image->GetOutputPort());
  writer->WriteToMemoryOn();
  writer->Write();
  vtkUnsignedCharArray* const file = writer->GetResult();
  if (file == nullptr) throw std::bad_alloc();
  return {reinterpret_cast<const char*>(file->GetPointer(0)),
          static_cast<std::size_t>(file->GetNumberOfValues())};
}

} // namespace tessera::io
