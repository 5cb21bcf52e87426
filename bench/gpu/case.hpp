#pragma once

#include <map>
#include <string>
#include <vector>

#include "ir/fill.hpp"
#include "ir/graph.hpp"

namespace plumb::bench {

/// Sizes that people measure, or the same cases so small that software Vulkan runs them
/// all in a moment.
enum class Scale { full, small };
constexpr auto enum_names(Scale) { return std::array<std::string_view, 2>{"full", "small"}; }

/// The time of a case that is measured.
enum class Measure {
  gpu,       ///< time of its dispatches on the device, the L2 cache flushed before each run
  latency,   ///< from the call of run() to the results in the host's hands
  overhead,  ///< latency less time on the device
  resident,  ///< from the call of submit() to the end of the run, inputs and results in buffers on the device
};
constexpr auto enum_names(Measure) { return std::array<std::string_view, 4>{"gpu", "latency", "overhead", "resident"}; }

/// One line of the table: a graph whose large operands are params, so that they lie on the
/// device before anything is timed. Names are those of bench/peers.
struct Case {
  std::string name;
  Measure measure = Measure::gpu;
  /// Whether the passes may rewrite it. Not of a single op: they would fold what they know of its params.
  bool fuse = false;
  bool is_in_place = false;  ///< a resident case binds its result where its first input is
  ir::Graph graph = {};
  std::map<std::string, ir::Fill, std::less<>> fills = {};  ///< for the sources that default_fill does not suit
  double flops = 0, bytes = 0;                              ///< per run, for rates; 0 where nobody counts them
};

std::vector<Case> product_cases(Scale scale);
std::vector<Case> packed_cases(Scale scale);
std::vector<Case> memory_cases(Scale scale);
std::vector<Case> attention_cases(Scale scale);
std::vector<Case> convolution_cases(Scale scale);
std::vector<Case> transform_cases(Scale scale);
std::vector<Case> sequence_cases(Scale scale);
std::vector<Case> model_cases(Scale scale);

/// All of them, in the order of the table.
std::vector<Case> all_cases(Scale scale);

}  // namespace plumb::bench
