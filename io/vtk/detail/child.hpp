// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// A child process for libraries that damaged files, or too little memory, can crash.

#include <tessera/io/detail/input_file.hpp>
#include <tessera/io/mesh_data.hpp>

#include <functional>
#include <string>

namespace tessera::io {

/// Calls `read` in a forked child process, and takes the mesh that it makes, its progress and its exception
/// through a pipe. VTK and the libraries under it check little of what they read: a flipped bit among the
/// cells makes them follow pointers into nowhere. In the child that ends in an exception of this process.
///
/// The child may take 3 s and 1 s for each megabyte of the file of processor time, six times that on the
/// clock, and 1 GiB and 256 times the file's size of memory more than this process has. Text takes a fortieth
/// of that time and a hundredth of that memory or less; a compressed file may hold a hundred times its size.
///
/// The child uses VTK without threads, and nothing else of this process: neither its devices nor MPI. Its
/// error stream goes nowhere, and it ends with this process. At the call no other thread may be within VTK,
/// whose locks the child would find closed for ever. The price is a copy of the page table (1 ms for each 100
/// MB or so that this process holds) and of the mesh.
///
/// \throws FileError what `read` throws; with the signal's name if the child crashed, or the bound that it
///         exceeded; if the file cannot be opened or no process can be made. What options.progress throws
///         ends the child.
MeshData read_in_child(const std::string& path, const ReadOptions& options,
                       MeshData (*read)(const std::string&, const ReadOptions&));

/// Calls `draw`, which makes a picture's file, in a forked child process without bounds of its own, and takes
/// the picture or the exception through a pipe. Graphics libraries crash where memory runs out.
///
/// \param function begins messages
/// \throws ArgumentError, UnsupportedError what `draw` throws; OutOfMemoryError if memory does not suffice;
///         UnsupportedError with the signal's name if the child crashed, if it waits for ever (10 s without
///         processor time), or if no process can be made
std::string draw_in_child(const std::string& function, const std::function<std::string()>& draw);

} // namespace tessera::io
