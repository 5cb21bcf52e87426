// If, Loop and Scan become what they do: a branch, or iterations one after the other.

#include <algorithm>

#include "ir/formats/onnx/node_reader.hpp"
#include "ir/ops/concat.hpp"
#include "ir/ops/reshape.hpp"
#include "ir/ops/slice.hpp"
#include "ir/ops/where.hpp"

namespace plumb::ir::from_onnx {
namespace {

constexpr std::int64_t most_iterations = 10'000;

/// The scan outputs: one part an iteration, joined along a new axis.
class Stacks {
 public:
  explicit Stacks(std::size_t count) : parts_(count) {}

  void push(NodeReader& node, std::size_t k, Ref part, std::int64_t axis) {
    Shape with_axis = node.shape(part);
    const auto rank = with_axis.rank() + 1;
    const auto at = axis < 0 ? axis + rank : axis;
    require(0 <= at && at < rank, "scan output axis ", axis, " is outside rank ", rank);
    with_axis.insert(with_axis.begin() + at, 1);
    parts_[k].push_back(node.reshape(part, with_axis));
  }
  Ref joined(NodeReader& node, std::size_t k, std::int64_t axis) const {
    return parts_[k].size() == 1 ? parts_[k][0] : node.add(ops::Concat{axis}, parts_[k]);
  }
  bool empty(std::size_t k) const { return parts_[k].empty(); }
  void reverse(std::size_t k) { std::ranges::reverse(parts_[k]); }

