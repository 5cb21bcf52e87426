// Convolution and pooling.

#include "ir/convert.hpp"
#include "ir/formats/onnx/compose/named_function.hpp"
#include "ir/formats/onnx/compose/window.hpp"
#include "ir/ops/binary.hpp"
#include "ir/ops/causal_conv.hpp"
#include "ir/ops/clamp.hpp"
#include "ir/ops/col2im.hpp"
#include "ir/ops/conv.hpp"
#include "ir/ops/conv_transpose.hpp"
#include "ir/ops/max_unpool.hpp"
#include "ir/ops/pool.hpp"

namespace plumb::ir::from_onnx {
namespace {

/// The spatial extents of a kernel [M, C, k..].
std::vector<std::int64_t> kernel_of(NodeReader& node, Ref w) {
  const Shape& shape = node.shape(w);
  require(shape.rank() >= 3, "w must have spatial axes, got ", node.type(w));
  const std::vector<std::int64_t> kernel(shape.begin() + 2, shape.end());
  require(node.ints("kernel_shape").value_or(kernel) == kernel, "kernel_shape is ",
          Shape(node.ints("kernel_shape").value_or(kernel)), ", w is ", node.type(w));
  return kernel;
}

std::vector<Ref> operands_of(NodeReader& node) {
  std::vector<Ref> operands = {node.in(0), node.in(1)};
  if (node.has(2)) operands.push_back(node.in(2));
  return operands;
}

Ref convolved(NodeReader& node) {
  const Window window = read_window(node, node.shape(node.in(0)), kernel_of(node, node.in(1)));
  return node.add(ops::Conv{.strides = window.strides,
                            .dilations = window.dilations,
                            .pads = window.pads,
                            .group = node.integer("group", 1),
                            .has_bias = node.has(2)},
                  operands_of(node));
}

void conv(NodeReader& node) { node.out(0, convolved(node)); }

/// onnxruntime's convolution with what it fuses behind: a sum, and an activation with its parameters in a list.
void fused_conv(NodeReader& node) {
  Ref y = convolved(node);
  if (node.has(3)) y = node.add(ops::Binary{ops::BinaryFunction::add}, {y, node.in(3)});
  NamedFunction function{.name = lower_case(node.text("activation", ""))};
  const auto given = node.reals("activation_params").value_or(std::vector<double>{});
  const auto parameter = [&](std::size_t k) {
    require(k < given.size(), "activation_params has ", given.size(), " entries for ", function.name);
    return given[k];
  };
  if (function.name == "clip") {
    const DType dtype = node.dtype(y);
    return node.out(0, node.add(ops::Clamp{}, {y, node.scalar(dtype, parameter(0)), node.scalar(dtype, parameter(1))}));
  }
  if (function.name == "leakyrelu" || function.name == "hardsigmoid") function.alpha = parameter(0);
  if (function.name == "hardsigmoid") function.beta = parameter(1);
  node.out(0, function.name.empty() ? y : apply(node, function, y));
}

void conv_transpose(NodeReader& node) {
  ops::ConvTranspose op{.group = node.integer("group", 1), .has_bias = node.has(2)};
  const Window window =
      read_transposed_window(node, node.shape(node.in(0)), kernel_of(node, node.in(1)), op.output_padding);
  op.strides = window.strides;
  op.dilations = window.dilations;
  op.pads = window.pads;
  node.out(0, node.add(op, operands_of(node)));
}

std::vector<std::int64_t> kernel_shape(NodeReader& node) {
  const auto kernel = node.ints("kernel_shape");
  require(kernel.has_value(), "attribute 'kernel_shape' is missing");
  return *kernel;
}

/// Without padding, auto_pad VALID, the text of ONNX drops the window that hangs over the end, which its shape
/// inference and runtimes keep: the shape that the file declares says which is meant.
bool hangs_over(NodeReader& node, const ops::Pool& op) {
  if (!op.ceil_mode || node.text("auto_pad", "NOTSET") != "VALID") return op.ceil_mode;
  std::size_t axis = 2;
  bool hangs = false;
  for (const kernels::Window& w : op.axes(node.shape(node.in(0)))) {
    const std::int64_t kept = op.positions(w), dropped = w.positions();
    hangs |= node.declared_among(0, axis++, std::array{kept, dropped}) != dropped;
  }
  return hangs;
}

ops::Pool pooled(NodeReader& node, ops::PoolFunction function) {
  const Window window = read_window(node, node.shape(node.in(0)), kernel_shape(node));
  ops::Pool op{.function = function,
               .kernel_shape = window.kernel,
               .strides = window.strides,
               .dilations = window.dilations,
               .pads = window.pads,
               .ceil_mode = node.integer("ceil_mode", 0) != 0};
  op.ceil_mode = hangs_over(node, op);
  return op;
}

/// Positions in a plane counted along its first axis first, where ours count along its last.
Ref column_major(NodeReader& node, Ref indices, const Shape& x) {
  const auto binary = [&](ops::BinaryFunction function, Ref a, std::int64_t b) {
    return node.add(ops::Binary{function}, {a, node.constant(Tensor::of<std::int64_t>({}, {b}))});
  };
  const auto add = [&](Ref a, Ref b) { return node.add(ops::Binary{ops::BinaryFunction::add}, {a, b}); };
  const auto plane = Shape(x.begin() + 2, x.end()).elements();
  if (plane == 0) return indices;
  Ref rest = binary(ops::BinaryFunction::mod, indices, plane);
  Ref position = binary(ops::BinaryFunction::multiply, binary(ops::BinaryFunction::divide, indices, plane), plane);
  auto weight = plane;
  for (std::size_t k = x.size(); k-- > 2;) {  // the last axis is the slowest
    weight /= x[k];
    const Ref digit = binary(ops::BinaryFunction::mod, rest, x[k]);
    position = add(position, binary(ops::BinaryFunction::multiply, digit, weight));
    rest = binary(ops::BinaryFunction::divide, rest, x[k]);
  }
  return position;
}

void max_pool(NodeReader& node) {
  auto op = pooled(node, ops::PoolFunction::max);
  op.with_indices = node.wants(1);
  const auto results = node.add_all(op, {node.in(0)});
  node.out(0, results[0]);
  if (!op.with_indices) return;
  const bool by_columns = node.integer("storage_order", 0) != 0;
  node.out(1, by_columns ? column_major(node, results[1], node.shape(node.in(0))) : results[1]);
}

void average_pool(NodeReader& node) {
  auto op = pooled(node, ops::PoolFunction::average);
  op.count_include_pad = node.integer("count_include_pad", 0) != 0;
  node.out(0, node.add(op, {node.in(0)}));
}

void lp_pool(NodeReader& node) {
  auto op = pooled(node, ops::PoolFunction::lp);
  op.p = node.opset() < 2 ? convert_value<std::int64_t>(node.real("p", 2)) : node.integer("p", 2);
  node.out(0, node.add(op, {node.in(0)}));
}

void max_unpool(NodeReader& node) {
  const Shape& x = node.shape(node.in(0));
  const Window window = read_window(node, x, kernel_shape(node));
  ops::MaxUnpool op;
  const auto axes = window.kernel.size();
  for (std::size_t k = 0; k < axes; ++k)
    op.inferred_shape.push_back((x[k + 2] - 1) * window.strides[k] - window.pads[k] - window.pads[k + axes] +
                                window.kernel[k]);
  if (node.has(2)) op.output_shape = node.known_ints(2, "output_shape");
  if (op.output_shape.size() == axes + 2) op.output_shape.erase(op.output_shape.begin(), op.output_shape.begin() + 2);
  node.out(0, node.add(op, {node.in(0), node.in(1)}));
}

void col2im(NodeReader& node) {
  const auto image = node.known_ints(1, "image_shape"), block = node.known_ints(2, "block_shape");
  Shape whole = {1, 1};
  whole.insert(whole.end(), image.begin(), image.end());
  const Window window = read_window(node, whole, block);
  const ops::Col2im op{.image_shape = image,
                       .kernel_shape = block,
                       .strides = window.strides,
                       .dilations = window.dilations,
                       .pads = window.pads};
  const Ref x = node.in(0);
  const DType dtype = node.dtype(x);
  if (!is_integer(dtype)) return node.out(0, node.add(op, {x}));
  // The op is of floats: f64 has the sums of integers below 2^53, which then wrap as the type does.
  if (dtype == DType::i64) NodeReader::unsupported("sums columns of ", dtype);
  const Ref sums = node.cast(node.add(op, {node.cast(x, DType::f64)}), DType::i64);
  node.out(0, node.cast(sums, dtype));
}

/// silu and swish are one (ops.md E.1).
ops::CausalActivation causal_activation(const NodeReader& node) {
  const std::string word = node.text("activation", "none");
  if (word == "swish") return ops::CausalActivation::silu;
  return NodeReader::choice_of<ops::CausalActivation>("activation", word);
}

void causal_conv(NodeReader& node) {
  if (const std::int64_t axes = node.integer("ndim", 1); axes != 1)
    NodeReader::unsupported("a causal convolution along ", axes, " axes");
  const ops::CausalConv op{causal_activation(node), node.has(2), node.has(3)};
  std::vector<Ref> operands = operands_of(node);
  if (op.has_state) operands.push_back(node.in(3));
  const std::vector<Ref> made = node.add_all(op, operands);
  for (std::size_t k = 0; k < made.size(); ++k)
    if (node.wants(k)) node.out(k, made[k]);
}

}  // namespace

std::span<const Converter> convolution_converters() {
  static constexpr Converter table[] = {
      {"AveragePool", average_pool},
      {"CausalConvWithState", causal_conv},
      {"Col2Im", col2im},
      {"Conv", conv},
      {"ConvTranspose", conv_transpose},
      {"LpPool", lp_pool},
      {"MaxPool", max_pool},
      {"MaxUnpool", max_unpool},
      {"com.microsoft.FusedConv", fused_conv},
  };
  return table;
}

}  // namespace plumb::ir::from_onnx
