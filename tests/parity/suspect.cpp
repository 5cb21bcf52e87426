#include "tests/parity/suspect.hpp"

#include <algorithm>

#include "parity/core/segment.hpp"

namespace plumb::testing {

class Suspect::Program final : public ir::Executable {
 public:
  Program(const Suspect& suspect, const ir::Graph& graph, const ir::Feeds& params)
      : suspect_(suspect), graph_(graph), params_(params) {}

  ir::Tensors run(const ir::Feeds& inputs) override {
    suspect_.on_run();
    ir::Tensors values;
    for (ir::Value v = 0; graph_.is_source(v); ++v)
      values.emplace(v, ir::fed(graph_, v < graph_.inputs().size() ? inputs : params_, v));
    ref_cpu::CpuExecutor cpu;
    for (std::size_t n = 0; n < graph_.nodes().size(); ++n) {
      const ir::Node& node = graph_.nodes()[n];
      auto made = parity::core::evaluate(cpu, parity::core::segment_of(graph_, n),
                                         [&](ir::Value v) { return read(node, v, values); });
      for (std::size_t k = 0; k < node.outputs.size(); ++k) {
        suspect_.tamper(node, made.outputs[k]);
        values.emplace(node.outputs[k], std::move(made.outputs[k]));
      }
    }
    for (const ir::Node& node : graph_.nodes())
      if (is_fused(node))
        for (const ir::Value v : node.outputs) values.erase(v);
    return values;
  }

  std::vector<ir::NodeReport> nodes() const override {
    std::vector<ir::NodeReport> reports;
    for (const ir::Node& node : graph_.nodes()) {
      ir::NodeReport report{ir::Placement::gpu, "kernel_of_" + node.label, "", 1000};
      if (is_fused(node)) report = {ir::Placement::fused, "the next one", "", {}};
      if (suspect_.on_host.contains(node.label)) report = {ir::Placement::cpu, "ref_cpu", "has no kernel", {}};
      suspect_.describe(node, report);
      reports.push_back(report);
    }
    return reports;
  }

 private:
  /// A node alone has nothing to be fused into.
  bool is_fused(const ir::Node& node) const { return graph_.nodes().size() > 1 && suspect_.fused.contains(node.label); }

  ir::Tensor read(const ir::Node& node, ir::Value v, const ir::Tensors& values) const {
    ir::Tensor x = values.at(v);
    const auto operand = std::ranges::find(node.inputs, v) - node.inputs.begin();
    if (suspect_.misread) suspect_.misread(node, static_cast<std::size_t>(operand), x);
    return x;
  }

  const Suspect& suspect_;
  const ir::Graph graph_;
  const ir::Feeds params_;
};

std::unique_ptr<ir::Executable> Suspect::compile(const ir::Graph& graph, const ir::Feeds& params, const ir::Capture&) {
  return std::make_unique<Program>(*this, graph, params);
}

}  // namespace plumb::testing
