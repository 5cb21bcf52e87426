#pragma once

// Which queries and keys of an attention over sequences of different lengths belong together.

#include "parity/check/flashinfer/builder.hpp"

namespace plumb::parity::check::flashinfer {

/// One sequence: rows of the queries, and rows of the keys or, where these lie in pages, the pages.
struct Sequence {
  std::int64_t first_query = 0, queries = 0;
  std::int64_t first_key = 0, keys = 0;
  std::vector<std::int64_t> pages = {};  ///< all of their rows are keys, but for the last one's
};

/// Reads the offsets and page tables of a definition's workload, or draws some that fit, and feeds them. Throws Error,
/// with the element, where they contradict the extents.
std::vector<Sequence> read_sequences(Builder& builder);

/// `count` whole numbers of the sum `total`, of which number k is at least least[k]. Throws Error, which calls them
/// `what`, where these sum up to more.
std::vector<std::int64_t> drawn_parts(std::int64_t total, const std::vector<std::int64_t>& least, Random& random,
                                      const std::string& what);

}  // namespace plumb::parity::check::flashinfer
