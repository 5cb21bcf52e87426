#include <algorithm>

#include "ir/formats/onnx/node_reader.hpp"
#include "ir/ops/batch_norm.hpp"
#include "ir/ops/binary.hpp"
#include "ir/ops/expand.hpp"
#include "ir/ops/group_norm.hpp"
#include "ir/ops/hardmax.hpp"
#include "ir/ops/instance_norm.hpp"
#include "ir/ops/layer_norm.hpp"
#include "ir/ops/log_softmax.hpp"
#include "ir/ops/lp_norm.hpp"
#include "ir/ops/lrn.hpp"
#include "ir/ops/mean_variance_norm.hpp"
#include "ir/ops/reduce.hpp"
#include "ir/ops/rms_norm.hpp"
#include "ir/ops/softmax.hpp"
#include "ir/ops/unary.hpp"

namespace plumb::ir::from_onnx {
namespace {

using ops::BinaryFunction;

/// Softmax and its relatives: before opset 13 all axes from `axis` on were one line.
template <class Op>
void over_line(NodeReader& node) {
  const Ref x = node.in(0);
  const Shape shape = node.shape(x);
  const auto axis = node.integer("axis", node.opset() < 13 ? 1 : -1);
  if (node.opset() >= 13) return node.out(0, node.add(Op{axis}, {x}));
  const auto first = axis < 0 ? axis + shape.rank() : axis;
  require(0 <= first && first <= shape.rank(), "axis ", axis, " is outside rank ", shape.rank());
  if (first == shape.rank() - 1) return node.out(0, node.add(Op{-1}, {x}));
  const Shape outer = shape.leading(static_cast<std::size_t>(first)), inner(shape.begin() + first, shape.end());
  const Ref lines = node.reshape(x, {outer.elements(), inner.elements()});
  node.out(0, node.reshape(node.add(Op{-1}, {lines}), shape));
}

void layer_norm(NodeReader& node) {
  const bool statistics = node.wants(1) || node.wants(2);
  std::vector<Ref> operands = {node.in(0), node.in(1)};
  if (node.has(2)) operands.push_back(node.in(2));
  const auto results = node.add_all(ops::LayerNorm{.axis = node.integer("axis", -1),
                                                   .epsilon = node.real("epsilon", 1e-5),
                                                   .has_scale = true,
                                                   .has_bias = node.has(2),
                                                   .statistics = statistics},
                                    operands);
  node.out(0, results[0]);
  if (!statistics) return;
  const DType stash = dtype_of(node.integer("stash_type", 1));
  node.out(1, node.cast(results[1], stash));
  node.out(2, node.cast(results[2], stash));
}

void rms_norm(NodeReader& node) {
  node.out(0, node.add(ops::RmsNorm{.axis = node.integer("axis", -1), .epsilon = node.real("epsilon", 1e-5)},
                       {node.in(0), node.in(1)}));
}

/// Before opset 21 each group, not each channel, had a scale and a bias.
Ref per_channel(NodeReader& node, Ref x, std::int64_t groups, std::int64_t channels) {
  if (node.opset() >= 21 || node.shape(x) == Shape{channels}) return x;
  require(groups >= 1 && channels % groups == 0, groups, " groups of ", channels, " channels");
  const Ref column = node.reshape(x, {groups, 1});
  return node.reshape(node.add(ops::Expand{{groups, channels / groups}}, {column}), {channels});
}

void group_norm(NodeReader& node) {
  const Shape& x = node.shape(node.in(0));
  require(x.rank() >= 2, "x must have rank 2 or more, got ", node.type(node.in(0)));
  const auto groups = node.integer("num_groups"), channels = x[1];
  const Ref scale = per_channel(node, node.in(1), groups, channels),
            bias = per_channel(node, node.in(2), groups, channels);
  node.out(0, node.add(ops::GroupNorm{.num_groups = groups, .epsilon = node.real("epsilon", 1e-5)},
                       {node.in(0), scale, bias}));
}

void instance_norm(NodeReader& node) {
  node.out(0, node.add(ops::InstanceNorm{node.real("epsilon", 1e-5)}, {node.in(0), node.in(1), node.in(2)}));
}

Ref weighted_sum(NodeReader& node, Ref a, double weight, Ref b) {
  const DType dtype = node.dtype(a);
  const auto times = [&](Ref x, double factor) {
    return node.add(ops::Binary{BinaryFunction::multiply}, {x, node.scalar(dtype, factor)});
  };
  return node.add(ops::Binary{BinaryFunction::add}, {times(a, weight), times(node.cast(b, dtype), 1 - weight)});
}

/// Normalises by the statistics of the batch, and moves the running ones towards them.
void batch_norm_training(NodeReader& node, const ops::BatchNorm& op) {
  const Ref x = node.in(0);
  std::vector<std::int64_t> axes;
  for (std::int64_t k = 0; k < node.shape(x).rank(); ++k)
    if (k != 1) axes.push_back(k);
  const ops::Reduce mean_of{.function = ops::ReduceFunction::mean, .axes = axes};
  const Ref mean = node.add(mean_of, {x});
  const Ref deviation = node.add(ops::Binary{BinaryFunction::subtract}, {x, mean});
  const Ref variance = node.add(mean_of, {node.add(ops::Unary{ops::UnaryFunction::square}, {deviation})});
  const Shape channels{node.shape(x).at(1)};
  const Ref flat_mean = node.reshape(mean, channels), flat_variance = node.reshape(variance, channels);
  const DType dtype = node.dtype(x);
  node.out(0, node.add(op, {x, node.cast(node.in(1), dtype), node.cast(node.in(2), dtype), flat_mean, flat_variance}));
  const double momentum = node.real("momentum", 0.9);
  node.out(1, weighted_sum(node, node.in(3), momentum, flat_mean));
  node.out(2, weighted_sum(node, node.in(4), momentum, flat_variance));
}

void batch_norm(NodeReader& node) {
  const ops::BatchNorm op{.axis = node.shape(node.in(0)).rank() == 1 ? -1 : 1, .epsilon = node.real("epsilon", 1e-5)};
  if (node.opset() < 9 && node.integer("spatial", 1) == 0)
    NodeReader::unsupported("spatial is 0: statistics for each position, which no op has");
  if (node.opset() >= 14 && node.integer("training_mode", 0) != 0) return batch_norm_training(node, op);
  for (std::size_t k = 1; k < node.outputs(); ++k)
    node.refuse(k, "is of training, which opsets before 14 leave open and which later ones have in training_mode");
  std::vector<Ref> operands = {node.in(0)};
  for (std::size_t i = 1; i < 5; ++i) operands.push_back(node.cast(node.in(i), node.dtype(node.in(0))));
  node.out(0, node.add(op, operands));
}

void lrn(NodeReader& node) {
  node.out(0, node.add(ops::Lrn{.size = node.integer("size"),
                                .alpha = node.real("alpha", 1e-4),
                                .beta = node.real("beta", 0.75),
                                .bias = node.real("bias", 1)},
                       {node.in(0)}));
}

void mean_variance_norm(NodeReader& node) {
  const auto axes = node.ints("axes").value_or(std::vector<std::int64_t>{0, 2, 3});
  node.out(0, node.add(ops::MeanVarianceNorm{.axes = axes}, {node.in(0)}));
}

void lp_norm(NodeReader& node) {
  node.out(0, node.add(ops::LpNorm{.axis = node.integer("axis", -1), .p = node.integer("p", 2)}, {node.in(0)}));
}

}  // namespace

std::span<const Converter> normalization_converters() {
  static constexpr Converter table[] = {
      {"BatchNormalization", batch_norm},
      {"GroupNormalization", group_norm},
      {"Hardmax", over_line<ops::Hardmax>},
      {"InstanceNormalization", instance_norm},
      {"LRN", lrn},
      {"LayerNormalization", layer_norm},
      {"LogSoftmax", over_line<ops::LogSoftmax>},
      {"LpNormalization", lp_norm},
      {"MeanVarianceNormalization", mean_variance_norm},
      {"RMSNormalization", rms_norm},
      {"Softmax", over_line<ops::Softmax>},
  };
  return table;
}

}  // namespace plumb::ir::from_onnx
