// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Files that rank 0 writes for all ranks.

#include "distributed/rows.hpp"
#include "support/files.hpp"
#include <memory>
#include <mpi.h>
#include <string>

namespace tessera::test {

/// A path of rank 0's on every rank.
inline std::string of_rank_0(std::string path) {
  auto length = static_cast<int>(path.size());
  MPI_Bcast(&length, 1, MPI_INT, 0, MPI_COMM_WORLD);
  path.resize(to_size(length));
  MPI_Bcast(path.data(), length, MPI_CHAR, 0, MPI_COMM_WORLD);
  return path;
}

/// A folder that goes when all ranks are done with it.
class SharedFolder {
public:
  SharedFolder() : folder_(rank_of_world() == 0 ? std::make_unique<TemporaryFolder>() : nullptr) {}
  SharedFolder(const SharedFolder&) = delete;
  SharedFolder& operator=(const SharedFolder&) = delete;
  ~SharedFolder() { MPI_Barrier(MPI_COMM_WORLD); }

  /// Written by rank 0.
  std::string write(const std::string& name, const std::string& content) const {
    return of_rank_0(folder_ ? folder_->write(name, content) : "");
  }

private:
  std::unique_ptr<TemporaryFolder> folder_;
};

} // namespace tessera::test
