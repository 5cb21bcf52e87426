#pragma once

// A run as one page of HTML, which needs no other file and no network.

#include <span>
#include <string>

#include "parity/report/suites.hpp"
#include "parity/report/viewers/cases.hpp"

namespace plumb::parity::report::html {

/// The page: what the run came to, tables of cases and nodes, a drawing of each graph, and all that a results file
/// keeps of a node, in at most 2 MB for 5 000 nodes and 5 MB for more: histograms are left out first, then details of
/// nodes that passed, these nodes themselves, and the last cases, and the page says so. Without scripts it has what the
/// run came to and 200 tests that did not pass. Names of nodes are text, whatever they hold.
std::string to_page(const Cases& cases, std::span<const Suite> suites, const RunFacts& facts);

}  // namespace plumb::parity::report::html
