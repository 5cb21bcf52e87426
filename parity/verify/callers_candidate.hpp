#pragma once

#include "ir/executor.hpp"

namespace plumb::parity::verify {

/// A candidate that computes in the floating-point environment of whoever asked for the verdict, in which it is used.
/// Ours have their own wherever they are called from, in contexts too, which are handed through as they are.
class CallersCandidate final : public ir::Executor {
 public:
  explicit CallersCandidate(ir::Executor& of) : of_(of) {}

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
};

}  // namespace plumb::parity::verify
