// Folds a norm into a convolution as kernels do, to look at the terms that these then add.
#include "parity/settle/folded_sum.hpp"

#include <algorithm>
#include <cmath>

#include "ir/ops/batch_norm.hpp"
#include "ir/ops/conv.hpp"

namespace plumb::parity::settle {
namespace {

/// The norm that takes the channels of the sum as they are, by numbers that the segment is fed.
const ir::Node* norm_behind(const ir::Graph& graph, ir::Value sum) {
  const auto is_it = [&](const ir::Node& node) {
    return node.op.is<ir::ops::BatchNorm>() && node.inputs[0] == sum &&
           graph.type(sum).shape.axis(node.op.as<ir::ops::BatchNorm>().axis) == 1 &&
           std::ranges::all_of(std::span(node.inputs).subspan(1), [&](ir::Value v) { return graph.is_source(v); });
  };
  const auto found = std::ranges::find_if(graph.nodes(), is_it);
  return found == graph.nodes().end() ? nullptr : &*found;
}

/// Rounded as constants of a kernel are.
ir::Tensor rounded(const ir::Tensor& x, ir::DType dtype) { return ir::convert(ir::convert(x, dtype), ir::DType::f64); }

}  // namespace

bool may_be_folded(const ir::Graph& graph, const ir::Node& sum) {
  return sum.op.is<ir::ops::Conv>() && norm_behind(graph, sum.outputs[0]) != nullptr;
}

std::optional<FoldedSum> folded_sum(const Subject& subject, const ir::Feeds& fed, const Summing& summing) {
  const ir::Graph& graph = subject.segment.graph;
  const ir::DType dtype = graph.type(summing.sum).dtype;
  const ir::Node& conv = graph.nodes()[*graph.producer(summing.sum)];
  if (!may_be_folded(graph, conv) || dtype != ir::DType::f32) return std::nullopt;
  const ir::Node& norm = *norm_behind(graph, summing.sum);
  const auto given = [&](ir::Value v) -> const ir::Tensor& { return fed.at(graph.inputs()[v]); };
  const auto channel = [&](std::size_t operand) { return given(norm.inputs[operand]).as<double>(); };
  ir::Tensor filters = given(conv.inputs[1]);
  const auto count = static_cast<std::size_t>(filters.shape()[0]);
  ir::Tensor bias({ir::DType::f64, {filters.shape()[0]}});
  std::vector<double> factors(count), shift_off(count);
  const std::size_t each = static_cast<std::size_t>(filters.elements()) / count;
  for (std::size_t c = 0; c < count; ++c) {
    const double own = conv.inputs.size() > 2 ? given(conv.inputs[2]).as<double>()[c] : 0;
    factors[c] = channel(1)[c] / std::sqrt(channel(4)[c] + norm.op.as<ir::ops::BatchNorm>().epsilon);
    bias.as<double>()[c] = shift_off[c] = (own - channel(3)[c]) * factors[c] + channel(2)[c];
    if (!std::isfinite(factors[c]) || !std::isfinite(shift_off[c])) return std::nullopt;
    for (double& weight : filters.as<double>().subspan(c * each, each)) weight *= factors[c];
  }
  bias = rounded(bias, dtype);
  for (std::size_t c = 0; c < count; ++c) shift_off[c] = bias.as<double>()[c] - shift_off[c];

  ir::Graph alone;
  const ir::Value x = alone.input("x", graph.type(conv.inputs[0])), w = alone.input("w", graph.type(conv.inputs[1])),
                  b = alone.input("bias", {dtype, bias.shape()});
  ir::ops::Conv op = conv.op.as<ir::ops::Conv>();
  op.has_bias = true;
  alone.add("folded", op, {x, w, b});
  auto found =
      sums_of(alone, alone.nodes().front(), {given(conv.inputs[0]), rounded(filters, dtype), bias}, subject.manner);
  if (!found) return std::nullopt;
  std::size_t inner = 1;
  for (std::size_t axis = 2; axis < summing.shape.size(); ++axis)
    inner *= static_cast<std::size_t>(summing.shape[axis]);
  return FoldedSum(std::move(*found), std::move(factors), std::move(shift_off), inner);
}

}  // namespace plumb::parity::settle
