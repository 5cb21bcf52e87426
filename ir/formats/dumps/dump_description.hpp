#pragma once

// The description that files of dumped tensors and results carry: JSON of the schema plumb.dump/1.

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ir/executor.hpp"

namespace plumb::ir::formats {

/// Collects what a file says of each of its tensors: its node, who computed it and with which kernel and tile.
class DumpDescription {
 public:
  /// The graph must outlive it.
  explicit DumpDescription(const Graph& graph) : graph_(graph) {}

  /// A tensor called `name` in the file is `value`. `nodes` are null for an executor that reports no kernels.
  void add(const std::string& name, Value value, std::string_view executor,
           const std::vector<NodeReport>* nodes = nullptr);

  /// That a part of a value alone is in the file: "[0,:,3:7]".
  void set_slice(const std::string& name, const std::string& slice) { tensors_.at(name).slice = slice; }

  /// That tensors of the device have other bits where every chosen one is kept, or have not.
  void set_perturbed(const std::string& name, bool is_perturbed) { tensors_.at(name).perturbed = is_perturbed; }

  /// That `name` was asked for and no kernel stores it, since the node `into` has its work; "" where no node has.
  void add_missing(const std::string& name, const std::string& into) { missing_.insert_or_assign(name, into); }

  /// The whole as JSON, with these fields, name and text, before those of the tensors.
  std::string text(const std::vector<std::pair<std::string_view, std::string>>& fields) const;

 private:
  struct DumpedTensor {
    std::string node = {}, executor = {}, kernel = {}, tile = {}, slice = {};
    std::size_t order = 0;               ///< the place of the node in the graph, from 1; 0: no node
    std::optional<bool> perturbed = {};  ///< where that is known
  };

  const Graph& graph_;
  std::map<std::string, DumpedTensor> tensors_;
  std::map<std::string, std::string> missing_;
};

}  // namespace plumb::ir::formats
