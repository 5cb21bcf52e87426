// An executor that passes on what it is asked, in the floating-point environment of the library's caller.
#include "parity/verify/callers_candidate.hpp"

#include "ir/raw/float_environment.hpp"
#include "ir/residency.hpp"

namespace plumb::parity::verify {
namespace {

class Program final : public ir::Executable {
 public:
  explicit Program(std::unique_ptr<ir::Executable> of) : of_(std::move(of)) {}

  ir::Tensors run(const ir::Feeds& inputs) override {
    const ir::raw::CallersFloatEnvironment callers;
    return of_->run(inputs);
  }
  std::vector<ir::NodeReport> nodes() const override { return of_->nodes(); }
  std::unique_ptr<ir::Context> context() override { return of_->context(); }
  std::uint64_t identity() const override { return of_->identity(); }

 private:
  const std::unique_ptr<ir::Executable> of_;
};

}  // namespace

std::unique_ptr<ir::Executable> CallersCandidate::compile(const ir::Graph& graph, const ir::Feeds& params,
                                                          const ir::Capture& capture) {
  const ir::raw::CallersFloatEnvironment callers;
  return std::make_unique<Program>(of_.compile(graph, params, capture));
}

ir::Buffer CallersCandidate::allocate(const ir::TensorType& type) { return of_.allocate(type); }

std::unique_ptr<ir::Executable> CallersCandidate::compile_held(const ir::Graph& graph,
                                                               std::shared_ptr<ir::Params> params,
                                                               const ir::CompileOptions& options) {
  const ir::raw::CallersFloatEnvironment callers;
  return std::make_unique<Program>(of_.compile(graph, std::move(params), options));
}

}  // namespace plumb::parity::verify
