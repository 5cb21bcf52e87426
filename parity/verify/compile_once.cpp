// An executor that keeps the last two graphs that it compiled, so that many seeds compile once.
#include "parity/verify/compile_once.hpp"

#include <algorithm>

#include "ir/error.hpp"
#include "ir/formats/graph_file.hpp"
#include "ir/raw/hash.hpp"
#include "ir/residency.hpp"

namespace plumb::parity::verify {
namespace {

class Shared final : public ir::Executable {
 public:
  explicit Shared(std::shared_ptr<ir::Executable> of) : of_(std::move(of)) {}

  ir::Tensors run(const ir::Feeds& inputs) override { return of_->run(inputs); }
  std::vector<ir::NodeReport> nodes() const override { return of_->nodes(); }
  std::unique_ptr<ir::Context> context() override { return of_->context(); }
  std::uint64_t identity() const override { return of_->identity(); }

 private:
  std::shared_ptr<ir::Executable> of_;
};

std::string key_of(const ir::Graph& graph, const ir::Feeds& params, const ir::Capture& capture) {
  std::string key = ir::formats::graph_json(graph);
  for (ir::Value v = graph.inputs().size(); graph.is_source(v); ++v)
    key += ir::cat('\n', ir::raw::hash_bytes(ir::fed(graph, params, v).bytes()));
  for (const ir::Value v : capture.wanted) key += ir::cat(' ', v);
  if (capture.as_plain) key += " as plain";
  if (capture.marks_bools) key += " with marked bools";
  return key + (capture.surviving ? " and what survives" : "");
}

}  // namespace

std::unique_ptr<ir::Executable> CompileOnce::compile(const ir::Graph& graph, const ir::Feeds& params,
                                                     const ir::Capture& capture) {
  constexpr std::size_t most = 2;
  std::string key = key_of(graph, params, capture);
  const auto found = std::ranges::find(kept_, key, &Kept::key);
  if (found != kept_.end()) {
    std::rotate(found, found + 1, kept_.end());
  } else {
    if (kept_.size() == most) kept_.erase(kept_.begin());  // before the device has to hold another
    auto made = of_.compile(graph, params, capture);
    kept_.push_back({std::move(key), std::move(made)});
  }
  return std::make_unique<Shared>(kept_.back().executable);
}

ir::Buffer CompileOnce::allocate(const ir::TensorType& type) { return of_.allocate(type); }

std::unique_ptr<ir::Executable> CompileOnce::compile_held(const ir::Graph& graph, std::shared_ptr<ir::Params> params,
                                                          const ir::CompileOptions& options) {
  return of_.compile(graph, std::move(params), options);
}

}  // namespace plumb::parity::verify
