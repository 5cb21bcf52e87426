// Lines that are normalised. ONNX rounds to the operands' type between standardising and scaling, where ops round once:
// 16-bit operands are therefore normalised in f32 between casts.
#include "ir/formats/onnx/write/writers.hpp"
#include "ir/ops/batch_norm.hpp"
#include "ir/ops/group_norm.hpp"
#include "ir/ops/instance_norm.hpp"
#include "ir/ops/layer_norm.hpp"
#include "ir/ops/log_softmax.hpp"
#include "ir/ops/lp_norm.hpp"
#include "ir/ops/lrn.hpp"
#include "ir/ops/mean_variance_norm.hpp"
#include "ir/ops/rms_norm.hpp"
#include "ir/ops/softmax.hpp"

namespace plumb::ir::to_onnx {
namespace {

void write_softmax(const ops::Softmax& op, NodeWriter& node) { node.add("Softmax").integer("axis", op.axis); }
void write_log_softmax(const ops::LogSoftmax& op, NodeWriter& node) { node.add("LogSoftmax").integer("axis", op.axis); }

/// The axes from `axis` on.
Shape normalised(const Shape& x, std::int64_t axis) {
  return Shape(x.begin() + static_cast<std::ptrdiff_t>(x.axis(axis)), x.end());
}

/// Operand i where the op has it, else a tensor of one number, as ONNX wants it.
std::string or_filled(NodeWriter& node, bool has, std::size_t i, const Shape& shape, double number) {
  return has ? node.wide(i) : node.filled({node.compute_dtype(), shape}, number);
}

void write_layer_norm(const ops::LayerNorm& op, NodeWriter& node) {
  const DType dtype = node.compute_dtype();
  if (dtype == DType::f64) NodeWriter::refuse("ONNX's LayerNormalization standardises in f32");
  Names operands = {node.wide(0), or_filled(node, op.has_scale, 1, normalised(node.shape(0), op.axis), 1)};
  if (op.has_bias) operands.push_back(node.wide(op.has_scale ? 2 : 1));
  node.rounded([&](const std::string& y) {
    Names results = {y};
    if (op.statistics) results.insert(results.end(), {node.out(1), node.out(2)});
    node.add("LayerNormalization", dtype, operands, results).integer("axis", op.axis).real("epsilon", op.epsilon);
  });
}

void write_rms_norm(const ops::RmsNorm& op, NodeWriter& node) {
  if (op.has_bias) NodeWriter::refuse("ONNX's RMSNormalization has no bias");
  const DType dtype = node.compute_dtype();
  const Names operands = {node.wide(0), or_filled(node, op.has_scale, 1, normalised(node.shape(0), op.axis), 1)};
  node.rounded([&](const std::string& y) {
    node.add("RMSNormalization", dtype, operands, {y})
        .integer("axis", op.axis)
        .real("epsilon", op.epsilon)
        .integer("stash_type", onnx_type(dtype));
  });
}

void write_group_norm(const ops::GroupNorm& op, NodeWriter& node) {
  const DType dtype = node.compute_dtype();
  const Shape channels = {node.shape(0)[1]};
  const Names operands = {node.wide(0), or_filled(node, op.has_scale, 1, channels, 1),
                          or_filled(node, op.has_bias, op.has_scale ? 2 : 1, channels, 0)};
  node.rounded([&](const std::string& y) {
    node.add("GroupNormalization", dtype, operands, {y})
        .integer("num_groups", op.num_groups)
        .real("epsilon", op.epsilon)
        .integer("stash_type", onnx_type(dtype));
  });
}

void write_instance_norm(const ops::InstanceNorm& op, NodeWriter& node) {
  node.add("InstanceNormalization").real("epsilon", op.epsilon);
}

void write_batch_norm(const ops::BatchNorm& op, NodeWriter& node) {
  const Shape& x = node.shape(0);
  if (x.rank() < 2 || x.axis(op.axis) != 1) NodeWriter::refuse("its channels lie along axis ", op.axis, ", not 1");
  node.add("BatchNormalization").real("epsilon", op.epsilon);
}

void write_lrn(const ops::Lrn& op, NodeWriter& node) {
  node.add("LRN").integer("size", op.size).real("alpha", op.alpha).real("beta", op.beta).real("bias", op.bias);
}

/// The two differ where numbers are close to each other: on constant lines they are NaN and 0.
void write_mean_variance_norm(const ops::MeanVarianceNorm& /*op*/, NodeWriter& /*node*/) {
  NodeWriter::refuse("ONNX's text divides by the deviation, and its function body by that and 1e-9");
}

void write_lp_norm(const ops::LpNorm& op, NodeWriter& node) {
  node.add("LpNormalization").integer("axis", op.axis).integer("p", op.p);
}

}  // namespace

std::span<const Writer> normalization_writers() {
  static constexpr Writer table[] = {
      writer<ops::BatchNorm, write_batch_norm>,
      writer<ops::GroupNorm, write_group_norm>,
      writer<ops::InstanceNorm, write_instance_norm>,
      writer<ops::LayerNorm, write_layer_norm>,
      writer<ops::LogSoftmax, write_log_softmax>,
      writer<ops::LpNorm, write_lp_norm>,
      writer<ops::Lrn, write_lrn>,
      writer<ops::MeanVarianceNorm, write_mean_variance_norm>,
      writer<ops::RmsNorm, write_rms_norm>,
      writer<ops::Softmax, write_softmax>,
  };
  return table;
}

}  // namespace plumb::ir::to_onnx
