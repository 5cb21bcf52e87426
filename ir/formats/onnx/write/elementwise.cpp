// Ops of one element, or of one from each operand.
#include <algorithm>
#include <limits>

#include "ir/formats/onnx/write/writers.hpp"
#include "ir/ops/activation.hpp"
#include "ir/ops/binary.hpp"
#include "ir/ops/bitcast.hpp"
#include "ir/ops/cast.hpp"
#include "ir/ops/clamp.hpp"
#include "ir/ops/classify.hpp"
#include "ir/ops/compare.hpp"
#include "ir/ops/dequantize_linear.hpp"
#include "ir/ops/dynamic_quantize_linear.hpp"
#include "ir/ops/glu.hpp"
#include "ir/ops/prelu.hpp"
#include "ir/ops/quantize_linear.hpp"
#include "ir/ops/unary.hpp"
#include "ir/ops/where.hpp"

namespace plumb::ir::to_onnx {
namespace {

using ops::ActivationFunction;
using ops::BinaryFunction;
using ops::Comparison;
using ops::FloatClass;
using ops::UnaryFunction;

/// The operator for a member of a family; "" where there is none.
template <class Function, std::size_t count>
std::string_view operator_of(const std::pair<Function, std::string_view> (&table)[count], Function function) {
  for (const auto& [one, name] : table)
    if (one == function) return name;
  return "";
}

constexpr std::pair<UnaryFunction, std::string_view> unary_operators[] = {
    {UnaryFunction::abs, "Abs"},           {UnaryFunction::negate, "Neg"},
    {UnaryFunction::sign, "Sign"},         {UnaryFunction::reciprocal, "Reciprocal"},
    {UnaryFunction::sqrt, "Sqrt"},         {UnaryFunction::exp, "Exp"},
    {UnaryFunction::log, "Log"},           {UnaryFunction::sin, "Sin"},
    {UnaryFunction::cos, "Cos"},           {UnaryFunction::tan, "Tan"},
    {UnaryFunction::asin, "Asin"},         {UnaryFunction::acos, "Acos"},
    {UnaryFunction::atan, "Atan"},         {UnaryFunction::sinh, "Sinh"},
    {UnaryFunction::cosh, "Cosh"},         {UnaryFunction::tanh, "Tanh"},
    {UnaryFunction::asinh, "Asinh"},       {UnaryFunction::acosh, "Acosh"},
    {UnaryFunction::atanh, "Atanh"},       {UnaryFunction::erf, "Erf"},
    {UnaryFunction::floor, "Floor"},       {UnaryFunction::ceil, "Ceil"},
    {UnaryFunction::round, "Round"},       {UnaryFunction::relu, "Relu"},
    {UnaryFunction::sigmoid, "Sigmoid"},   {UnaryFunction::silu, "Swish"},
    {UnaryFunction::gelu, "Gelu"},         {UnaryFunction::gelu_tanh, "Gelu"},
    {UnaryFunction::softplus, "Softplus"}, {UnaryFunction::softsign, "Softsign"},
    {UnaryFunction::mish, "Mish"},         {UnaryFunction::hard_swish, "HardSwish"},
    {UnaryFunction::logical_not, "Not"},   {UnaryFunction::bitwise_not, "BitwiseNot"},
};

void write_unary(const ops::Unary& op, NodeWriter& node) {
  if (op.function == UnaryFunction::square) {
    node.add("Mul", {node.in(0), node.in(0)}, {node.out()});
    return;
  }
  const auto name = operator_of(unary_operators, op.function);
  if (name.empty()) NodeWriter::refuse("it is ", enum_name(op.function));
  const Attributes made = node.add(name);
  if (op.function == UnaryFunction::gelu_tanh) made.text("approximate", "tanh");
}

void write_activation(const ops::Activation& op, NodeWriter& node) {
  switch (op.function) {
    case ActivationFunction::leaky_relu:
      node.add("LeakyRelu").real("alpha", op.alpha);
      return;
    case ActivationFunction::elu:
      node.add("Elu").real("alpha", op.alpha);
      return;
    case ActivationFunction::selu:
      node.add("Selu").real("alpha", op.alpha).real("gamma", op.beta);
      return;
    case ActivationFunction::celu:
      node.add("Celu").real("alpha", op.alpha);
      return;
    case ActivationFunction::swish:
      node.add("Swish").real("alpha", op.alpha);
      return;
    case ActivationFunction::hard_sigmoid:
      node.add("HardSigmoid").real("alpha", op.alpha).real("beta", op.beta);
      return;
    case ActivationFunction::thresholded_relu:
      node.add("ThresholdedRelu").real("alpha", op.alpha);
      return;
    case ActivationFunction::shrink:
      node.add("Shrink").real("lambd", op.alpha).real("bias", op.beta);
      return;
    case ActivationFunction::scaled_tanh:
      NodeWriter::refuse("it is ", enum_name(op.function));
  }
}

constexpr std::pair<BinaryFunction, std::string_view> binary_operators[] = {
    {BinaryFunction::add, "Add"},
    {BinaryFunction::subtract, "Sub"},
    {BinaryFunction::multiply, "Mul"},
    {BinaryFunction::divide, "Div"},
    {BinaryFunction::maximum, "Max"},
    {BinaryFunction::minimum, "Min"},
    {BinaryFunction::power, "Pow"},
    {BinaryFunction::mod, "Mod"},
    {BinaryFunction::fmod, "Mod"},
    {BinaryFunction::bit_and, "BitwiseAnd"},
    {BinaryFunction::bit_or, "BitwiseOr"},
    {BinaryFunction::bit_xor, "BitwiseXor"},
    {BinaryFunction::shift_left, "BitShift"},
    {BinaryFunction::shift_right, "BitShift"},
    {BinaryFunction::logical_and, "And"},
    {BinaryFunction::logical_or, "Or"},
    {BinaryFunction::logical_xor, "Xor"},
};

/// Whether all numbers of a tensor, taken as f64, lie within [low, high], or are none of `but`.
bool are_within(const Tensor& tensor, double low, double high, std::initializer_list<double> but = {}) {
  const Tensor wide = convert(tensor, DType::f64);
  return std::ranges::all_of(wide.as<double>(),
                             [&](double x) { return x >= low && x <= high && std::ranges::find(but, x) == but.end(); });
}

/// Quotients and remainders of integers by 0, and of the least one by -1, which ONNX says nothing of.
void require_divisor(NodeWriter& node) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  node.require_known(
      1,
      [](const Tensor& b) {
        return are_within(b, -infinity, infinity, {0, -1});
      },
      "ONNX leaves open what integers divided by 0 are, and it is not known that the divisor is another number");
}

void write_binary(const ops::Binary& op, NodeWriter& node) {
  const auto name = operator_of(binary_operators, op.function);
  if (name.empty()) NodeWriter::refuse("it is ", enum_name(op.function));
  const bool is_whole = is_integer(node.dtype());
  const auto is = [&](BinaryFunction function) { return op.function == function; };
  const bool shifts = is(BinaryFunction::shift_left) || is(BinaryFunction::shift_right);
  if (is(BinaryFunction::mod) && !is_whole)
    NodeWriter::refuse("remainders of floats have the sign of the dividend there");
  if (is_whole && (is(BinaryFunction::divide) || is(BinaryFunction::mod) || is(BinaryFunction::fmod)))
    require_divisor(node);
  if (shifts) {
    const double most = 8.0 * static_cast<double>(info(node.dtype()).bytes) - 1;
    node.require_known(
        1, [&](const Tensor& b) { return are_within(b, 0, most); },
        "ONNX leaves open what shifts by more bits than there are give, and it is not known that these are fewer");
  }
  const Attributes made = node.add(name);
  if (is(BinaryFunction::fmod)) made.integer("fmod", 1);
  if (shifts) made.text("direction", is(BinaryFunction::shift_left) ? "LEFT" : "RIGHT");
}

void write_compare(const ops::Compare& op, NodeWriter& node) {
  constexpr std::pair<Comparison, std::string_view> operators[] = {
      {Comparison::equal, "Equal"},
      {Comparison::less, "Less"},
      {Comparison::less_equal, "LessOrEqual"},
      {Comparison::greater, "Greater"},
      {Comparison::greater_equal, "GreaterOrEqual"},
  };
  if (op.function != Comparison::not_equal) {
    node.add(operator_of(operators, op.function));
    return;
  }
  const std::string equal = node.between();
  node.add("Equal", node.ins(), {equal});
  node.add("Not", DType::boolean, {equal}, {node.out()});
}

void write_classify(const ops::Classify& op, NodeWriter& node) {
  if (op.function == FloatClass::is_nan) {
    node.add("IsNaN");
    return;
  }
  if (op.function != FloatClass::is_finite) {
    node.add("IsInf")
        .integer("detect_negative", op.function == FloatClass::is_positive_inf ? 0 : 1)
        .integer("detect_positive", op.function == FloatClass::is_negative_inf ? 0 : 1);
    return;
  }
  const std::string is_nan = node.between(), is_inf = node.between(), either = node.between();
  node.add("IsNaN", node.ins(), {is_nan});
  node.add("IsInf", node.ins(), {is_inf});
  node.add("Or", DType::boolean, {is_nan, is_inf}, {either});
  node.add("Not", DType::boolean, {either}, {node.out()});
}

/// Limits of Clip are single numbers; others are a maximum and a minimum, which is the definition of the op.
void write_clamp(const ops::Clamp& op, NodeWriter& node) {
  bool are_numbers = true;
  for (std::size_t i = 1; i < node.inputs(); ++i) are_numbers &= node.shape(i).empty();
  if (!op.has_min && !op.has_max) {
    node.add("Identity");
  } else if (are_numbers) {
    // A limit that is not given is the largest finite number to ONNX's text and to some engines, and none to others.
    const auto none = [&](double infinity) {
      return is_float(node.dtype()) ? node.filled({node.dtype(), {}}, infinity) : std::string();
    };
    constexpr double infinity = std::numeric_limits<double>::infinity();
    const std::string low = op.has_min ? node.in(1) : none(-infinity);
    const std::string high = op.has_max ? node.in(op.has_min ? 2 : 1) : none(infinity);
    node.add("Clip", high.empty() ? Names{node.in(0), low} : Names{node.in(0), low, high}, {node.out()});
  } else if (op.has_min && op.has_max) {
    const std::string raised = node.between();
    node.add("Max", {node.in(0), node.in(1)}, {raised});
    node.add("Min", {raised, node.in(2)}, {node.out()});
  } else {
    node.add(op.has_min ? "Max" : "Min");
  }
}

/// Floats that integers do not hold are nothing in ONNX, and saturate here.
void write_cast(const ops::Cast& op, NodeWriter& node) {
  const DType from = node.dtype();
  if (is_complex(op.to)) NodeWriter::refuse("ONNX casts nothing to ", op.to);
  if (is_float(from) && is_integer(op.to)) {
    const double bits = 8.0 * static_cast<double>(info(op.to).bytes) - (is_signed(op.to) ? 1 : 0);
    // Below 2^bits by at least what any float of 53 bits can tell.
    const double high = std::nextafter(std::ldexp(1.0, static_cast<int>(bits)), 0.0);
    const double low = is_signed(op.to) ? -std::ldexp(1.0, static_cast<int>(bits)) : 0;
    node.require_known(
        0, [&](const Tensor& x) { return are_within(x, low, high); },
        cat("ONNX leaves open what floats become that ", op.to,
            " does not hold, and it is not known that there are none"));
  }
  node.add("Cast").integer("to", onnx_type(op.to));
}

void write_bitcast(const ops::Bitcast& op, NodeWriter& node) { node.add("BitCast").integer("to", onnx_type(op.to)); }

/// Other gates are rounded before they are multiplied, in ONNX.
void write_glu(const ops::Glu& op, NodeWriter& node) {
  if (op.function != ops::GateFunction::relu) NodeWriter::refuse("its gate is ", enum_name(op.function));
  const std::string gate = node.between();
  node.add("Relu", {node.in(0)}, {gate});
  node.add("Mul", {gate, node.in(1)}, {node.out()});
}

/// Writes which scales the elements take: an axis where there are several, and blocks.
template <class Op>
void set_scales(const Op& op, NodeWriter& node, const Attributes& made) {
  const Shape& scale = node.shape(1);
  if (scale.rank() == 0 || scale == Shape{1}) return;
  made.integer("axis", op.axis);
  if (op.block_size == 0) return;
  made.integer("block_size", op.block_size);
  node.require_opset(21);
}

template <class Op>
void require_quantizer(const Op& op, const NodeWriter& node) {
  if (node.type(1).dtype == DType::f64) NodeWriter::refuse("its scales are in f64");
  if (op.code != kernels::CodeFormat::integer) NodeWriter::refuse("its codes are ", enum_name(op.code), " in bytes");
}

/// Quotients are in f32, which newer opsets have to be told of narrower operands.
void write_quantize_linear(const ops::QuantizeLinear& op, NodeWriter& node) {
  require_quantizer(op, node);
  if (op.bits != 0) NodeWriter::refuse("its codes have ", op.bits, " bits, in bytes");
  const bool is_plain = node.dtype() == DType::f32 && node.type(1).dtype == DType::f32;
  const bool is_byte = op.dtype == DType::u8 || op.dtype == DType::i8;
  const Attributes made = node.add("QuantizeLinear");
  set_scales(op, node, made);
  if (!is_plain) {
    made.integer("precision", onnx_type(DType::f32));
    node.require_opset(23);
  }
  if (!is_byte || (!op.has_zero_point && op.dtype != DType::u8)) node.require_opset(21);
  if (!op.has_zero_point && op.dtype != DType::u8) made.integer("output_dtype", onnx_type(op.dtype));
}

void write_dequantize_linear(const ops::DequantizeLinear& op, NodeWriter& node) {
  require_quantizer(op, node);
  const DType scale = node.type(1).dtype, to = node.result_type().dtype;
  if (to == DType::f64) NodeWriter::refuse("it makes f64");
  const Attributes made = node.add("DequantizeLinear");
  set_scales(op, node, made);
  if (scale != DType::f32) node.require_opset(19);
  if (to == scale) return;
  made.integer("output_dtype", onnx_type(to));
  node.require_opset(23);
}

void write_dynamic_quantize_linear(const ops::DynamicQuantizeLinear& /*op*/, NodeWriter& node) {
  node.add("DynamicQuantizeLinear");
}

void write_prelu(const ops::Prelu& /*op*/, NodeWriter& node) { node.add("PRelu"); }
void write_where(const ops::Where& /*op*/, NodeWriter& node) {
  node.add("Where", node.type(1).dtype, node.ins(), {node.out()});
}

}  // namespace

std::span<const Writer> elementwise_writers() {
  static constexpr Writer table[] = {
      writer<ops::Activation, write_activation>,
      writer<ops::Binary, write_binary>,
      writer<ops::Bitcast, write_bitcast>,
      writer<ops::Cast, write_cast>,
      writer<ops::Clamp, write_clamp>,
      writer<ops::Classify, write_classify>,
      writer<ops::Compare, write_compare>,
      writer<ops::DequantizeLinear, write_dequantize_linear>,
      writer<ops::DynamicQuantizeLinear, write_dynamic_quantize_linear>,
      writer<ops::Glu, write_glu>,
      writer<ops::Prelu, write_prelu>,
      writer<ops::QuantizeLinear, write_quantize_linear>,
      writer<ops::Unary, write_unary>,
      writer<ops::Where, write_where>,
  };
  return table;
}

}  // namespace plumb::ir::to_onnx
