#pragma once

#include "parity/verify/node/examination.hpp"
#include "parity/verify/node/node_view.hpp"

namespace plumb::parity::verify {

/// Compares the outputs that the candidate shows of a node with the truth of its own inputs, and looks into them.
/// Changes nothing, and depends on no other node.
Examination examine(const NodeView& view);

}  // namespace plumb::parity::verify
