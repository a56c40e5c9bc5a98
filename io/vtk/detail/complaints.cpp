// SPDX-License-Identifier: BSD-3-Clause
#include <tessera/core/error.hpp>
#include <tessera/io/vtk/detail/complaints.hpp>

#include <vtkLogger.h>

#include <string>
#include <utility>

namespace tessera::io {

namespace {

/// "ERROR: In vtkSome.cxx, line 5\nvtkSome (0x55): What happened\n\n" without all that leads to what
/// happened.
std::string first_sentence(std::string text) {
  if (const auto place = text.find(": In "); place < text.find('\n')) text.erase(0, text.find('\n') + 1);
  if (const auto object = text.find("): "); object < text.find('\n')) text.erase(0, object + 3);
  return text.substr(0, text.find('\n'));
}

/// Whether what VTK says leaves the mesh whole: that it passes over a second array of a name, or a key of
/// information that only the program knows that wrote it.
bool is_harmless(const std::string& sentence) {
  return sentence.starts_with("Could not locate key ") ||
         (sentence.starts_with("Another ") && sentence.ends_with(" already exists. Ignoring."));
}

} // namespace

void Complaints::DisplayText(const char* text) {
  if (!first_.empty() || text == nullptr) return;
  if (std::string sentence = first_sentence(text); !is_harmless(sentence)) first_ = std::move(sentence);
}

void Complaints::check(const std::string& path) const {
  if (!first_.empty()) throw FileError(path, 0, "VTK cannot read it: " + first_);
}

vtkNew<Complaints> hear_complaints() {
  vtkNew<Complaints> complaints;
  vtkOutputWindow::SetInstance(complaints);
  vtkObject::GlobalWarningDisplayOn();
  // What no object says goes to the log.
  vtkLogger::AddCallback(
      "Tessera",
      [](void* self, const vtkLogger::Message& message) {
        static_cast<Complaints*>(self)->DisplayText(message.message);
      },
      complaints, vtkLogger::VERBOSITY_WARNING);
  return complaints;
}

} // namespace tessera::io
