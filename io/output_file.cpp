#include <tessera/core/error.hpp>
#include <tessera/io/part_file.hpp>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

namespace tessera::io {

PartFile::PartFile(const std::string& path)
    : path_(path), part_(path + "." + std::to_string(::getpid()) + ".part") {
  const int descriptor = ::open(part_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor < 0) fail(std::strerror(errno));
  ::close(descriptor);
}

PartFile::~PartFile() { std::remove(part_.c_str()); }

void PartFile::finish(std::string_view last) {
  const int descriptor = ::open(part_.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) fail(std::strerror(errno));
  std::string found(last.size(), '\0');
  // Writers may not look whether their last buffer reached the file.
  const bool whole = ::lseek(descriptor, -static_cast<off_t>(last.size()), SEEK_END) >= 0 &&
                     ::read(descriptor, found.data(), found.size()) == static_cast<ssize_t>(found.size()) &&
                     found == last;
  const bool synced = ::fsync(descriptor) == 0;
  const int sync_error = errno;
  ::close(descriptor);
  if (!whole) fail("the end of the file is missing; is the disk full?");
  if (!synced) fail(std::strerror(sync_error));
  if (std::rename(part_.c_str(), path_.c_str()) != 0) fail(std::strerror(errno));
}

void PartFile::fail(const std::string& why) const {
  std::remove(part_.c_str());
  throw FileError(path_, 0, "cannot be written: " + why);
}

} // namespace tessera::io
