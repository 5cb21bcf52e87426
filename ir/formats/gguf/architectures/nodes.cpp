// Weights in blocks stay as they lie; floats of 16 or 64 bits are cast, which compiling folds.
#include "ir/formats/gguf/architectures/nodes.hpp"

#include "ir/ops/binary.hpp"
#include "ir/ops/cast.hpp"
#include "ir/ops/concat.hpp"
#include "ir/ops/dequant_grouped_matmul.hpp"
#include "ir/ops/gather.hpp"
#include "ir/ops/grouped_matmul.hpp"
#include "ir/ops/layer_norm.hpp"
#include "ir/ops/matmul.hpp"
#include "ir/ops/reshape.hpp"
#include "ir/ops/rms_norm.hpp"
#include "ir/ops/transpose.hpp"

namespace plumb::ir::formats::gguf::architectures {

std::optional<kernels::packed::Format> Nodes::format_of(const std::string& name) const {
  return weights_.at(name).element.format();
}

Value Nodes::floats(const std::string& name) {
  const Value stored = input(name);
  if (graph_.type(stored).dtype == DType::f32) return stored;
  const std::string label = name + ".f32";
  const auto known = graph_.find(label);
  return known ? *known : add(label, ops::Cast{.to = DType::f32}, {stored});
}

Value Nodes::reshape(const std::string& label, Value x, std::vector<std::int64_t> extents) {
  return add(label, ops::Reshape{.shape = std::move(extents)}, {x});
}

Value Nodes::exchange(const std::string& label, Value x) {
  return add(label, ops::Transpose{.permutation = {0, 2, 1, 3}}, {x});
}

Value Nodes::sum(const std::string& label, Value a, Value b) {
  return add(label, ops::Binary{.function = ops::BinaryFunction::add}, {a, b});
}

Value Nodes::times(const std::string& label, Value a, Value b) {
  return add(label, ops::Binary{.function = ops::BinaryFunction::multiply}, {a, b});
}

Value Nodes::scaled(const std::string& label, Value x, float factor) {
  const Value by = constant<float>(label + ".factor", {}, {factor});
  return times(label, x, by);
}

Value Nodes::product(const std::string& label, Value x, const std::string& tensor) {
  const std::string weight = tensor + ".weight", bias = tensor + ".bias";
  const bool has_bias = weights_.has(bias);
  const std::string of_product = has_bias ? label + ".product" : label;
  const auto format = format_of(weight);
  ops::Matmul plain;
  plain.transpose_b = true;
  const Value y = format ? add(of_product, ops::DequantMatmul{.format = *format}, {x, input(weight)})
                         : add(of_product, plain, {x, floats(weight)});
  return has_bias ? sum(label, y, floats(bias)) : y;
}

Value Nodes::beside(const std::string& label, Value a, Value b) { return add(label, ops::Concat{.axis = -1}, {a, b}); }

Value Nodes::joined_experts(const std::string& tensor, std::int64_t experts) {
  std::vector<Value> matrices;
  for (std::int64_t e = 0; e < experts; ++e) {
    const std::string name = cat(tensor, '.', e);
    const Value stored = input(name + ".weight");
    matrices.push_back(reshape(name, stored, {1, shape(stored)[0], shape(stored)[1]}));
  }
  return add(tensor + "_exps", ops::Concat{.axis = 0}, std::move(matrices));
}

Nodes::Bank Nodes::bank_of(const std::string& tensor, Value stored, std::optional<kernels::packed::Format> format) {
  const bool is_cast = !format && graph_.type(stored).dtype != DType::f32;
  return {.matrices = is_cast ? add(tensor + ".f32", ops::Cast{.to = DType::f32}, {stored}) : stored, .format = format};
}

Nodes::Bank Nodes::bank(const std::string& tensor) {
  const std::string weight = tensor + ".weight";
  return bank_of(tensor, input(weight), format_of(weight));
}

Value Nodes::grouped_product(const std::string& label, Value x, const Bank& bank, Value which,
                             std::optional<Value> bias) {
  std::vector<Value> operands = {x, bank.matrices, which};
  if (bias) operands.push_back(*bias);
  if (bank.format) {
    const ops::DequantGroupedMatmul packed{.format = *bank.format, .has_bias = bias.has_value()};
    return add(label, packed, std::move(operands));
  }
  const ops::GroupedMatmul plain{.transpose_w = !bank.is_transposed, .has_bias = bias.has_value()};
  return add(label, plain, std::move(operands));
}

Value Nodes::grouped_product(const std::string& label, Value x, const std::string& tensor, Value expert,
                             std::int64_t experts) {
  const std::string all = tensor + "_exps.weight", bias = tensor + "_exps.bias";
  const bool is_one = weights_.has(all);
  const Value stored = is_one ? input(all) : joined_experts(tensor, experts);
  const Bank bank = bank_of(tensor, stored, format_of(is_one ? all : tensor + ".0.weight"));
  const auto biases = weights_.has(bias) ? std::optional(floats(bias)) : std::nullopt;
  return grouped_product(label, x, bank, expert, biases);
}

Value Nodes::norm(Value x, const std::string& tensor, const Norm& norm) {
  const Value weight = floats(tensor + ".weight");
  if (!norm.is_layer) return add(tensor, ops::RmsNorm{.epsilon = norm.epsilon}, {x, weight});
  return add(tensor, ops::LayerNorm{.epsilon = norm.epsilon}, {x, weight, floats(tensor + ".bias")});
}

Value Nodes::rows(const std::string& label, const std::string& tensor, Value indices) {
  const std::string weight = tensor + ".weight";
  const Value stored = input(weight);
  const auto format = format_of(weight);
  if (!format && graph_.type(stored).dtype == DType::f32) return add(label, ops::Gather{}, {stored, indices});
  const Value rows = add(label + ".stored", ops::Gather{}, {stored, indices});
  if (format) return add(label, ops::Dequantize{.format = *format}, {rows});
  return add(label, ops::Cast{.to = DType::f32}, {rows});
}

}  // namespace plumb::ir::formats::gguf::architectures
