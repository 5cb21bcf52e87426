// Finds what is wrong with a graph and can be seen without running it (docs/lint.md).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ir/formats/graph_file.hpp"
#include "parity/studies/lint/finding.hpp"

namespace plumb::parity::studies::lint {

struct Options {
  std::optional<ir::DType> dtype = {};  ///< f16 or bf16: the graph's f32 values are stored so
  /// By input or param: its numbers lie anywhere in [first, second], in place of what the file says.
  std::map<std::string, std::pair<double, double>, std::less<>> ranges = {};
  std::uint64_t seed = 1;  ///< seed of tensors that depend on the graph
};

struct Lint {
  ir::Graph graph;                    ///< in the dtype that was asked for
  std::vector<ValueEstimate> values;  ///< by number of a value
  std::vector<Finding> findings;      ///< sources first, then nodes in their order
  std::vector<std::string> unknown;   ///< results of which nothing could be said, by name
};

/// Looks at every value of a graph: extremes, mean, root mean square and grid, by elements of each node on operands
/// drawn from what is known of them. Behind a node of which something is found, numbers are as the dtype has them, and
/// the same is not found of nodes that only inherit it. Throws Error where a range is of no input or param, or upside
/// down, and where a tensor of another file cannot be read.
Lint lint(const ir::formats::GraphFile& file, const Options& options);

}  // namespace plumb::parity::studies::lint
