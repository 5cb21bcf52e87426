#pragma once

#include <functional>
#include <set>
#include <string>

#include "ir/executor.hpp"
#include "ref_cpu/cpu_executor.hpp"

namespace plumb::testing {

/// An executor that is honest but for what it is told to do: node by node on the CPU,
/// each result handed to `tamper` before its readers see it.
class Suspect final : public ir::Executor {
 public:
  std::function<void(const ir::Node&, ir::Tensor& output)> tamper = [](const ir::Node&, ir::Tensor&) {};
  /// Changes a node's operand number `operand` as the node reads it; empty: it reads what it was fed.
  std::function<void(const ir::Node&, std::size_t operand, ir::Tensor& x)> misread = {};
  std::set<std::string> fused;           ///< labels of nodes whose values do not survive
  std::set<std::string> on_host;         ///< labels of nodes that fall back
  std::function<void()> on_run = [] {};  ///< may throw
  /// Adds to a node's report, which has its placement and kernel already.
  std::function<void(const ir::Node&, ir::NodeReport&)> describe = [](const ir::Node&, ir::NodeReport&) {};

  std::string_view name() const override { return "suspect"; }
  bool has_kernel(const ir::OpSchema&) const override { return true; }
  std::unique_ptr<ir::Executable> compile(const ir::Graph& graph, const ir::Feeds& params,
                                          const ir::Capture& capture) override;

 private:
  class Program;
};

}  // namespace plumb::testing
