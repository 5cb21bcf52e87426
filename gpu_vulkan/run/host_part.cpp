#include "gpu_vulkan/run/host_part.hpp"

#include <algorithm>
#include <set>

#include "ir/ops/constant.hpp"
#include "ir/raw/copy_bytes.hpp"

namespace plumb::gpu_vulkan::run {
namespace {

/// The values that the nodes read and do not compute, by how the part gets them.
struct Operands {
  std::set<ir::Value> inputs, params, constants;
};

Operands operands(const ir::Graph& graph, const std::vector<std::size_t>& nodes) {
  Operands found;
  std::set<ir::Value> computed;
  for (const std::size_t n : nodes) {
    const ir::Node& node = graph.nodes()[n];
    for (const ir::Value v : node.inputs) {
      if (computed.contains(v)) continue;
      const auto producer = graph.producer(v);
      if (producer && graph.nodes()[*producer].op.is<ir::ops::Constant>())
        found.constants.insert(v);
      else if (graph.is_source(v) && v >= graph.inputs().size())
        found.params.insert(v);
      else
        found.inputs.insert(v);
    }
    computed.insert(node.outputs.begin(), node.outputs.end());
  }
  return found;
}

}  // namespace

HostPart::HostPart(const ir::Graph& graph, std::vector<std::size_t> nodes, const std::vector<bool>& visible,
                   const ir::Feeds& params, ir::Executor& host)
    : nodes_(std::move(nodes)) {
  ir::Graph part;
  std::map<ir::Value, ir::Value> inside;  // value of the whole graph to value of the part
  const auto [inputs, used_params, constants] = operands(graph, nodes_);
  for (const ir::Value v : inputs) {
    inside[v] = part.input(graph.name(v), graph.type(v));
    inputs_.push_back({v, &feeds_.emplace(graph.name(v), ir::Tensor(graph.type(v))).first->second});
  }
  for (const ir::Value v : used_params) inside[v] = part.param(graph.name(v), graph.type(v));
  const auto add = [&](const ir::Node& node) {
    std::vector<ir::Value> from;
    for (const ir::Value v : node.inputs) from.push_back(inside.at(v));
    const auto to = part.add_all(node.label, node.op, std::move(from));
    for (std::size_t k = 0; k < to.size(); ++k) inside[node.outputs[k]] = to[k];
  };
  for (const ir::Value v : constants) add(graph.nodes()[*graph.producer(v)]);
  constants_ = constants.size();
  ir::Capture capture;
  for (const std::size_t n : nodes_) {
    add(graph.nodes()[n]);
    for (const ir::Value v : graph.nodes()[n].outputs)
      if (visible[v]) {
        results_.emplace(inside.at(v), v);
        made_.emplace(inside.at(v), ir::Tensor(graph.type(v)));
        capture.wanted.push_back(inside.at(v));
      }
  }
  executable_ = host.compile(part, params, capture);
}

void HostPart::run(OnHost& values) {
  for (const Operand& input : inputs_)
    if (const ir::Tensor* const found = values.find(input.value))
      ir::raw::copy_bytes(found->bytes(), input.tensor->bytes());
  executable_->run_into(feeds_, made_);
  for (const auto& [here, there] : results_) {
    const ir::Tensor& made = made_.at(here);
    values.put(there, made.type(), made.bytes());
  }
}

ir::Tensors& OnHost::of(ir::Value value) const {
  return std::ranges::binary_search(wanted_, value) ? results_ : others_;
}

const ir::Tensor* OnHost::find(ir::Value value) const {
  const auto& all = of(value);
  const auto found = all.find(value);
  return found == all.end() ? nullptr : &found->second;
}

void OnHost::put(ir::Value value, const ir::TensorType& type, std::span<const std::byte> bytes) {
  ir::Tensor& tensor = of(value)[value];
  if (tensor.type() != type) tensor = ir::Tensor(type);
  ir::raw::copy_bytes(bytes, tensor.bytes());
}

std::uint64_t HostPart::bytes() const {
  std::uint64_t bytes = executable_->bytes();
  for (const auto& [name, tensor] : feeds_) bytes += tensor.bytes().size();
  for (const auto& [value, tensor] : made_) bytes += tensor.bytes().size();
  return bytes;
}

std::vector<ir::NodeReport> HostPart::reports() const {
  auto reports = executable_->nodes();
  reports.erase(reports.begin(), reports.begin() + static_cast<std::ptrdiff_t>(constants_));
  return reports;
}

}  // namespace plumb::gpu_vulkan::run
