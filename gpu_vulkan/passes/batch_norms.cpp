// Folds a batch norm of known numbers into the filters and the bias of the convolution before it.
#include <algorithm>
#include <cmath>
#include <limits>

#include "gpu_vulkan/passes/passes.hpp"
#include "ir/kernels/folded_norm.hpp"
#include "ir/ops/batch_norm.hpp"
#include "ir/ops/constant.hpp"
#include "ir/ops/conv.hpp"

namespace plumb::gpu_vulkan::passes {
namespace {

using ir::Value;
using ir::ops::BatchNorm;
using ir::ops::Constant;
using ir::ops::Conv;

/// Nothing unless every number that goes into them is known.
std::optional<ir::kernels::FoldedNorm> folded(const PatternGraph& graph, const BatchNorm& norm,
                                              const ir::Node& norm_node, const ir::Node& conv_node) {
  auto weights = graph.known(conv_node.inputs[1]);
  std::vector<ir::Tensor> channels;  // scale, bias, mean, variance, and the bias of the conv
  std::vector<Value> values(norm_node.inputs.begin() + 1, norm_node.inputs.end());
  if (conv_node.inputs.size() > 2) values.push_back(conv_node.inputs[2]);
  for (const Value v : values) {
    auto known = graph.known(v);
    if (!known) return std::nullopt;
    channels.push_back(std::move(*known));
  }
  if (!weights) return std::nullopt;
  return ir::kernels::folded_norm(std::move(*weights), channels, norm.epsilon);
}

/// Whether no number leaves the range of the dtype, nor those of a channel that is not all 0 its normal numbers.
bool has_range(const ir::Tensor& x, ir::DType dtype) {
  const ir::Tensor stored = ir::convert(ir::convert(x, dtype), ir::DType::f64);
  const auto numbers = stored.as<double>();
  const double least = dtype == ir::DType::f32 ? std::numeric_limits<float>::min() : std::numeric_limits<double>::min();
  const std::size_t each = numbers.size() / static_cast<std::size_t>(x.shape()[0]);
  for (std::size_t first = 0; first < numbers.size(); first += each) {
    double largest = 0, given = 0;
    for (std::size_t i = first; i < first + each; ++i) {
      if (!std::isfinite(numbers[i])) return false;
      largest = std::max(largest, std::abs(numbers[i]));
      given = std::max(given, std::abs(x.as<double>()[i]));
    }
    if (given > 0 && largest < least) return false;
  }
  return true;
}

Constant constant_of(const ir::Tensor& x, ir::DType dtype) {
  const ir::Tensor rounded = ir::convert(x, dtype);
  return {dtype, rounded.shape(), {rounded.bytes().begin(), rounded.bytes().end()}};
}

std::optional<Replacement> found_at(const PatternGraph& graph, std::size_t n) {
  const ir::Node& node = graph.graph().nodes()[n];
  const auto* norm = graph.op<BatchNorm>(node.outputs[0]);
  if (norm == nullptr) return std::nullopt;
  const Value x = node.inputs[0];
  const auto* conv = graph.op<Conv>(x);
  const ir::TensorType& type = graph.type(x);
  if (conv == nullptr || type.shape.axis(norm->axis) != 1) return std::nullopt;
  // A 16-bit weight would be rounded a second time, which the two nodes do not do.
  if (type.dtype != ir::DType::f32 && type.dtype != ir::DType::f64) return std::nullopt;
  const std::size_t first = graph.producer(x);
  const ir::Node& conv_node = graph.graph().nodes()[first];
  if (!graph.is_closed({first, n}, n)) return std::nullopt;
  const auto numbers = folded(graph, *norm, node, conv_node);
  // The filters may leave the range where what they make of an image does not.
  if (!numbers || !has_range(numbers->filters, type.dtype)) return std::nullopt;
  Conv op = *conv;
  op.has_bias = true;
  const Constant weights = constant_of(numbers->filters, type.dtype), bias = constant_of(numbers->bias, type.dtype);
  if (!graph.serves(op, {graph.type(conv_node.inputs[0]),
                         {type.dtype, ir::Shape(weights.shape)},
                         {type.dtype, ir::Shape(bias.shape)}}))
    return std::nullopt;
  return Replacement{
      {first, n}, n, [=, image = conv_node.inputs[0], &given = graph.graph()](ir::Graph& next, const ir::Node& last) {
        const Value w = next.add(new_name(given, next, last.label + ".weights"), weights, {});
        const Value b = next.add(new_name(given, next, last.label + ".bias"), bias, {});
        next.place(last.label, op, {image, w, b}, last.outputs);
      }};
}

}  // namespace

ir::Graph fold_batch_norms(const ir::Graph& given, const PassSetting& setting) {
  return replaced(given, setting, found_at);
}

}  // namespace plumb::gpu_vulkan::passes
