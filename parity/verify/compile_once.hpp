#pragma once

#include <string>
#include <vector>

#include "ir/executor.hpp"

namespace plumb::parity::verify {

/// An executor that keeps the last executables of another one, two at most, and hands them out again as long as graph,
/// params and capture are the same: for many runs of one graph on other inputs, watched and plain. What it compiles
/// holds the executable, which must not outlive the other executor. With params that are held it compiles anew.
class CompileOnce final : public ir::Executor {
 public:
  explicit CompileOnce(ir::Executor& of) : of_(of) {}

  std::string_view name() const override { return of_.name(); }
  bool has_kernel(const ir::OpSchema& schema) const override { return of_.has_kernel(schema); }
  std::string refusal(const ir::Graph& graph, const ir::Node& node) const override { return of_.refusal(graph, node); }
  using ir::Executor::compile;
  std::unique_ptr<ir::Executable> compile(const ir::Graph& graph, const ir::Feeds& params,
                                          const ir::Capture& capture) override;
  ir::Buffer allocate(const ir::TensorType& type) override;
  std::shared_ptr<ir::Params> hold(const ir::Feeds& params) override { return of_.hold(params); }

 private:
  std::unique_ptr<ir::Executable> compile_held(const ir::Graph& graph, std::shared_ptr<ir::Params> params,
                                               const ir::CompileOptions& options) override;

  ir::Executor& of_;
  struct Kept {
    std::string key;
    std::shared_ptr<ir::Executable> executable;
  };
  std::vector<Kept> kept_;  ///< the one that was used last is the last
};

}  // namespace plumb::parity::verify
