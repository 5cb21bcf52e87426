#pragma once

#include <functional>
#include <optional>
#include <set>

#include "gpu_vulkan/device/device_facts.hpp"
#include "gpu_vulkan/region/compile.hpp"
#include "ir/executor.hpp"
#include "ir/ops/binary.hpp"
#include "ir/ops/unary.hpp"

namespace plumb::gpu_vulkan::passes {

/// The inputs of a pass, in addition to the graph.
struct PassSetting {
  std::vector<ir::Value> wanted;  ///< these must survive
  const ir::Feeds& params;        ///< those whose values are known
  const device::DeviceFacts& facts;
  bool surviving = false;  ///< all that survives is wanted too, so that passes may keep it at little cost
  region::RegionSetting regions = {};
};

using Nodes = std::set<std::size_t>;

/// A graph as passes look for patterns in it.
class PatternGraph {
 public:
  PatternGraph(const ir::Graph& graph, const PassSetting& setting);

  const ir::Graph& graph() const { return graph_; }
  const ir::TensorType& type(ir::Value v) const { return graph_.type(v); }

  /// The op that computes v as its first result, if it is a T.
  template <class T>
  const T* op(ir::Value v) const {
    const auto n = graph_.producer(v);
    return n && graph_.nodes()[*n].op.is<T>() && graph_.nodes()[*n].outputs[0] == v ? &graph_.nodes()[*n].op.as<T>()
                                                                                    : nullptr;
  }
  bool is(ir::Value v, ir::ops::UnaryFunction function) const;
  bool is(ir::Value v, ir::ops::BinaryFunction function) const;

  std::size_t producer(ir::Value v) const { return *graph_.producer(v); }
  ir::Value operand(ir::Value v, std::size_t i) const { return graph_.nodes()[producer(v)].inputs.at(i); }

  /// How often nodes read v, and the only node that does, if it is one.
  std::size_t uses(ir::Value v) const { return users_.at(v).size(); }
  std::optional<std::size_t> only_user(ir::Value v) const;

  /// The numbers of a constant, or of a param whose value is known, cast or not, in f64.
  std::optional<ir::Tensor> known(ir::Value v) const;
  /// The one number of such a value.
  std::optional<double> scalar(ir::Value v) const;
  /// Whether v is this number, as near as its dtype holds it.
  bool is_number(ir::Value v, double number) const;

  /// Whether nobody but these nodes reads what node n computes.
  bool is_inner(std::size_t n, const Nodes& nodes) const;
  /// Whether nobody but these nodes reads what they compute, save the results of `last`.
  bool is_closed(const Nodes& nodes, std::size_t last) const;

  /// Whether the device runs the op on these types natively.
  bool serves(const ir::Op& op, const ir::TensorTypes& types) const;

 private:
  const ir::Graph& graph_;
  const PassSetting& setting_;
  std::vector<std::vector<std::size_t>> users_;  ///< by value, one entry an operand
  std::vector<bool> wanted_;
};

/// Whether two numbers are the same but for a rounding or two to what values of the dtype are computed in.
/// A constant that was itself rounded to 16 bits is another number: what is made of it differs by more than an
/// honest evaluation does.
bool is_near(double a, double b, ir::DType dtype);

/// A product of numbers and values, taken apart: v = number · Π factors. Inner products
/// that only this one reads are taken apart too.
struct Factors {
  double number = 1;
  std::vector<ir::Value> values;
  Nodes nodes;
};
Factors factors_of(const PatternGraph& graph, ir::Value v);

/// Nodes that become others: what the last of them computes is placed anew.
struct Replacement {
  Nodes nodes;
  std::size_t last = 0;
  /// Adds what computes the outputs of `last`, the very last node under its label.
  std::function<void(ir::Graph& next, const ir::Node& last)> place;
};

/// `name`, or with primes behind it, so that no value of either graph is called so.
std::string new_name(const ir::Graph& given, const ir::Graph& next, std::string name);

/// Has a graph that was made of `given` return what that does. Throws Error, naming the node, where a result is not
/// computed any more.
void return_results(const ir::Graph& given, ir::Graph& next);

/// The replacement of a pattern that ends in node n of the graph; nothing where none does.
using Match = std::function<std::optional<Replacement>(const PatternGraph& graph, std::size_t n)>;

/// The graph with every match replaced, in order; one that meets nodes of an earlier one is left out.
ir::Graph replaced(const ir::Graph& graph, const PassSetting& setting, const Match& match);

}  // namespace plumb::gpu_vulkan::passes
