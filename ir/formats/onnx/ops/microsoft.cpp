// Operators of com.microsoft, which onnxruntime's optimisations put in place of several of ONNX's; defined by
// the page of contributed operators of microsoft/onnxruntime.

#include <algorithm>

#include "ir/formats/onnx/compose/arithmetic.hpp"
#include "ir/formats/onnx/compose/vectors.hpp"
#include "ir/ops/activation.hpp"
#include "ir/ops/layer_norm.hpp"
#include "ir/ops/reduce.hpp"
#include "ir/ops/rms_norm.hpp"
#include "ir/ops/transpose.hpp"

namespace plumb::ir::from_onnx {
namespace {

using ops::BinaryFunction;
using ops::UnaryFunction;

/// The sum of an operand and those others that are there.
Ref sum_of(NodeReader& node, std::size_t first, std::initializer_list<std::size_t> others) {
  Ref sum = node.in(first);
  for (const std::size_t i : others)
    if (node.has(i)) sum = binary(node, BinaryFunction::add, sum, node.in(i));
  return sum;
}

void plain_gelu(NodeReader& node) { node.out(0, unary(node, UnaryFunction::gelu, node.in(0))); }

/// The bias is one number for each element of the last axis, and may be left out of FastGelu only.
template <UnaryFunction function>
void gelu_of_sum(NodeReader& node) {
  if (function == UnaryFunction::gelu) node.in(1);
  node.out(0, unary(node, function, sum_of(node, 0, {1})));
}

void quick_gelu(NodeReader& node) {
  node.out(0, node.add(ops::Activation{ops::ActivationFunction::swish, node.real("alpha", 1.702f)}, {node.in(0)}));
}

void bias_add(NodeReader& node) { node.out(0, sum_of(node, 0, {1, 2})); }

/// onnxruntime's 1e-12, where ONNX's own norms have 1e-5.
double skip_epsilon(const NodeReader& node) { return node.real("epsilon", 1e-12f); }

/// 1/√(mean(x²) + epsilon) of the lines of x, in f32 at least.
Ref inverse_root_mean_square(NodeReader& node, Ref x, std::int64_t axis, double epsilon) {
  const Shape& shape = node.shape(x);
  const Ref wide = node.dtype(x) == DType::f64 ? x : node.cast(x, DType::f32);
  std::vector<std::int64_t> axes;
  for (auto k = static_cast<std::int64_t>(shape.axis(axis)); k < shape.rank(); ++k) axes.push_back(k);
  const Ref mean = node.add(ops::Reduce{.function = ops::ReduceFunction::mean, .axes = axes},
                            {unary(node, UnaryFunction::square, wide)});
  const Ref shifted = binary(node, BinaryFunction::add, mean, node.scalar(node.dtype(wide), epsilon));
  return unary(node, UnaryFunction::rsqrt, shifted);
}

/// Adds what is skipped and a bias, and normalises the sum, which is an output as well.
void skip_layer_norm(NodeReader& node) {
  const Ref sum = sum_of(node, 0, {1, 4});
  const bool statistics = node.wants(1) || node.wants(2);
  std::vector<Ref> operands = {sum, node.in(2)};
  if (node.has(3)) operands.push_back(node.in(3));
  const auto made = node.add_all(
      ops::LayerNorm{.epsilon = skip_epsilon(node), .has_bias = node.has(3), .statistics = statistics}, operands);
  node.out(0, made[0]);
  if (statistics) {
    node.out(1, node.cast(made[1], DType::f32));
    node.out(2, node.cast(made[2], DType::f32));
  }
  node.out(3, sum);
}

void skip_rms_norm(NodeReader& node) {
  if (node.wants(1)) NodeReader::unsupported("its output 'mean' is of training, which nobody defines");
  const Ref sum = sum_of(node, 0, {1, 3});
  const double epsilon = skip_epsilon(node);
  node.out(0, node.add(ops::RmsNorm{.epsilon = epsilon}, {sum, node.in(2)}));
  if (node.wants(2)) node.out(2, node.cast(inverse_root_mean_square(node, sum, -1, epsilon), DType::f32));
  node.out(3, sum);
}

/// RMSNormalization before ONNX had it: onnxruntime writes it into the default domain.
void simplified_layer_norm(NodeReader& node) {
  const auto axis = node.integer("axis", -1);
  const double epsilon = node.real("epsilon", 1e-5f);
  const Ref x = node.in(0), scale = node.cast(node.in(1), node.dtype(x));
  node.out(0, node.add(ops::RmsNorm{.axis = axis, .epsilon = epsilon}, {x, scale}));
  if (node.wants(1)) node.out(1, node.cast(inverse_root_mean_square(node, x, axis, epsilon), DType::f32));
}

/// x with its last two axes exchanged where the node says so.
Ref turned(NodeReader& node, Ref x, std::string_view attribute) {
  const auto rank = node.shape(x).rank();
  if (node.integer(attribute, 0) == 0 || rank < 2) return x;
  std::vector<std::int64_t> order;
  for (std::int64_t k = 0; k < rank; ++k) order.push_back(k);
  std::swap(order[order.size() - 2], order.back());
  return node.add(ops::Transpose{order}, {x});
}

void fused_matmul(NodeReader& node) {
  for (const std::string_view name : {"transBatchA", "transBatchB"})
    if (node.integer(name, 0) != 0) NodeReader::unsupported("attribute '", name, "' is ", node.integer(name, 0));
  const Ref product = matmul(node, turned(node, node.in(0), "transA"), turned(node, node.in(1), "transB"));
  const double alpha = node.real("alpha", 1);
  if (alpha == 1) return node.out(0, product);
  node.out(0, binary(node, BinaryFunction::multiply, product, node.scalar(node.dtype(product), alpha)));
}

}  // namespace

std::span<const Converter> microsoft_converters() {
  static constexpr Converter table[] = {
      {"SimplifiedLayerNormalization", simplified_layer_norm},
      {"com.microsoft.BiasAdd", bias_add},
      {"com.microsoft.BiasGelu", gelu_of_sum<UnaryFunction::gelu>},
      {"com.microsoft.FastGelu", gelu_of_sum<UnaryFunction::gelu_tanh>},
      {"com.microsoft.FusedMatMul", fused_matmul},
      {"com.microsoft.Gelu", plain_gelu},
      {"com.microsoft.QuickGelu", quick_gelu},
      {"com.microsoft.SkipLayerNormalization", skip_layer_norm},
      {"com.microsoft.SkipSimplifiedLayerNormalization", skip_rms_norm},
      {"com.microsoft.TransposeMatMul", fused_matmul},
  };
  return table;
}

}  // namespace plumb::ir::from_onnx
