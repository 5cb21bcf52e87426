// Activations with parameters, limits, and predicates of floats.

#include "ir/formats/onnx/node_reader.hpp"
#include "ir/ops/clamp.hpp"
#include "ir/ops/expand.hpp"

namespace plumb::ir::from_onnx {
namespace {

void activation(NodeReader& node, std::string function, double alpha, double beta = 0) {
  const Attributes attributes = {{"function", std::move(function)}, {"alpha", alpha}, {"beta", beta}};
  node.out(0, node.add(NodeReader::op("activation", attributes), {node.in(0)}));
}

void leaky_relu(NodeReader& node) { activation(node, "leaky_relu", node.real("alpha", 0.01f)); }
void elu(NodeReader& node) { activation(node, "elu", node.real("alpha", 1)); }
void celu(NodeReader& node) { activation(node, "celu", node.real("alpha", 1)); }
void swish(NodeReader& node) { activation(node, "swish", node.real("alpha", 1)); }
void thresholded_relu(NodeReader& node) { activation(node, "thresholded_relu", node.real("alpha", 1)); }
void shrink(NodeReader& node) { activation(node, "shrink", node.real("lambd", 0.5), node.real("bias", 0)); }
void hard_sigmoid(NodeReader& node) {
  activation(node, "hard_sigmoid", node.real("alpha", 0.2f), node.real("beta", 0.5));
}
void selu(NodeReader& node) {
  const bool is_old = node.opset() < 6;
  activation(node, "selu", node.real("alpha", is_old ? 1.6732f : 1.67326319217681884765625),
             node.real("gamma", is_old ? 1.0507f : 1.05070102214813232421875));
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
  node.out(0, node.add(NodeReader::op("prelu", {}), {x, slope}));
}

void clip(NodeReader& node) {
  const Ref x = node.in(0);
  const auto limit = [&](std::size_t i, std::string_view name) -> std::optional<Ref> {
    if (node.opset() >= 11) return node.maybe(i);
    if (node.attribute(name) == nullptr) return std::nullopt;
    return node.scalar(node.dtype(x), node.real(name));
  };
  const auto low = limit(1, "min"), high = limit(2, "max");
  if (!low && !high) return node.out(0, x);
  std::vector<Ref> operands = {x};
  if (low) operands.push_back(*low);
  if (high) operands.push_back(*high);
  node.out(0, node.add(ops::Clamp{.has_min = low.has_value(), .has_max = high.has_value()}, operands));
}

void classify(NodeReader& node, const std::string& function) {
  node.out(0, node.add(NodeReader::op("classify", {{"function", function}}), {node.in(0)}));
}

void is_nan(NodeReader& node) { classify(node, "is_nan"); }

void is_inf(NodeReader& node) {
  const bool negative = node.integer("detect_negative", 1) != 0, positive = node.integer("detect_positive", 1) != 0;
  if (!negative && !positive)
    return node.out(0, node.add(ops::Expand{node.shape(node.in(0))}, {node.scalar(DType::boolean, 0)}));
  classify(node, negative && positive ? "is_inf" : positive ? "is_positive_inf" : "is_negative_inf");
}

}  // namespace

std::span<const Converter> activation_converters() {
  static constexpr Converter table[] = {
      {"Celu", celu},
      {"Clip", clip},
      {"Elu", elu},
      {"HardSigmoid", hard_sigmoid},
      {"IsInf", is_inf},
      {"IsNaN", is_nan},
      {"LeakyRelu", leaky_relu},
      {"PRelu", prelu},
      {"Selu", selu},
      {"Shrink", shrink},
      {"Swish", swish},
      {"ThresholdedRelu", thresholded_relu},
  };
  return table;
}

}  // namespace plumb::ir::from_onnx
