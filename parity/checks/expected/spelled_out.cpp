// Spells out qmatmul and qconv (ops.md 12): the sum, its product with the factor of scales, and the rounding to a code.
#include "parity/checks/expected/spelled_out.hpp"

#include "ir/convert.hpp"
#include "ir/kernels/codes.hpp"
#include "ir/ops/binary.hpp"
#include "ir/ops/cast.hpp"
#include "ir/ops/clamp.hpp"
#include "ir/ops/compare.hpp"
#include "ir/ops/constant.hpp"
#include "ir/ops/conv_integer.hpp"
#include "ir/ops/matmul_integer.hpp"
#include "ir/ops/qconv.hpp"
#include "ir/ops/qmatmul.hpp"
#include "ir/ops/reshape.hpp"
#include "ir/ops/unary.hpp"
#include "ir/ops/where.hpp"

namespace plumb::parity::checks::expected {
namespace {

using ir::Value;
using ir::ops::BinaryFunction;

/// The scales of a node and where it leaves its sums, by value.
struct Requantized {
  Value sums, left_scale, right_scale, y_scale, y_zero;
};

/// Adds ops in the place of one node.
class Speller {
 public:
  Speller(const ir::Graph& original, const ir::Node& node, ir::Graph& made)
      : original_(original), node_(node), made_(made) {}

  Value in(std::size_t i) const { return node_.inputs.at(i); }
  const ir::Shape& shape(std::size_t i) const { return made_.type(in(i)).shape; }
  Value add(std::string_view what, ir::Op op, std::vector<Value> operands) {
    return made_.add(ir::free_name(original_, ir::cat(node_.label, '/', what)), std::move(op), std::move(operands));
  }
  Value binary(std::string_view what, BinaryFunction function, Value a, Value b) {
    return add(what, ir::ops::Binary{function}, {a, b});
  }
  Value cast(std::string_view what, Value x, ir::DType to) {
    return made_.type(x).dtype == to ? x : add(what, ir::ops::Cast{.to = to}, {x});
  }
  Value reshape(std::string_view what, Value x, const ir::Shape& to) {
    return made_.type(x).shape == to ? x : add(what, ir::ops::Reshape{.shape = to}, {x});
  }
  Value number(std::string_view what, ir::DType dtype, double value) {
    const ir::Tensor one = ir::convert(ir::Tensor::of<double>({}, {value}), dtype);
    return add(what, ir::ops::Constant{.dtype = dtype, .shape = {}, .data = {one.bytes().begin(), one.bytes().end()}},
               {});
  }

  /// The node's own result: round(sums·(left·right/y_scale)) + y_zero, saturated.
  void finish(const Requantized& of) {
    const ir::DType computed = made_.type(of.y_scale).dtype == ir::DType::f64 ? ir::DType::f64 : ir::DType::f32;
    const auto wide = [&](std::string_view what, Value x) { return cast(what, x, computed); };
    const Value product = binary("product of scales", BinaryFunction::multiply, wide("left scale", of.left_scale),
                                 wide("right scale", of.right_scale));
    const Value factor = binary("factor", BinaryFunction::divide, product, wide("scale", of.y_scale));
    const Value real = binary("real", BinaryFunction::multiply, wide("sum", of.sums), factor);
    const Value is_number = add("is a number", ir::ops::Compare{ir::ops::Comparison::equal}, {real, real});
    const Value kept = add("number", ir::ops::Where{}, {is_number, real, number("none", computed, 0)});
    const Value whole = add("whole", ir::ops::Unary{ir::ops::UnaryFunction::round}, {kept});
    const Value shifted = binary("shifted", BinaryFunction::add, whole, wide("zero", of.y_zero));
    const ir::DType codes = made_.type(of.y_zero).dtype;
    const bool is_signed = codes == ir::DType::i8;
    const Value least = number("least", computed, is_signed ? -128 : 0);
    const Value most = number("most", computed, is_signed ? 127 : 255);
    const Value clamped = add("saturated", ir::ops::Clamp{}, {shifted, least, most});
    made_.place(node_.label, ir::ops::Cast{.to = codes}, {clamped}, node_.outputs);
  }

 private:
  const ir::Graph& original_;
  const ir::Node& node_;
  ir::Graph& made_;
};

void spell_out(const ir::ops::Qmatmul& op, Speller node) {
  using ir::kernels::MatrixLines;
  Value sums = node.add("sums", ir::ops::MatmulInteger{.has_a_zero = true, .has_b_zero = true},
                        {node.in(0), node.in(3), node.in(2), node.in(5)});
  if (op.has_bias) sums = node.binary("sums and bias", BinaryFunction::add, sums, node.in(8));
  const auto of_lines = [&](std::string_view what, std::size_t scale, std::size_t matrices, MatrixLines lines) {
    const auto shape = ir::kernels::shape_over_lines(node.shape(scale), node.shape(matrices), lines);
    return node.reshape(what, node.in(scale), shape.value());
  };
  node.finish({.sums = sums,
               .left_scale = of_lines("scales of rows", 1, 0, MatrixLines::rows),
               .right_scale = of_lines("scales of columns", 4, 3, MatrixLines::columns),
               .y_scale = node.in(6),
               .y_zero = node.in(7)});
}

void spell_out(const ir::ops::Qconv& op, Speller node) {
  const ir::ops::ConvInteger convolution{.strides = op.strides,
                                         .dilations = op.dilations,
                                         .pads = op.pads,
                                         .group = op.group,
                                         .has_x_zero = true,
                                         .has_w_zero = true};
  Value sums = node.add("sums", convolution, {node.in(0), node.in(3), node.in(2), node.in(5)});
  const auto of_filters = [&](std::string_view what, std::size_t i) {
    ir::Shape shape(node.shape(0).size() - 1, 1);  // [M, 1..]
    shape[0] = node.shape(i).elements();
    return node.reshape(what, node.in(i), shape);
  };
  if (op.has_bias) sums = node.binary("sums and bias", BinaryFunction::add, sums, of_filters("bias", 8));
  node.finish({.sums = sums,
               .left_scale = node.in(1),
               .right_scale = of_filters("scales of filters", 4),
               .y_scale = node.in(6),
               .y_zero = node.in(7)});
}

}  // namespace

ir::Graph spelled_out(const ir::Graph& graph) {
  ir::Graph made = graph.sources();
  for (const ir::Node& node : graph.nodes()) {
    if (node.op.is<ir::ops::Qmatmul>())
      spell_out(node.op.as<ir::ops::Qmatmul>(), {graph, node, made});
    else if (node.op.is<ir::ops::Qconv>())
      spell_out(node.op.as<ir::ops::Qconv>(), {graph, node, made});
    else
      made.place(node.label, node.op, node.inputs, node.outputs);
  }
  for (const Value value : graph.results()) made.returns(value);
  return made;
}

}  // namespace plumb::parity::checks::expected
