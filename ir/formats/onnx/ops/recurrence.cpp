// Recurrent networks: RNN, GRU and LSTM, whose operands and attributes are alike.

#include <algorithm>

#include "ir/formats/onnx/node_reader.hpp"
#include "ir/ops/gru.hpp"
#include "ir/ops/lstm.hpp"
#include "ir/ops/rnn.hpp"
#include "ir/ops/transpose.hpp"

namespace plumb::ir::from_onnx {
namespace {

using kernels::RecurrentActivation;
using kernels::RecurrentDirection;

/// An operand is there unless it was left out or is zeros in the file, which is what it means to be left out.
bool is_given(const NodeReader& node, std::size_t i) {
  if (!node.has(i)) return false;
  const Tensor* const known = node.value_in_file(node.in(i));
  if (known == nullptr) return true;
  const Tensor wide = convert(*known, DType::f64);
  return std::ranges::any_of(wide.as<double>(), [](double x) { return x != 0; });
}

RecurrentActivation activation_of(std::string_view name) {
  static constexpr std::pair<std::string_view, RecurrentActivation> all[] = {
      {"sigmoid", RecurrentActivation::sigmoid},   {"tanh", RecurrentActivation::tanh},
      {"relu", RecurrentActivation::relu},         {"hardsigmoid", RecurrentActivation::hard_sigmoid},
      {"softsign", RecurrentActivation::softsign}, {"softplus", RecurrentActivation::softplus}};
  std::string lower(name);
  std::ranges::transform(lower, lower.begin(), [](char c) { return 'A' <= c && c <= 'Z' ? c - 'A' + 'a' : c; });
  for (const auto& [known, activation] : all)
    if (known == lower) return activation;
  NodeReader::unsupported("the activation ", name,
                          " is not one of Sigmoid, Tanh, Relu, HardSigmoid, Softsign, Softplus");
}

/// HardSigmoid has the slope 0.2 and the middle 0.5 only; the others have no parameters.
void needs_usual_parameter(const NodeReader& node, std::string_view name, double usual) {
  const std::vector<double> given = node.reals(name).value_or(std::vector<double>{});
  for (const double x : given)
    if (static_cast<float>(x) != static_cast<float>(usual))
      NodeReader::unsupported("'", name, "' of HardSigmoid is ", x, ", and only ", usual, " is read");
}

/// The functions of one direction, `usual` where the node names none; both directions have the same.
std::vector<RecurrentActivation> activations_of(const NodeReader& node, std::vector<RecurrentActivation> usual,
                                                std::int64_t directions) {
  const auto* const names = node.attribute("activations");
  if (names == nullptr || names->strings().empty()) return usual;
  const auto wanted = static_cast<std::int64_t>(usual.size()) * directions;
  require(names->strings_size() == wanted, "there are ", names->strings_size(), " activations, wanted ", wanted);
  std::vector<RecurrentActivation> all;
  for (const std::string& name : names->strings()) all.push_back(activation_of(name));
  const auto one = static_cast<std::ptrdiff_t>(usual.size());
  if (!std::equal(all.begin(), all.begin() + one, all.end() - one))
    NodeReader::unsupported("the activations of both directions differ");
  if (std::ranges::count(all, RecurrentActivation::hard_sigmoid) > 0) {
    needs_usual_parameter(node, "activation_alpha", 0.2);
    needs_usual_parameter(node, "activation_beta", 0.5);
  }
  all.resize(usual.size());
  return all;
}

/// What the node says that all three operators have, in `op`; returns x, w, r and the operands that are given, with
/// batches behind the steps.
template <class T>
std::vector<Ref> read_common(NodeReader& node, T& op) {
  if (node.opset() < 7) NodeReader::unsupported("is read from opset 7 on");
  op.direction = node.choice("direction", RecurrentDirection::forward);
  if (const double clip = node.real("clip", 0); clip != 0) op.clip = clip;
  const Shape& r = node.shape(node.in(2));
  if (const auto units = node.integer("hidden_size", r.empty() ? 0 : r.back()); !r.empty())
    require(units == r.back(), "hidden_size is ", units, ", R is ", node.type(node.in(2)));
  op.has_bias = is_given(node, 3), op.has_lengths = node.has(4), op.has_initial_h = is_given(node, 5);
  const bool batch_first = node.integer("layout", 0) != 0;
  const auto turned = [&](Ref x) { return batch_first ? node.add(ops::Transpose{{1, 0, 2}}, {x}) : x; };
  std::vector<Ref> operands = {turned(node.in(0)), node.in(1), node.in(2)};
  if (op.has_bias) operands.push_back(node.in(3));
  if (op.has_lengths) operands.push_back(node.in(4));
  if (op.has_initial_h) operands.push_back(turned(node.in(5)));
  if constexpr (requires { op.has_initial_c; }) {
    op.has_initial_c = is_given(node, 6), op.has_peephole = is_given(node, 7);
    if (op.has_initial_c) operands.push_back(turned(node.in(6)));
    if (op.has_peephole) operands.push_back(node.in(7));
  }
  return operands;
}

std::int64_t directions_of(RecurrentDirection direction) {
  return direction == RecurrentDirection::bidirectional ? 2 : 1;
}

void finish(NodeReader& node, const Op& op, const std::vector<Ref>& operands, std::size_t results) {
  const std::vector<Ref> made = node.add_all(op, operands);
  const bool batch_first = node.integer("layout", 0) != 0;
  for (std::size_t k = 0; k < results; ++k) {
    if (!node.wants(k)) continue;
    const std::vector<std::int64_t> batch_in_front =
        k == 0 ? std::vector<std::int64_t>{2, 0, 1, 3} : std::vector<std::int64_t>{1, 0, 2};
    node.out(k, batch_first ? node.add(ops::Transpose{batch_in_front}, {made[k]}) : made[k]);
  }
}

void rnn(NodeReader& node) {
  ops::Rnn op;
  const std::vector<Ref> operands = read_common(node, op);
  op.activation = activations_of(node, {op.activation}, directions_of(op.direction)).front();
  finish(node, op, operands, 2);
}

void gru(NodeReader& node) {
  ops::Gru op;
  const std::vector<Ref> operands = read_common(node, op);
  const auto functions = activations_of(node, {op.gate_activation, op.hidden_activation}, directions_of(op.direction));
  op.gate_activation = functions[0], op.hidden_activation = functions[1];
  op.linear_before_reset = node.integer("linear_before_reset", 0) != 0;
  finish(node, op, operands, 2);
}

void lstm(NodeReader& node) {
  ops::Lstm op;
  const std::vector<Ref> operands = read_common(node, op);
  const auto functions =
      activations_of(node, {op.gate_activation, op.cell_activation, op.hidden_activation}, directions_of(op.direction));
  op.gate_activation = functions[0], op.cell_activation = functions[1], op.hidden_activation = functions[2];
  op.input_forget = node.integer("input_forget", 0) != 0;
  finish(node, op, operands, 3);
}

}  // namespace

std::span<const Converter> recurrence_converters() {
  static constexpr Converter table[] = {{"GRU", gru}, {"LSTM", lstm}, {"RNN", rnn}};
  return table;
}

}  // namespace plumb::ir::from_onnx
