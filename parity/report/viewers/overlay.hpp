#pragma once

// Results as Model Explorer (google-ai-edge/model-explorer) shows them: colours of nodes, and graphs to open.

#include <string>
#include <vector>

#include "parity/report/viewers/cases.hpp"

namespace plumb::parity::report {

/// A file of the overlay: what is added to the name that the user gave, and its JSON.
struct OverlayFile {
  std::string suffix, text;
};

/// For ratio, ulp, inherited error and microseconds on the device a file of node data, by graph and by name of output
/// tensor the largest value of all cases: "GRAPH" is the name of the graph's file without its extension. ".graph.json"
/// has the graphs themselves, for those that are no file that the viewer opens; their nodes go by the names of the
/// values.
std::vector<OverlayFile> overlay_of(const Cases& cases);

/// The endings of these files, in their order.
std::vector<std::string> overlay_suffixes();

}  // namespace plumb::parity::report
