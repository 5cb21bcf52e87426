#pragma once

#include "parity/verify/node/examination.hpp"
#include "parity/verify/node/node_view.hpp"

namespace plumb::parity::verify {

/// Holds a candidate's account of how a node adds to replays on a sample of what it gave, since limits by a tree that
/// nobody tested may be wider than any that is there (library.md A).
ClaimTest test_claim(const NodeView& view, const Evaluation& own);

/// The note on nodes whose account no replay tests.
std::string note_of_unbelieved(const std::vector<std::string>& labels);

}  // namespace plumb::parity::verify
