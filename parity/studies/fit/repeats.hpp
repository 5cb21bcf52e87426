#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "parity/studies/fit/fit.hpp"

namespace plumb::parity::studies::fit {

/// Samples of which none is there twice, and what was left out.
struct Once {
  std::vector<Sample> samples = {};
  std::size_t runs = 0;         ///< left out as a whole
  std::size_t comparisons = 0;  ///< left out of other runs

  /// A remark on that for a person; "" where nothing was left out.
  std::string note() const;
};

/// Leaves out what is no further evidence: a file that is given twice, a copy of it, seeds that two files have in
/// common. A run is equal to an earlier one where both are of one graph and have the same outputs with the same bits
/// and errors on one device: also with another seed, where the inputs do not depend on it. A comparison is there
/// already where graph, seeds, device, node and the bits of the output are, whatever limit it was held to. Nothing is
/// told of a sample without out_hash, which stays.
Once count_once(std::span<const Sample> samples);

}  // namespace plumb::parity::studies::fit
