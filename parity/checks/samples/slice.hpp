#pragma once

#include <optional>

#include "parity/settle/subject.hpp"

namespace plumb::parity::checks::samples {

/// A segment on a few entries of one axis of an output: what makes these, and nothing else.
struct Slice {
  core::Segment segment;          ///< its ops, on smaller extents
  std::vector<ir::Tensor> fed;    ///< widened operands, by input, of which some keep those entries only
  std::vector<std::size_t> kept;  ///< the elements of the whole output that it makes, in its order
};

/// A slice of output `k` by `entries` of its axis. Which axis of which operand goes with it is found out: shapes must
/// fit, and what comes must be `truth` at those elements, of which `tries` are checked at most. Nothing where none
/// fits.
std::optional<Slice> slice_of(const settle::Subject& subject, std::size_t k, std::size_t axis,
                              const std::vector<std::size_t>& entries, const ir::Tensor& truth, int tries);

/// The whole segment as a slice of everything.
Slice whole_of(const settle::Subject& subject, std::size_t k);

/// The output of a slice on these operands.
ir::Tensor output_of(const settle::Subject& subject, const Slice& slice, std::size_t k,
                     const std::vector<ir::Tensor>& fed);

}  // namespace plumb::parity::checks::samples
