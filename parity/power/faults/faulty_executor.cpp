// An executor that computes as another does but for one planted fault, for tests of whole runs.
#include "parity/power/faults/faulty_executor.hpp"

#include <algorithm>

#include "ir/passes/widen.hpp"

namespace plumb::parity::power::faults {

class FaultyExecutor::Program final : public ir::Executable {
 public:
  Program(const FaultyExecutor& faulty, const ir::Graph& graph, const ir::Feeds& params,
          std::unique_ptr<ir::Executable> inner)
      : faulty_(faulty), graph_(graph), params_(params), inner_(std::move(inner)) {}

  ir::Tensors run(const ir::Feeds& inputs) override {
    auto values = inner_->run(inputs);
    const auto value = graph_.find(faulty_.output_);
    if (faulty_.amount_.may_be_absent && (!value || !values.contains(*value))) return values;
    ir::require(value && values.contains(*value), "no fault can be planted in '", faulty_.output_, "'");
    ir::Feeds feeds = params_;
    for (const auto& [name, tensor] : inputs) feeds.insert_or_assign(name, tensor);
    alter(values.at(*value), *value, feeds);
    return values;
  }

  std::vector<ir::NodeReport> nodes() const override { return inner_->nodes(); }

 private:
  void alter(ir::Tensor& tensor, ir::Value value, const ir::Feeds& feeds) const;

  const FaultyExecutor& faulty_;
  const ir::Graph graph_;
  const ir::Feeds params_;
  const std::unique_ptr<ir::Executable> inner_;
};

void FaultyExecutor::Program::alter(ir::Tensor& tensor, ir::Value value, const ir::Feeds& feeds) const {
  const std::size_t node = *graph_.producer(value);
  const ir::Tensors& now = faulty_.witness_.now();
  const auto is_captured = [&](ir::Value v) { return graph_.is_source(v) || now.contains(v); };
  const core::Segment segment = core::segment_of(graph_, node, is_captured);
  const auto output = static_cast<std::size_t>(std::ranges::find(graph_.nodes()[node].outputs, value) -
                                               graph_.nodes()[node].outputs.begin());
  const auto fed = [&](ir::Value v) {
    return ir::passes::widen(graph_.is_source(v) ? ir::fed(graph_, feeds, v) : now.at(v));
  };
  const core::Evaluated truth = core::evaluate_widened(faulty_.reference_, segment, fed);
  auto site = site_of(faulty_.witness_, graph_, feeds, node, segment, output, truth.outputs[output], tensor,
                      faulty_.reference_);
  if (!site) return;
  const ir::NodeReport report = inner_->nodes()[node];
  site->sums = report.sums;
  site->set_tile(report.tile);
  const auto faulty = faulty_.fault_.plant(*site);
  if (!faulty) return;
  if (const auto part = placed(*site, *faulty, faulty_.amount_.place))
    tensor = planted(*site, *part, faulty_.amount_.share);
}

std::unique_ptr<ir::Executable> FaultyExecutor::compile(const ir::Graph& graph, const ir::Feeds& params,
                                                        const ir::Capture& capture) {
  return std::make_unique<Program>(*this, graph, params, witness_.compile(graph, params, capture));
}

}  // namespace plumb::parity::power::faults
