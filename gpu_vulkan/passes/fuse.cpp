// Runs all passes in order, and maps reports of the fused graph back to the nodes of the original.
#include "gpu_vulkan/passes/fuse.hpp"

#include <algorithm>

#include "gpu_vulkan/passes/passes.hpp"
#include "ir/ops/reshape.hpp"
#include "ir/passes/inline_bodies.hpp"

namespace plumb::gpu_vulkan::passes {
namespace {

constexpr auto nobody = static_cast<std::size_t>(-1);

/// The wanted values, and those that are left in `next` where all that survive are asked for.
ir::Capture surviving(const ir::Graph& graph, const ir::Graph& next, const ir::Capture& capture) {
  ir::Capture kept{capture.wanted, false};
  if (capture.surviving)
    for (const ir::Node& node : graph.nodes())
      for (const ir::Value v : node.outputs)
        if (next.defined(v) && capture.is_of_interest(v)) kept.wanted.push_back(v);
  return kept;
}

/// The node of the original that computes a value which a node that is gone led to.
std::size_t heir(const ir::Graph& graph, const ir::Graph& next, std::size_t n) {
  while (!next.defined(graph.nodes()[n].outputs[0])) {
    const ir::Value lost = graph.nodes()[n].outputs[0];
    const auto user = std::find_if(graph.nodes().begin() + static_cast<std::ptrdiff_t>(n), graph.nodes().end(),
                                   [&](const ir::Node& node) { return std::ranges::count(node.inputs, lost) > 0; });
    n = static_cast<std::size_t>(user - graph.nodes().begin());
  }
  return n;
}

/// Maps original nodes to fused nodes and back.
void match(const ir::Graph& graph, Fused& fused) {
  fused.stands_for.assign(fused.graph.nodes().size(), nobody);
  std::map<ir::Value, std::size_t> maker;  // which fused node makes each value of the original
  for (std::size_t n = 0; n < fused.graph.nodes().size(); ++n)
    for (const ir::Value v : fused.graph.nodes()[n].outputs) maker.emplace(v, n);
  for (std::size_t n = 0; n < graph.nodes().size(); ++n) {
    const std::size_t to = heir(graph, fused.graph, n);
    fused.became.push_back(maker.at(graph.nodes()[to].outputs[0]));
    fused.absorbed.push_back(to != n);
    if (to == n) fused.stands_for[fused.became[n]] = n;
  }
  for (std::size_t n = fused.stands_for.size(); n-- > 0;)  // nodes that were added stand before the one they serve
    if (fused.stands_for[n] == nobody) fused.stands_for[n] = fused.stands_for[n + 1];
}

/// The node that says what was made: of a gemm between reshapes, the gemm.
const ir::Op& essence(const Fused& fused, std::size_t n) {
  const ir::Node& node = fused.graph.nodes()[n];
  if (node.op.is<ir::ops::Reshape>())
    if (const auto made = fused.graph.producer(node.inputs[0])) return fused.graph.nodes()[*made].op;
  return node.op;
}

}  // namespace

Fused fuse(const ir::Graph& graph, const ir::Capture& capture, const ir::Feeds& params,
           const device::DeviceFacts& facts, const region::RegionSetting& regions) {
  const PassSetting setting{capture.wanted, params, facts, capture.surviving && !capture.as_plain, regions};
  Fused fused{.graph = write_out(graph, regions)};
  for (const auto pass : {fold_batch_norms, fuse_layer_norms, fuse_gelus, fuse_attentions, sink_transposes, view_heads,
                          fuse_biases, fuse_conv_epilogues, fuse_residuals, fold_casts, fuse_regions})
    fused.graph = pass(fused.graph, setting);
  fused.capture = surviving(graph, fused.graph, capture);
  match(graph, fused);
  return fused;
}

Fused unfused(const ir::Graph& graph, const ir::Capture& capture) {
  Fused fused{.graph = write_out(graph, {}), .capture = capture};
  if (fused.graph.value_count() > graph.value_count()) fused.capture = surviving(graph, fused.graph, capture);
  match(graph, fused);
  return fused;
}

std::vector<ir::NodeReport> reports_of(const Fused& fused, const ir::Graph& original,
                                       const std::vector<ir::NodeReport>& reports) {
  std::vector<ir::NodeReport> made;
  for (std::size_t n = 0; n < original.nodes().size(); ++n) {
    const std::size_t to = fused.became[n];
    if (!fused.absorbed[n]) {
      made.push_back(reports[to]);
      made.back().nanoseconds.reset();
      // A body's sums are those of several kernels, and a report would say them of one.
      if (ir::passes::has_body(original.nodes()[n]) && std::ranges::count(fused.stands_for, n) > 1)
        made.back().sums.clear();
      continue;
    }
    ir::NodeReport report;
    report.placement = ir::Placement::fused;
    report.kernel = fused.graph.nodes()[to].label;
    report.reason = ir::cat("is part of ", essence(fused, to).function(), " there");
    made.push_back(std::move(report));
  }
  for (std::size_t n = 0; n < reports.size(); ++n) {
    ir::NodeReport& whole = made[fused.stands_for[n]];
    if (reports[n].nanoseconds) whole.nanoseconds = whole.nanoseconds.value_or(0) + *reports[n].nanoseconds;
    if (reports[n].placement == ir::Placement::gpu && whole.placement == ir::Placement::elided) {
      const auto spent = whole.nanoseconds;
      whole = reports[n];
      whole.nanoseconds = spent;
    }
  }
  return made;
}

std::vector<std::string> fusions(const Fused& fused, const ir::Graph& original) {
  std::map<std::size_t, std::string> parts;  // by node of the fused graph
  for (std::size_t n = 0; n < original.nodes().size(); ++n)
    if (fused.absorbed[n]) {
      auto& text = parts[fused.became[n]];
      text += (text.empty() ? "" : ", ") + original.nodes()[n].label;
    }
  std::vector<std::string> lines;
  for (const auto& [n, text] : parts)
    lines.push_back(
        ir::cat(essence(fused, n).function(), " '", fused.graph.nodes()[n].label, "' has the work of ", text));
  return lines;
}

}  // namespace plumb::gpu_vulkan::passes
