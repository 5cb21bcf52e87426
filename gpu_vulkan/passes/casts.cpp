// Folds casts of known values to a narrower float into constants, so that they are rounded once for all runs.
#include "gpu_vulkan/passes/passes.hpp"
#include "ir/ops/cast.hpp"
#include "ir/ops/constant.hpp"

namespace plumb::gpu_vulkan::passes {
namespace {

std::optional<Replacement> found_at(const PatternGraph& graph, std::size_t n) {
  const ir::Node& node = graph.graph().nodes()[n];
  if (!node.op.is<ir::ops::Cast>()) return std::nullopt;
  const ir::TensorType &from = graph.type(node.inputs[0]), &to = graph.type(node.outputs[0]);
  if (!ir::is_float(from.dtype) || !ir::is_float(to.dtype) || to.bytes() >= from.bytes()) return std::nullopt;
  const auto known = graph.known(node.outputs[0]);
  if (!known) return std::nullopt;
  const ir::Tensor rounded = ir::convert(*known, to.dtype);  // known is the cast already: exact
  const ir::ops::Constant made{to.dtype, to.shape, {rounded.bytes().begin(), rounded.bytes().end()}};
  return Replacement{
      {n}, n, [made](ir::Graph& next, const ir::Node& cast) { next.place(cast.label, made, {}, cast.outputs); }};
}

}  // namespace

ir::Graph fold_casts(const ir::Graph& given, const PassSetting& setting) { return replaced(given, setting, found_at); }

}  // namespace plumb::gpu_vulkan::passes
