// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Messages between ranks that do not know who will write to them: no rank holds a list of all ranks.

#include <tessera/distributed/communicator.hpp>

#include <cstdint>
#include <map>
#include <vector>

namespace tessera::distributed::detail {

/// What set-up sends: integers, and doubles by their bits.
using Words = std::vector<std::int64_t>;

/// Collective: sends words to ranks, this one among them perhaps, and returns what ranks sent to this one, by
/// sender. Empty messages are not sent. (Nonblocking consensus, of Hoefler, Siebert and Lumsdaine, "Scalable
/// communication protocols for dynamic sparse data exchange", 2010.)
/// \throws UnsupportedError on every rank for a message of 2^31 words or more
std::map<int, Words> sparse_exchange(const Communicator& ranks, const std::map<int, Words>& to);

} // namespace tessera::distributed::detail
