// How nodes that are judged side by side share out memory and threads.
#include "parity/verify/shares.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "ir/cost.hpp"
#include "ir/ops/attention.hpp"
#include "ir/passes/widen.hpp"
#include "ir/raw/threads.hpp"
#include "parity/bounds/error_model.hpp"

namespace plumb::parity::verify {
namespace {

/// Operations of a product in whose time an element is read and widened, and one is made, compared and looked at.
constexpr double flops_a_read = 50, flops_a_result = 300;
/// A node is judged by itself in about three times the time in which it is evaluated, and what costs the same whatever
/// its size.
constexpr double times_evaluated = 3, flops_a_node = 1e7;
constexpr double least_waiting = 0x1p28, most_waiting = 0x1p32;

double elements_of(const ir::TensorType& type) { return static_cast<double>(type.shape.elements()); }

/// The scores of an attention, which its limits are made from; of other nodes what they compute.
double bounded_elements(const ir::Graph& graph, const ir::Node& node) {
  double elements = 0;
  for (const ir::Value v : node.outputs) elements += elements_of(graph.type(v));
  if (!node.op.is<ir::ops::Attention>()) return elements;
  const auto shape = [&](std::size_t i) -> const ir::Shape& { return graph.type(node.inputs[i]).shape; };
  const auto n = node.op.as<ir::ops::Attention>().extents(shape(0), shape(1), shape(2));
  const auto scores = static_cast<double>(n.B) * static_cast<double>(n.Hq) * static_cast<double>(n.Sq);
  return elements + scores * static_cast<double>(n.Sk);
}

}  // namespace

double bytes_of(const ir::TensorType& type) {
  return elements_of(type) * static_cast<double>(ir::info(type.dtype).bytes);
}

double wide_bytes(const ir::TensorType& type) { return bytes_of({ir::passes::wider(type.dtype), type.shape}); }

std::vector<double> truths_held(const ir::Graph& graph) {
  std::map<ir::Value, std::size_t> last_reader;
  for (std::size_t n = 0; n < graph.nodes().size(); ++n)
    for (const ir::Value v : graph.nodes()[n].inputs) last_reader[v] = n;
  std::vector<double> by_node;
  double held = 0;
  for (std::size_t n = 0; n < graph.nodes().size(); ++n) {
    const ir::Node& node = graph.nodes()[n];
    for (const ir::Value v : node.outputs) held += wide_bytes(graph.type(v));
    by_node.push_back(held);
    const std::set<ir::Value> read(node.inputs.begin(), node.inputs.end());
    for (const ir::Value v : read)
      if (last_reader[v] == n && !graph.is_source(v)) held -= wide_bytes(graph.type(v));
    for (const ir::Value v : node.outputs)
      if (!last_reader.contains(v)) held -= wide_bytes(graph.type(v));
  }
  return by_node;
}

double bytes_of_values(const ir::Graph& graph) {
  double values = 0;
  for (ir::Value v = 0; v < graph.value_count(); ++v)
    if (graph.defined(v)) values += bytes_of(graph.type(v));
  return values;
}

double limit_bytes(const ir::Graph& graph, const ir::Node& node) {
  constexpr double of_elements = 10, of_operands = 2;
  double bytes = 0;
  for (const ir::Value v : node.inputs)  // integers are looked at where they lie
    if (!ir::is_integer(graph.type(v).dtype)) bytes += of_operands * wide_bytes(graph.type(v));
  const bool is_formula = !bounds::is_modelled_by_class(node.op.error_class());
  return is_formula ? bytes + of_elements * sizeof(double) * bounded_elements(graph, node) : 0;
}

double judging_bytes(const ir::Graph& graph, const ir::Node& node) {
  double bytes = limit_bytes(graph, node);
  for (const auto* const values : {&node.inputs, &node.outputs})
    for (const ir::Value v : *values) bytes += wide_bytes(graph.type(v));
  return bytes;
}

double waiting_bytes(const ir::Graph& graph) {
  double all = 0;
  for (const ir::Node& node : graph.nodes()) all += judging_bytes(graph, node);
  return std::min(all, std::clamp(2 * bytes_of_values(graph), least_waiting, most_waiting));
}

Shares::Shares(const ir::Graph& graph, const std::function<const core::Segment&(std::size_t node)>& segment,
               std::optional<double> most_bytes)
    : allowed_(ir::raw::allowed_threads()),
      most_bytes_(std::min(waiting_bytes(graph), most_bytes.value_or(std::numeric_limits<double>::infinity()))) {
  for (std::size_t n = 0; n < graph.nodes().size(); ++n) {
    const ir::Graph& own = segment(n).graph;
    double work = 0, bytes = 0;
    for (ir::Value v = 0; v < own.inputs().size(); ++v) work += flops_a_read * elements_of(own.type(v));
    for (const ir::Node& node : own.nodes()) {
      const double flops = ir::cost_of(own, node).flops;
      bytes += judging_bytes(own, node);
      work += flops;
      truth_work_ += flops;
      for (const ir::Value v : node.outputs) work += flops_a_result * elements_of(own.type(v));
    }
    bytes_.push_back(bytes);
    work_.push_back(work);
    all_work_ += work;
  }
}

int Shares::threads(std::size_t node) const {
  const double of_work = all_work_ > 0 ? work_[node] / all_work_ : 1;
  const double of_memory = most_bytes_ > 0 ? std::min(bytes_[node] / most_bytes_, 1.0) : 1;
  const double threads = allowed_ * std::max(of_work, of_memory);
  return std::clamp(static_cast<int>(std::lround(threads)), 1, allowed_);
}

int Shares::carrying() const {
  const double by_themselves = times_evaluated * truth_work_ + flops_a_node * static_cast<double>(work_.size());
  const double share = by_themselves > 0 ? truth_work_ / (truth_work_ + by_themselves) : 0;
  return std::clamp(static_cast<int>(std::lround(share * allowed_)), 1, allowed_);
}

}  // namespace plumb::parity::verify