 private:
  std::vector<std::vector<Ref>> parts_;
};

/// The type of a body's output where the body says all of it.
std::optional<TensorType> declared_type(const ::onnx::ValueInfoProto& output) {
  const auto& type = output.type().tensor_type();
  if (!type.has_shape()) return std::nullopt;
  TensorType declared{dtype_of(type.elem_type()), {}};
  for (const auto& dimension : type.shape().dim()) {
    if (!dimension.has_dim_value()) return std::nullopt;
    declared.shape.push_back(dimension.dim_value());
  }
  return declared;
}

/// A scan output of no iteration, of which one would have made a tensor of that type.
Ref nothing(NodeReader& node, TensorType type, std::int64_t axis) {
  const auto rank = type.shape.rank() + 1, at = axis < 0 ? axis + rank : axis;
  require(0 <= at && at < rank, "scan output axis ", axis, " is outside rank ", rank);
  type.shape.insert(type.shape.begin() + at, 0);
  check_type(type);
  return node.constant(Tensor(type));
}

/// The results of a branch that may be taken. Its errors are reported, with a hint that a known condition could leave
/// the branch out.
std::vector<Ref> either_branch(NodeReader& node, const ::onnx::GraphProto& graph, const std::string& suffix) {
  const std::size_t before = node.findings();
  try {
    return node.branch(graph, suffix);
  } catch (ToldAlready& told) {
    const std::string hint = node.what_would_settle(node.in(0));
    if (!hint.empty() && node.findings() != before)  // else it is not the branch that is wrong
      told.message = cat("its ", suffix.substr(1), " branch is not read, and may be taken", hint);
    throw;
  }
}

void branch(NodeReader& node) {
  const auto& then_graph = node.graph("then_branch");
  const auto& else_graph = node.graph("else_branch");
  if (const Tensor* condition = node.value(node.in(0))) {
    require(condition->dtype() == DType::boolean && condition->elements() == 1, "the condition must be one bool, got ",
            condition->type());
    const auto results = node.branch(condition->as<bool>()[0] ? then_graph : else_graph, "");
    for (std::size_t k = 0; k < results.size(); ++k) node.out(k, results[k]);
    return;
  }
  // Branches have no effects: both are computed, and one is chosen.
  const auto yes = either_branch(node, then_graph, "/then"), no = either_branch(node, else_graph, "/else");
  require(yes.size() == no.size(), "its branches return ", yes.size(), " and ", no.size(), " tensors");
  const Ref condition = node.reshape(node.in(0), {});
  for (std::size_t k = 0; k < yes.size(); ++k) {
    if (node.type(yes[k]) != node.type(no[k]))
      NodeReader::unsupported("its branches return ", node.type(yes[k]), " and ", node.type(no[k]),
                              ", and which is taken is not known when the model is read",
                              node.what_would_settle(node.in(0)));
    node.out(k, node.add(ops::Where{}, {condition, yes[k], no[k]}));
  }
}

bool is_true(NodeReader& node, Ref condition) {
  const Tensor* known = node.value(condition);
  if (known == nullptr)
    NodeReader::unsupported("how often it runs depends on values, and graphs are static",
                            node.what_would_settle(condition));
  require(known->dtype() == DType::boolean && known->elements() == 1, "a condition must be one bool, got ",
          known->type());
  return known->as<bool>()[0];
}

void loop(NodeReader& node) {
  const auto& body = node.graph("body");
  require(node.inputs() >= 2, "has ", node.inputs(), " inputs, at least 2 are wanted");
  const auto carried_count = node.inputs() - 2;
  const auto limit = node.has(0) ? node.known_ints(0, "the trip count").at(0) : most_iterations + 1;
  Ref condition = node.has(1) ? node.in(1) : node.scalar(DType::boolean, 1);
  require(static_cast<std::size_t>(body.output_size()) >= carried_count + 1, "its body returns ", body.output_size(),
          " tensors, ", carried_count, " are carried");
  std::vector<Ref> carried;
  for (std::size_t i = 0; i < carried_count; ++i) carried.push_back(node.in(i + 2));
  const auto stacked = static_cast<std::size_t>(body.output_size()) - carried_count - 1;
  Stacks stacks(stacked);
  const auto iteration = [&](std::int64_t t) {
    std::vector<Ref> operands = {node.constant(Tensor::of<std::int64_t>({}, {t})), condition};
    operands.insert(operands.end(), carried.begin(), carried.end());
    return node.subgraph(body, operands, cat('/', t));
  };
  for (std::int64_t t = 0; t < limit && is_true(node, condition); ++t) {
    if (t >= most_iterations) NodeReader::unsupported("runs more than ", most_iterations, " times");
    const auto results = iteration(t);
    condition = results[0];
    carried.assign(results.begin() + 1, results.begin() + 1 + static_cast<std::ptrdiff_t>(carried_count));
    for (std::size_t k = 0; k < stacked; ++k) stacks.push(node, k, results[1 + carried_count + k], 0);
  }
  for (std::size_t i = 0; i < carried_count; ++i) node.out(i, carried[i]);
  for (std::size_t k = 0; k < stacked; ++k) {
    if (!node.wants(carried_count + k)) continue;
    if (!stacks.empty(k)) {
      node.out(carried_count + k, stacks.joined(node, k, 0));
      continue;
    }
    auto type = declared_type(body.output(static_cast<int>(1 + carried_count + k)));
    if (!type) type = node.type(iteration(0).at(1 + carried_count + k));  // read for its types alone
    node.out(carried_count + k, nothing(node, *type, 0));
  }
}

/// Element t along an axis, without the axis.
Ref element(NodeReader& node, Ref x, std::int64_t axis, std::int64_t t) {
  Shape without = node.shape(x);
  const auto at = without.axis(axis);
  without.erase(without.begin() + static_cast<std::ptrdiff_t>(at));
  const ops::Slice cut{.axes = {static_cast<std::int64_t>(at)}, .starts = {t}, .sizes = {1}, .steps = {}};
  return node.reshape(node.add(cut, {x}), without);
}

/// Attribute lists of Scan: one entry for each scanned tensor, all 0 when left out.
std::vector<std::int64_t> entries(NodeReader& node, std::string_view name, std::size_t count) {
  const auto values = node.ints(name).value_or(std::vector<std::int64_t>(count, 0));
  require(values.size() == count, "attribute '", name, "' has ", values.size(), " entries, wanted ", count);
  return values;
}

void scan(NodeReader& node) {
  if (node.opset() < 9) NodeReader::unsupported("scans batches, as opset 8 did");
  const auto& body = node.graph("body");
  const auto scanned = static_cast<std::size_t>(node.integer("num_scan_inputs"));
  require(1 <= scanned && scanned <= node.inputs(), "num_scan_inputs is ", scanned, " of ", node.inputs(), " inputs");
  const auto state_count = node.inputs() - scanned;
  require(static_cast<std::size_t>(body.output_size()) >= state_count, "its body returns ", body.output_size(),
          " tensors, ", state_count, " are states");
  const auto stacked = static_cast<std::size_t>(body.output_size()) - state_count;
  const auto in_axes = entries(node, "scan_input_axes", scanned), out_axes = entries(node, "scan_output_axes", stacked);
  const auto in_backward = entries(node, "scan_input_directions", scanned),
             out_backward = entries(node, "scan_output_directions", stacked);
  const auto length_of = [&](std::size_t i) {
    const Shape& x = node.shape(node.in(state_count + i));
    return x[x.axis(in_axes[i])];
  };
  const auto length = length_of(0);
  for (std::size_t i = 0; i < scanned; ++i)
    require(length_of(i) == length, "scans ", length, " and ", length_of(i), " elements");
  if (length > most_iterations) NodeReader::unsupported("runs more than ", most_iterations, " times");
  std::vector<Ref> state;
  for (std::size_t i = 0; i < state_count; ++i) state.push_back(node.in(i));
  Stacks stacks(stacked);
  for (std::int64_t t = 0; t < length; ++t) {
    std::vector<Ref> operands = state;
    for (std::size_t i = 0; i < scanned; ++i)
      operands.push_back(element(node, node.in(state_count + i), in_axes[i], in_backward[i] != 0 ? length - 1 - t : t));
    const auto results = node.subgraph(body, operands, cat('/', t));
    state.assign(results.begin(), results.begin() + static_cast<std::ptrdiff_t>(state_count));
    for (std::size_t k = 0; k < stacked; ++k) stacks.push(node, k, results[state_count + k], out_axes[k]);
  }
  for (std::size_t i = 0; i < state_count; ++i) node.out(i, state[i]);
  for (std::size_t k = 0; k < stacked; ++k) {
    if (out_backward[k] != 0) stacks.reverse(k);
    if (!node.wants(state_count + k)) continue;
    if (!stacks.empty(k)) {
      node.out(state_count + k, stacks.joined(node, k, out_axes[k]));
      continue;
    }
    const auto type = declared_type(body.output(static_cast<int>(state_count + k)));
    if (!type) NodeReader::unsupported("scans nothing, and its body leaves the shape of a scan output open");
    node.out(state_count + k, nothing(node, *type, out_axes[k]));
  }
}

}  // namespace

std::span<const Converter> control_flow_converters() {
  static constexpr Converter table[] = {{"If", branch}, {"Loop", loop}, {"Scan", scan}};
  return table;
}

}  // namespace plumb::ir::from_onnx
