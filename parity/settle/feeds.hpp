#pragma once

#include "parity/settle/subject.hpp"

namespace plumb::parity::settle {

/// The feeds of the segment, widened, by the names of its inputs.
ir::Feeds widened_feeds(const Subject& subject);

/// The feeds of the segment in their own dtypes, by values of the graph that the segment is of.
core::Lookup native_feed(const Subject& subject);

/// Output `k` as the reference makes it in the candidate's own dtypes, on the same operands. Throws Error where it has
/// no kernel for them.
ir::Tensor evaluate_natively(const Subject& subject, std::size_t k);

}  // namespace plumb::parity::settle
