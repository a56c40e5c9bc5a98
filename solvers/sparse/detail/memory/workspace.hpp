// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// \file
/// Where a set-up's arrays come from: whoever makes one says whether it is kept or temporary.

#include <tessera/core/allocate.hpp>
#include <tessera/solvers/sparse/detail/memory/pool.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace tessera::solvers::sparse::detail {

/// The instance that a set-up works on, and the pools of its arrays: one of those that it keeps, one of those
/// that it, or a refresh, needs no longer than it takes. A handle: copies share the pools, which must outlive
/// them. Without pools each array is an allocation of its own, and ends with its last view.
template <class ExecutionSpace>
class Workspace {
public:
  using ArrayPool = Pool<ExecutionSpace>;

  /// \param owner  of the arrays, in their labels and those of kernels that are named after what they make.
  Workspace(const ExecutionSpace& instance, std::string owner) : exec(instance), owner_(std::move(owner)) {}
  Workspace(const ExecutionSpace& instance, std::string owner, ArrayPool& kept, ArrayPool& temporary)
      : exec(instance), owner_(std::move(owner)), kept_(&kept), temporary_(&temporary) {}

  const ExecutionSpace exec;

  /// The same with another pool for what is kept; without pools, the same.
  Workspace keeping_in(ArrayPool& kept) const {
    return kept_ == nullptr ? *this : Workspace(exec, owner_, kept, *temporary_);
  }
  /// The same for work of which nothing is kept.
  Workspace keeping_nothing() const {
    return kept_ == nullptr ? *this : Workspace(exec, owner_, *temporary_, *temporary_);
  }

  /// The label of an array, or of a kernel that makes it.
  std::string label(const std::string& what) const { return "Tessera::" + owner_ + "::" + what; }

  ArrayPool* kept() const { return kept_; }           ///< null if there is none
  ArrayPool* temporary() const { return temporary_; } ///< the same

private:
  std::string owner_;
  ArrayPool *kept_ = nullptr, *temporary_ = nullptr;
};

/// Gives temporary arrays back at its end that were taken while it lived, if they come from a pool of their
/// own.
template <class ExecutionSpace>
class ReturnTemporaries {
public:
  explicit ReturnTemporaries(const Workspace<ExecutionSpace>& work)
      : pool_(work.temporary() == work.kept() ? nullptr : work.temporary()) {
    if (pool_ != nullptr) used_ = pool_->used();
  }
  ~ReturnTemporaries() {
    if (pool_ != nullptr) pool_->rewind(used_);
  }
  ReturnTemporaries(const ReturnTemporaries&) = delete;
  ReturnTemporaries& operator=(const ReturnTemporaries&) = delete;

private:
  Pool<ExecutionSpace>* pool_;
  std::vector<std::size_t> used_;
};

/// An uninitialised array of one of a workspace's pools, or of its own without one.
template <class View, class ExecutionSpace, class... Extents>
View make_from(Pool<ExecutionSpace>* pool, const Workspace<ExecutionSpace>& work, const std::string& what,
               Extents... extents) {
  return pool == nullptr ? allocate<View>(work.exec, work.label(what), extents...)
                         : pool->template take<View>(work.exec, what, extents...);
}

/// An uninitialised array that stays as long as what is set up.
/// \param what  it is; its label.
template <class View, class ExecutionSpace, class... Extents>
View make_kept(const Workspace<ExecutionSpace>& work, const std::string& what, Extents... extents) {
  return make_from<View>(work.kept(), work, what, extents...);
}

/// The same that the set-up, or a refresh, needs no longer than it takes.
template <class View, class ExecutionSpace, class... Extents>
View make_temporary(const Workspace<ExecutionSpace>& work, const std::string& what, Extents... extents) {
  return make_from<View>(work.temporary(), work, what, extents...);
}

/// The same in other memory if that suffices.
template <class View, class ExecutionSpace, class Storage, class... Extents>
View make_temporary_in(const Workspace<ExecutionSpace>& work, const std::string& what, const Storage& memory,
                       Extents... extents) {
  if (bytes_of(memory) >= View::required_allocation_size(static_cast<std::size_t>(extents)...))
    return View(reinterpret_cast<typename View::pointer_type>(memory.data()),
                static_cast<std::size_t>(extents)...);
  return make_temporary<View>(work, what, extents...);
}

/// One allocation for arrays that are kept and made next, of so many bytes each.
/// \param what  they are; the allocation's label.
template <class ExecutionSpace, class... Bytes>
void reserve(const Workspace<ExecutionSpace>& work, const std::string& what, Bytes... bytes) {
  if (work.kept() != nullptr) work.kept()->reserve(work.exec, what, {static_cast<std::size_t>(bytes)...});
}

} // namespace tessera::solvers::sparse::detail
