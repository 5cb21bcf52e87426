// Reductions, and global pooling, which is one over the spatial axes.
#include <algorithm>
#include <numeric>

#include "ir/convert.hpp"
#include "ir/formats/onnx/node_reader.hpp"
#include "ir/ops/binary.hpp"
#include "ir/ops/reduce.hpp"
#include "ir/ops/unary.hpp"

namespace plumb::ir::from_onnx {
namespace {

using ops::ReduceFunction;

std::vector<std::int64_t> axes_from(std::int64_t first, std::int64_t rank) {
  std::vector<std::int64_t> axes;
  for (auto k = first; k < rank; ++k) axes.push_back(k);
  return axes;
}

/// Integers of functions that leave them: the mean is a quotient of integers, the others are cut off to whole numbers
/// (as onnxruntime does it).
Ref of_integers(NodeReader& node, ops::Reduce op) {
  const Ref x = node.in(0);
  const DType dtype = node.dtype(x);
  const auto with = [&](ReduceFunction function, Ref of) {
    ops::Reduce part = op;
    part.function = function;
    return node.add(part, {of});
  };
  switch (op.function) {
    case ReduceFunction::mean: {
      std::int64_t count = 1;
      for (const auto axis : op.axes) count *= node.shape(x)[node.shape(x).axis(axis)];
      const Ref divisor = node.cast(node.constant(Tensor::of<std::int64_t>({}, {count})), dtype);
      return node.add(ops::Binary{ops::BinaryFunction::divide}, {with(ReduceFunction::sum, x), divisor});
    }
    case ReduceFunction::l2: {
      const Ref squares = node.cast(with(ReduceFunction::sum_square, x), DType::f64);
      return node.cast(node.add(ops::Unary{ops::UnaryFunction::sqrt}, {squares}), dtype);
    }
    case ReduceFunction::log_sum: {
      const Ref sum = node.cast(with(ReduceFunction::sum, x), DType::f64);
      return node.cast(node.add(ops::Unary{ops::UnaryFunction::log}, {sum}), dtype);
    }
    case ReduceFunction::log_sum_exp:
      return node.cast(with(ReduceFunction::log_sum_exp, node.cast(x, DType::f64)), dtype);
    default:
      return node.add(op, {x});
  }
}

template <ReduceFunction function>
void reduce(NodeReader& node) {
  auto axes = node.ints_of("axes", 1).value_or(std::vector<std::int64_t>{});
  const bool keeps = node.integer("keepdims", 1) != 0;
  const bool keeps_all = node.integer("noop_with_empty_axes", 0) != 0;  // asked for where there are axes, too
  if (axes.empty() && !keeps_all) axes = axes_from(0, node.shape(node.in(0)).rank());
  const ops::Reduce op{.function = function, .axes = axes, .keep_dims = keeps};
  node.out(0, is_integer(node.dtype(node.in(0))) ? of_integers(node, op) : node.add(op, {node.in(0)}));
}

Ref over_space(NodeReader& node, ReduceFunction function) {
  const auto rank = node.shape(node.in(0)).rank();
  require(rank >= 2, "x must have rank 2 or more, got ", node.type(node.in(0)));
  return node.add(ops::Reduce{.function = function, .axes = axes_from(2, rank)}, {node.in(0)});
}

template <ReduceFunction function>
void global_pool(NodeReader& node) {
  node.out(0, over_space(node, function));
}

void global_lp_pool(NodeReader& node) {
  const auto p = node.opset() < 2 ? convert_value<std::int64_t>(node.real("p", 2)) : node.integer("p", 2);
  if (p != 1 && p != 2) NodeReader::unsupported("p is ", p, ", 1 and 2 are read");
  node.out(0, over_space(node, p == 1 ? ReduceFunction::l1 : ReduceFunction::l2));
}

}  // namespace

std::span<const Converter> reduction_converters() {
  using R = ReduceFunction;
  static constexpr Converter table[] = {
      {"GlobalAveragePool", global_pool<R::mean>},
      {"GlobalLpPool", global_lp_pool},
      {"GlobalMaxPool", global_pool<R::max>},
      {"ReduceL1", reduce<R::l1>},
      {"ReduceL2", reduce<R::l2>},
      {"ReduceLogSum", reduce<R::log_sum>},
      {"ReduceLogSumExp", reduce<R::log_sum_exp>},
      {"ReduceMax", reduce<R::max>},
      {"ReduceMean", reduce<R::mean>},
      {"ReduceMin", reduce<R::min>},
      {"ReduceProd", reduce<R::product>},
      {"ReduceSum", reduce<R::sum>},
      {"ReduceSumSquare", reduce<R::sum_square>},
  };
  return table;
}

}  // namespace plumb::ir::from_onnx
