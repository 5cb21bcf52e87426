// Activations with parameters, limits, and predicates of floats.

#include "ir/ops/activation.hpp"

#include <algorithm>
#include <limits>

#include "ir/adversarial/line.hpp"
#include "ir/formats/onnx/node_reader.hpp"
#include "ir/ops/clamp.hpp"
#include "ir/ops/classify.hpp"
#include "ir/ops/expand.hpp"
#include "ir/ops/glu.hpp"
#include "ir/ops/prelu.hpp"

namespace plumb::ir::from_onnx {
namespace {

using ops::ActivationFunction;

void activation(NodeReader& node, ActivationFunction function, double alpha, double beta = 0) {
  node.out(0, node.add(ops::Activation{function, alpha, beta}, {node.in(0)}));
}

template <ActivationFunction function>
void with_alpha_of_1(NodeReader& node) {
  activation(node, function, node.real("alpha", 1));
}
void leaky_relu(NodeReader& node) { activation(node, ActivationFunction::leaky_relu, node.real("alpha", 0.01f)); }
/// Integers are cut off towards zero behind the shift.
void shrink(NodeReader& node) {
  const Ref x = node.in(0);
  const DType dtype = node.dtype(x);
  if (dtype == DType::i64) NodeReader::unsupported("shrinks ", dtype);
  const DType wide = !is_integer(dtype) ? dtype : info(dtype).bytes < 4 ? DType::f32 : DType::f64;
  const ops::Activation op{ActivationFunction::shrink, node.real("lambd", 0.5), node.real("bias", 0)};
  node.out(0, node.cast(node.add(op, {node.cast(x, wide)}), dtype));
}
void hard_sigmoid(NodeReader& node) {
  activation(node, ActivationFunction::hard_sigmoid, node.real("alpha", 0.2f), node.real("beta", 0.5));
}
void selu(NodeReader& node) {
  const bool is_old = node.opset() < 6;
  activation(node, ActivationFunction::selu, node.real("alpha", is_old ? 1.6732f : 1.67326319217681884765625),
             node.real("gamma", is_old ? 1.0507f : 1.05070102214813232421875));
}

/// The gate through a swish, times the other operand of the same shape.
void swiglu(NodeReader& node) {
  const Ref gate = node.in(0), value = node.in(1);
  require(node.type(gate) == node.type(value), "A is ", node.type(gate), ", B is ", node.type(value));
  node.out(0, node.add(ops::Glu{.alpha = node.real("alpha", 1)}, {gate, value}));
}

void prelu(NodeReader& node) {
  const Ref x = node.in(0);
  Ref slope = node.in(1);
  const Shape& shape = node.shape(x);
  // One slope a channel: what opset 6 meant, and what older exporters still write.
  const bool is_per_channel = node.shape(slope).rank() == 1 && shape.rank() >= 2 && node.shape(slope)[0] == shape[1];
  if (is_per_channel && (node.opset() < 7 || !broadcasts_to(node.shape(slope), shape))) {
    Shape column(shape.size() - 1, 1);
    column[0] = shape[1];
    slope = node.reshape(slope, column);
  }
  node.out(0, node.add(ops::Prelu{}, {x, slope}));
}

/// A limit that a Clip of floats does not have is the largest finite number, by the text of all versions; 6 has that of
/// f32 as its attributes' default. The function body of 13 has none there, which only infinities tell.
void clip(NodeReader& node) {
  const Ref x = node.in(0);
  const DType dtype = node.dtype(x);
  const bool has_defaults = node.opset() >= 6 && node.opset() < 11;
  const double largest = adversarial::range_of(dtype).largest;
  const double most = has_defaults ? std::min<double>(largest, std::numeric_limits<float>::max()) : largest;
  const auto limit = [&](std::size_t i, std::string_view name, double otherwise) -> std::optional<Ref> {
    if (node.opset() >= 11 && node.has(i)) return node.in(i);
    if (node.opset() < 11 && node.attribute(name) != nullptr) return node.scalar(dtype, node.real(name));
    return is_float(dtype) ? std::optional(node.scalar(dtype, otherwise)) : std::nullopt;
  };
  const auto low = limit(1, "min", -most), high = limit(2, "max", most);
  if (!low && !high) return node.out(0, x);
  std::vector<Ref> operands = {x};
  if (low) operands.push_back(*low);
  if (high) operands.push_back(*high);
  node.out(0, node.add(ops::Clamp{.has_min = low.has_value(), .has_max = high.has_value()}, operands));
}

void is_nan(NodeReader& node) { node.out(0, node.add(ops::Classify{ops::FloatClass::is_nan}, {node.in(0)})); }

void is_inf(NodeReader& node) {
  using ops::FloatClass;
  const bool negative = node.integer("detect_negative", 1) != 0, positive = node.integer("detect_positive", 1) != 0;
  if (!negative && !positive)
    return node.out(0, node.add(ops::Expand{node.shape(node.in(0))}, {node.scalar(DType::boolean, 0)}));
  const auto function = negative && positive ? FloatClass::is_inf
                        : positive           ? FloatClass::is_positive_inf
                                             : FloatClass::is_negative_inf;
  node.out(0, node.add(ops::Classify{function}, {node.in(0)}));
}

}  // namespace

std::span<const Converter> activation_converters() {
  using A = ActivationFunction;
  static constexpr Converter table[] = {
      {"Celu", with_alpha_of_1<A::celu>},
      {"Clip", clip},
      {"Elu", with_alpha_of_1<A::elu>},
      {"HardSigmoid", hard_sigmoid},
      {"IsInf", is_inf},
      {"IsNaN", is_nan},
      {"LeakyRelu", leaky_relu},
      {"PRelu", prelu},
      {"Selu", selu},
      {"Shrink", shrink},
      {"SwiGLU", swiglu},
      {"Swish", with_alpha_of_1<A::swish>},
      {"ThresholdedRelu", with_alpha_of_1<A::thresholded_relu>},
  };
  return table;
}

}  // namespace plumb::ir::from_onnx
