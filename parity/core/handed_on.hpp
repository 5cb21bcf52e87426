#pragma once

#include "ir/executor.hpp"

namespace plumb::parity::core {

/// An executor that hands on all that it is asked to another one, which must outlive it. Those that derive from it say
/// what they do otherwise.
class HandedOn : public ir::Executor {
 public:
  explicit HandedOn(ir::Executor& of) : of_(of) {}

  std::string_view name() const override { return of_.name(); }
  bool has_kernel(const ir::OpSchema& schema) const override { return of_.has_kernel(schema); }
  std::string refusal(const ir::Graph& graph, const ir::Node& node) const override { return of_.refusal(graph, node); }
  using ir::Executor::compile;
  std::unique_ptr<ir::Executable> compile(const ir::Graph& graph, const ir::Feeds& params,
                                          const ir::Capture& capture) override;
  ir::Buffer allocate(const ir::TensorType& type) override;
  ir::Buffer import(ir::MutableView memory, std::shared_ptr<void> owner, ir::Import how) override;
  std::shared_ptr<ir::Params> hold(const ir::Feeds& params) override { return of_.hold(params); }

 protected:
  std::unique_ptr<ir::Executable> compile_held(const ir::Graph& graph, std::shared_ptr<ir::Params> params,
                                               const ir::CompileOptions& options) override;

 private:
  ir::Executor& of_;
};

/// An executable that hands on likewise; several may share the other one.
class HandedOnExecutable : public ir::Executable {
 public:
  explicit HandedOnExecutable(std::shared_ptr<ir::Executable> of) : of_(std::move(of)) {}

  ir::Tensors run(const ir::Feeds& inputs) override { return of_->run(inputs); }
  std::vector<ir::NodeReport> nodes() const override { return of_->nodes(); }
  std::unique_ptr<ir::Context> context() override;
  std::uint64_t identity() const override { return of_->identity(); }

 private:
  std::shared_ptr<ir::Executable> of_;
};

}  // namespace plumb::parity::core
