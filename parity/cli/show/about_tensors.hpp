#pragma once

// The description that files of dumped tensors and results carry: JSON of the schema plumb.dump/1.

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/executor.hpp"
#include "parity/cases/case.hpp"

namespace plumb::parity::cli::flags {
struct ChosenExecutor;
}

namespace plumb::parity::cli::show {

/// Collects what a file says: which case its tensors are of, on which device and by which version; and of each tensor
/// its node, who computed it and with which kernel and tile.
class AboutTensors {
 public:
  explicit AboutTensors(const ir::Graph& graph) : graph_(graph) {}

  /// A tensor called `name` in the file is `value`. `nodes` are null for an executor that reports no kernels.
  void add(const std::string& name, ir::Value value, std::string_view executor,
           const std::vector<ir::NodeReport>* nodes = nullptr);

  /// That a part of a value alone is in the file: "[0,:,3:7]".
  void set_slice(const std::string& name, const std::string& slice) { tensors_.at(name).slice = slice; }

  /// That tensors of the device have other bits where every chosen one is kept, or have not.
  void set_perturbed(const std::string& name, bool is_perturbed) { tensors_.at(name).perturbed = is_perturbed; }

  /// The whole as JSON, of what `on` gave beside our CPU executor. `watch` is "plain" where the graph ran as it is
  /// compiled for its results, "inside" where every chosen value was kept.
  std::string text(const cases::Case& subject, const flags::ChosenExecutor& on, std::string_view watch) const;

 private:
  struct Tensor {
    std::string node = {}, executor = {}, kernel = {}, tile = {}, slice = {};
    std::size_t order = 0;               ///< the place of the node in the graph, from 1; 0: no node
    std::optional<bool> perturbed = {};  ///< where that is known
  };

  const ir::Graph& graph_;
  std::map<std::string, Tensor> tensors_;
};

}  // namespace plumb::parity::cli::show
