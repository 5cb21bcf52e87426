#pragma once

#include "ir/executor.hpp"

namespace plumb::parity::verify {

/// An executor that keeps the last executable of another one, and hands it out again as long as
/// graph, params and capture are the same: for many runs of one graph on other inputs. What it
/// compiles holds the executable, which must not outlive the other executor.
class CompileOnce final : public ir::Executor {
 public:
  explicit CompileOnce(ir::Executor& of) : of_(of) {}

  std::string_view name() const override { return of_.name(); }
  bool has_kernel(const ir::OpSchema& schema) const override { return of_.has_kernel(schema); }
  std::unique_ptr<ir::Executable> compile(const ir::Graph& graph, const ir::Feeds& params,
                                          const ir::Capture& capture) override;

 private:
  ir::Executor& of_;
  std::string key_;
  std::shared_ptr<ir::Executable> kept_;
};

}  // namespace plumb::parity::verify
