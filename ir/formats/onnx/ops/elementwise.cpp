// Functions of one or two elements: the operators that are `unary`, `binary`, `compare`,
// `where` and `cast` under other names.

#include "ir/formats/onnx/node_reader.hpp"
#include "ir/ops/binary.hpp"
#include "ir/ops/compare.hpp"
#include "ir/ops/unary.hpp"
#include "ir/ops/where.hpp"

namespace plumb::ir::from_onnx {
namespace {

using ops::BinaryFunction;
using ops::Comparison;
using ops::UnaryFunction;

template <UnaryFunction function>
void unary(NodeReader& node) {
  node.out(0, node.add(ops::Unary{function}, {node.in(0)}));
}

/// Before opset 7 the second operand stretched where `broadcast` and `axis` said so.
Ref second_operand(NodeReader& node) {
  const Ref b = node.in(1);
  if (node.opset() >= 7 || node.integer("broadcast", 0) == 0) return b;
  const auto& shape = node.shape(b);
  const auto rank = node.shape(node.in(0)).rank();
  auto axis = node.integer("axis", rank - shape.rank());
  if (axis < 0) axis += rank;
  Shape stretched = shape;
  while (axis + stretched.rank() < rank) stretched.push_back(1);
  return node.reshape(b, stretched);
}

template <BinaryFunction function>
void binary(NodeReader& node) {
  node.out(0, node.add(ops::Binary{function}, {node.in(0), second_operand(node)}));
}

template <Comparison function>
void compare(NodeReader& node) {
  node.out(0, node.add(ops::Compare{function}, {node.in(0), second_operand(node)}));
}

void power(NodeReader& node) {
  // The exponent may have another type than the result. Of integers to the power of reals f64 holds the most.
  const Ref x = node.in(0), y = second_operand(node);
  const bool mixes = !is_float(node.dtype(x)) && is_float(node.dtype(y));
  const DType wide = mixes ? DType::f64 : node.dtype(x);
  const Ref result = node.add(ops::Binary{BinaryFunction::power}, {node.cast(x, wide), node.cast(y, wide)});
  node.out(0, node.cast(result, node.dtype(x)));
}

void mod(NodeReader& node) {
  const bool truncates = node.integer("fmod", 0) != 0;
  node.out(0, node.add(ops::Binary{truncates ? BinaryFunction::fmod : BinaryFunction::mod}, {node.in(0), node.in(1)}));
}

void bit_shift(NodeReader& node) {
  const auto direction = node.text("direction", "");
  require(direction == "LEFT" || direction == "RIGHT", "direction must be LEFT or RIGHT");
  const auto function = direction == "LEFT" ? BinaryFunction::shift_left : BinaryFunction::shift_right;
  node.out(0, node.add(ops::Binary{function}, {node.in(0), node.in(1)}));
}

/// Max, Min, Sum: from left to right.
Ref chain(NodeReader& node, BinaryFunction function) {
  Ref result = node.in(0);
  for (std::size_t i = 1; i < node.inputs(); ++i) result = node.add(ops::Binary{function}, {result, node.in(i)});
  return result;
}

template <BinaryFunction function>
void variadic(NodeReader& node) {
  node.out(0, chain(node, function));
}

void mean(NodeReader& node) {
  const Ref sum = chain(node, BinaryFunction::add);
  if (node.inputs() == 1) return node.out(0, sum);
  const Ref count = node.scalar(node.dtype(sum), static_cast<double>(node.inputs()));
  node.out(0, node.add(ops::Binary{BinaryFunction::divide}, {sum, count}));
}

void where(NodeReader& node) { node.out(0, node.add(ops::Where{}, {node.in(0), node.in(1), node.in(2)})); }

void gelu(NodeReader& node) {
  const auto approximate = node.text("approximate", "none");
  require(approximate == "none" || approximate == "tanh", "approximate must be none or tanh");
  const auto function = approximate == "tanh" ? UnaryFunction::gelu_tanh : UnaryFunction::gelu;
  node.out(0, node.add(ops::Unary{function}, {node.in(0)}));
}

using B = BinaryFunction;
using C = Comparison;
using U = UnaryFunction;

constexpr Converter elementwise_table[] = {
    {"Abs", unary<U::abs>},
    {"Acos", unary<U::acos>},
    {"Acosh", unary<U::acosh>},
    {"Add", binary<B::add>},
    {"And", binary<B::logical_and>},
    {"Asin", unary<U::asin>},
    {"Asinh", unary<U::asinh>},
    {"Atan", unary<U::atan>},
    {"Atanh", unary<U::atanh>},
    {"BitShift", bit_shift},
    {"BitwiseAnd", binary<B::bit_and>},
    {"BitwiseNot", unary<U::bitwise_not>},
    {"BitwiseOr", binary<B::bit_or>},
    {"BitwiseXor", binary<B::bit_xor>},
    {"Ceil", unary<U::ceil>},
    {"Cos", unary<U::cos>},
    {"Cosh", unary<U::cosh>},
    {"Div", binary<B::divide>},
    {"Equal", compare<C::equal>},
    {"Erf", unary<U::erf>},
    {"Exp", unary<U::exp>},
    {"Floor", unary<U::floor>},
    {"Gelu", gelu},
    {"Greater", compare<C::greater>},
    {"GreaterOrEqual", compare<C::greater_equal>},
    {"HardSwish", unary<U::hard_swish>},
    {"Less", compare<C::less>},
    {"LessOrEqual", compare<C::less_equal>},
    {"Log", unary<U::log>},
    {"Max", variadic<B::maximum>},
    {"Mean", mean},
    {"Min", variadic<B::minimum>},
    {"Mish", unary<U::mish>},
    {"Mod", mod},
    {"Mul", binary<B::multiply>},
    {"Neg", unary<U::negate>},
    {"Not", unary<U::logical_not>},
    {"Or", binary<B::logical_or>},
    {"Pow", power},
    {"Reciprocal", unary<U::reciprocal>},
    {"Relu", unary<U::relu>},
    {"Round", unary<U::round>},
    {"Sigmoid", unary<U::sigmoid>},
    {"Sign", unary<U::sign>},
    {"Sin", unary<U::sin>},
    {"Sinh", unary<U::sinh>},
    {"Softplus", unary<U::softplus>},
    {"Softsign", unary<U::softsign>},
    {"Sqrt", unary<U::sqrt>},
    {"Sub", binary<B::subtract>},
    {"Sum", variadic<B::add>},
    {"Tan", unary<U::tan>},
    {"Tanh", unary<U::tanh>},
    {"Where", where},
    {"Xor", binary<B::logical_xor>},
};

}  // namespace

std::span<const Converter> elementwise_converters() { return elementwise_table; }

}  // namespace plumb::ir::from_onnx
