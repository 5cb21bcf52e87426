// Reductions, and sums and products that run along an axis.
#include <array>

#include "ir/formats/onnx/write/writers.hpp"
#include "ir/ops/cumulative.hpp"
#include "ir/ops/reduce.hpp"

namespace plumb::ir::to_onnx {
namespace {

using ops::CumulativeFunction;
using ops::ReduceFunction;

/// ONNX does not say whether its functions are taken of single elements where no axis is reduced: Those that leave a
/// single element as it is are an identity then.
void reduce_nothing(const ops::Reduce& op, NodeWriter& node) {
  switch (op.function) {
    case ReduceFunction::sum:
    case ReduceFunction::mean:
    case ReduceFunction::product:
    case ReduceFunction::max:
    case ReduceFunction::min:
      node.add("Identity");
      return;
    default:
      NodeWriter::refuse("it reduces no axis");
  }
}

void write_reduce(const ops::Reduce& op, NodeWriter& node) {
  // In the order of ReduceFunction.
  constexpr std::array<std::string_view, 10> operators = {
      "ReduceSum", "ReduceMean",      "ReduceProd", "ReduceMax",    "ReduceMin",
      "ReduceL1",  "ReduceSumSquare", "ReduceL2",   "ReduceLogSum", "ReduceLogSumExp"};
  if (op.axes.empty()) return reduce_nothing(op, node);
  const bool is_empty = node.type(0).shape.elements() == 0 && node.result_type().shape.elements() > 0;
  if (is_empty && op.function == ReduceFunction::mean) NodeWriter::refuse("ONNX leaves the mean of nothing open");
  node.add(operators[static_cast<std::size_t>(op.function)], {node.in(0), node.stored(op.axes)}, {node.out()})
      .integer("keepdims", op.keep_dims ? 1 : 0);
}

void write_cumulative(const ops::Cumulative& op, NodeWriter& node) {
  const bool is_product = op.function == CumulativeFunction::product;
  if (!is_product && op.function != CumulativeFunction::sum) NodeWriter::refuse("it is ", enum_name(op.function));
  node.add(is_product ? "CumProd" : "CumSum", {node.in(0), node.stored_number(op.axis)}, {node.out()})
      .integer("exclusive", op.exclusive ? 1 : 0)
      .integer("reverse", op.reverse ? 1 : 0);
}

}  // namespace

std::span<const Writer> reduction_writers() {
  static constexpr Writer table[] = {
      writer<ops::Cumulative, write_cumulative>,
      writer<ops::Reduce, write_reduce>,
  };
  return table;
}

}  // namespace plumb::ir::to_onnx
