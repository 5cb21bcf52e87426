// An executor that passes on what it is asked, in the floating-point environment of the library's caller.
#include "parity/verify/callers_candidate.hpp"

#include "ir/raw/float_environment.hpp"

namespace plumb::parity::verify {
namespace {

class Program final : public core::HandedOnExecutable {
 public:
  using HandedOnExecutable::HandedOnExecutable;
  ir::Tensors run(const ir::Feeds& inputs) override {
    const ir::raw::CallersFloatEnvironment callers;
    return HandedOnExecutable::run(inputs);
  }
};

}  // namespace

std::unique_ptr<ir::Executable> CallersCandidate::compile(const ir::Graph& graph, const ir::Feeds& params,
                                                          const ir::Capture& capture) {
  const ir::raw::CallersFloatEnvironment callers;
  return std::make_unique<Program>(HandedOn::compile(graph, params, capture));
}

std::unique_ptr<ir::Executable> CallersCandidate::compile_held(const ir::Graph& graph,
                                                               std::shared_ptr<ir::Params> params,
                                                               const ir::CompileOptions& options) {
  const ir::raw::CallersFloatEnvironment callers;
  return std::make_unique<Program>(HandedOn::compile_held(graph, std::move(params), options));
}

}  // namespace plumb::parity::verify
