// SPDX-License-Identifier: BSD-3-Clause
#include <tessera/core/error.hpp>
#include <tessera/distributed/agree.hpp>
#include <tessera/distributed/detail/sparse_exchange.hpp>

#include <limits>
#include <string>
#include <thread>

namespace tessera::distributed::detail {

namespace {

void check_lengths(const Communicator& ranks, const std::map<int, Words>& to) {
  agree(ranks, [&] {
    for (const auto& [rank, words] : to)
      if (words.size() > static_cast<std::size_t>(std::numeric_limits<int>::max()))
        throw UnsupportedError("a message of " + std::to_string(words.size()) + " words for rank " +
                               std::to_string(rank) + "; MPI counts 2147483647: take more ranks");
  });
}

/// Receives a message that has arrived, if one has.
void receive_arrived(const Communicator& ranks, int tag, std::map<int, Words>& from) {
  int arrived = 0;
  MPI_Message message;
  MPI_Status status;
  MPI_Improbe(MPI_ANY_SOURCE, tag, ranks.own(), &arrived, &message, &status);
  if (arrived == 0) return;
  int count = 0;
  MPI_Get_count(&status, MPI_INT64_T, &count);
  Words& words = from[status.MPI_SOURCE];
  words.resize(static_cast<std::size_t>(count));
  MPI_Mrecv(words.data(), count, MPI_INT64_T, &message, MPI_STATUS_IGNORE);
}

} // namespace

std::map<int, Words> sparse_exchange(const Communicator& ranks, const std::map<int, Words>& to) {
  check_lengths(ranks, to);
  std::map<int, Words> from;
  const int tag = ranks.set_up_tag();
  std::vector<MPI_Request> sends;
  for (const auto& [rank, words] : to) {
    if (words.empty()) continue;
    if (rank == ranks.rank()) {
      from[rank] = words;
      continue;
    }
    // A synchronous send has ended when the message has been taken.
    MPI_Issend(words.data(), static_cast<int>(words.size()), MPI_INT64_T, rank, tag, ranks.own(),
               &sends.emplace_back());
  }
  MPI_Request everybody = MPI_REQUEST_NULL;
  bool entered = false;
  for (int ended = 0; ended == 0;) {
    receive_arrived(ranks, tag, from);
    std::this_thread::yield(); // to ranks on the same core
    if (entered) {
      MPI_Test(&everybody, &ended, MPI_STATUS_IGNORE);
    } else {
      int taken = 0;
      MPI_Testall(static_cast<int>(sends.size()), sends.data(), &taken, MPI_STATUSES_IGNORE);
      if (taken != 0) {
        MPI_Ibarrier(ranks.own(), &everybody);
        entered = true;
      }
    }
  }
  return from;
}

} // namespace tessera::distributed::detail
