// SPDX-License-Identifier: BSD-3-Clause
#include <tessera/core/error.hpp>
#include <tessera/distributed/agree.hpp>

#include <cstdio>
#include <new>
#include <string>
#include <vector>

namespace tessera::distributed {

namespace detail {
namespace {

/// The types of error that are told apart on other ranks.
enum class Kind : int { error, argument, mesh, form, unsupported, solver, memory, file };

struct Failure {
  Kind kind;
  std::string text;
};

Failure describe(const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const ArgumentError& e) {
    return {Kind::argument, e.what()};
  } catch (const MeshError& e) {
    return {Kind::mesh, e.what()};
  } catch (const FormError& e) {
    return {Kind::form, e.what()};
  } catch (const UnsupportedError& e) {
    return {Kind::unsupported, e.what()};
  } catch (const SolverError& e) {
    return {Kind::solver, e.what()};
  } catch (const OutOfMemoryError& e) {
    return {Kind::memory, e.what()};
  } catch (const FileError& e) {
    return {Kind::file, e.what()};
  } catch (const std::bad_alloc&) {
    return {Kind::memory, "the host's memory is used up"};
  } catch (const std::exception& e) {
    return {Kind::error, e.what()};
  } catch (...) {
    return {Kind::error, "an exception of an unknown type"};
  }
}

[[noreturn]] void raise(int rank, const Failure& failure) {
  const std::string where = "rank " + std::to_string(rank);
  const std::string text = where + ": " + failure.text;
  switch (failure.kind) {
  case Kind::argument:
    throw ArgumentError(text);
  case Kind::mesh:
    throw MeshError(text);
  case Kind::form:
    throw FormError(text);
  case Kind::unsupported:
    throw UnsupportedError(text);
  case Kind::solver:
    throw SolverError(text);
  case Kind::memory:
    throw OutOfMemoryError(text);
  case Kind::file:
    throw FileError(where, 0, failure.text);
  case Kind::error:
    break;
  }
  throw Error(text);
}

} // namespace

void raise_first_failure(const Communicator& ranks, const std::exception_ptr& failure) {
  const int mine = failure ? ranks.rank() : ranks.size();
  int first = 0;
  MPI_Allreduce(&mine, &first, 1, MPI_INT, MPI_MIN, ranks.own());
  if (first == ranks.size()) return;
  Failure text{Kind::error, {}};
  if (first == ranks.rank()) text = describe(failure);
  int header[2] = {static_cast<int>(text.kind), static_cast<int>(text.text.size())};
  MPI_Bcast(header, 2, MPI_INT, first, ranks.own());
  text.kind = static_cast<Kind>(header[0]);
  text.text.resize(static_cast<std::size_t>(header[1]));
  MPI_Bcast(text.text.data(), header[1], MPI_CHAR, first, ranks.own());
  raise(first, text);
}

} // namespace detail

void check_same(const Communicator& ranks, const std::vector<Named>& numbers) {
  std::vector<double> first(numbers.size());
  for (std::size_t i = 0; i < numbers.size(); ++i) first[i] = numbers[i].value;
  MPI_Bcast(first.data(), static_cast<int>(first.size()), MPI_DOUBLE, 0, ranks.own());
  agree(ranks, [&] {
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      if (numbers[i].value == first[i]) continue;
      char text[128];
      std::snprintf(text, sizeof text, " is %.17g, on rank 0 it is %.17g", numbers[i].value, first[i]);
      throw ArgumentError(numbers[i].name + text);
    }
  });
}

} // namespace tessera::distributed
