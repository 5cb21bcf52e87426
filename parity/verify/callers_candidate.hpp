#pragma once

#include "parity/core/handed_on.hpp"

namespace plumb::parity::verify {

/// A candidate that computes in the floating-point environment of whoever asked for the verdict, in which it is used.
/// Ours have their own wherever they are called from, in contexts too, which are handed through as they are.
class CallersCandidate final : public core::HandedOn {
 public:
  using HandedOn::HandedOn;
  using ir::Executor::compile;
  std::unique_ptr<ir::Executable> compile(const ir::Graph& graph, const ir::Feeds& params,
                                          const ir::Capture& capture) override;

 private:
  std::unique_ptr<ir::Executable> compile_held(const ir::Graph& graph, std::shared_ptr<ir::Params> params,
                                               const ir::CompileOptions& options) override;
};

}  // namespace plumb::parity::verify
