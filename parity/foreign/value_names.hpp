#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/formats/graph_file.hpp"
#include "parity/foreign/candidate.hpp"

namespace plumb::parity::foreign {

/// Whether two graphs compute the same, name by name.
bool is_same_graph(const ir::Graph& a, const ir::Graph& b);

/// The values that a candidate is asked for by `capture`: the wanted ones that nodes compute, then, unless it is asked
/// for results alone, all others that are of interest.
std::vector<ir::Value> asked_for(const ir::Graph& graph, const ir::Capture& capture, Taps taps);

/// The names by which a candidate is asked for values, and those that it may answer with: the model's own, where a
/// model is given to it, and the graph's.
class ValueNames {
 public:
  /// `model` is null where only the graph is given. Both must outlive this.
  ValueNames(const ir::Graph& graph, const ir::formats::GraphFile* model);

  /// The name of a value that a node computes.
  std::string name(ir::Value value) const;
  /// Further names that the model has for it.
  std::vector<std::string> also(ir::Value value) const;
  /// The value that a name stands for.
  std::optional<ir::Value> find(std::string_view name) const;

 private:
  const ir::Graph& graph_;
  const ir::formats::GraphFile* const model_;
  std::map<ir::Value, std::string> names_;  ///< where it is not the graph's
  std::map<ir::Value, std::vector<std::string>> aliases_;
};

}  // namespace plumb::parity::foreign
