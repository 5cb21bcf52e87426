#pragma once

#include <functional>
#include <string>
#include <vector>

#include "ir/op.hpp"

namespace plumb::ir {

/// A tensor of the graph: an index that means the same tensor in every graph
/// that passes make from this one.
using Value = std::size_t;

/// One op applied to values. It computes outputs.size() values.
struct Node {
  std::string label;
  Op op;
  std::vector<Value> inputs, outputs;
};

/// A pure dataflow graph in single-assignment form: a table of values, and the
/// nodes that compute them in an order in which every input precedes its user.
/// Values 0..n-1 are the inputs, fed on every run; then come the params, set
/// once. It can only be built valid: adding a node infers its types, and names
/// the node when it refuses.
class Graph {
 public:
  /// A tensor the caller feeds by name on every run.
  Value input(std::string name, TensorType type);

  /// A tensor the caller sets once by name, when the graph is compiled. Params
  /// come after the inputs and before the nodes.
  Value param(std::string name, TensorType type);

  /// Applies an op; its results get new numbers. Throws Error.
  std::vector<Value> add_all(std::string label, Op op, std::vector<Value> inputs);

  /// add_all for an op with one output.
  Value add(std::string label, Op op, std::vector<Value> inputs);

  /// Marks a value as a result of the graph, in order.
  void returns(Value value);

  /// For passes: the same inputs, params and value numbers with types mapped by
  /// `map`, but no nodes and no results yet. Results of nodes placed here keep their
  /// numbers, new ones are numbered after them.
  Graph sources(const std::function<TensorType(const TensorType&)>& map) const;
  Graph sources() const;

  /// add_all with the numbers of the results given: numbers of the graph that
  /// this one was made from, not computed here yet.
  void place(std::string label, Op op, std::vector<Value> inputs, std::vector<Value> outputs);

  const std::vector<std::string>& inputs() const { return inputs_; }
  const std::vector<std::string>& params() const { return params_; }
  const std::vector<Node>& nodes() const { return nodes_; }
  const std::vector<Value>& results() const { return results_; }

  /// One more than the largest value number in use.
  std::size_t value_count() const { return values_.size(); }
  /// Whether a value has a type here: it is a source, or a node computes it.
  bool defined(Value value) const { return value < values_.size() && values_[value].defined; }
  const TensorType& type(Value value) const;
  bool is_source(Value value) const { return value < inputs_.size() + params_.size(); }

  /// "x" for a source, "label" for the first result of a node, "label:k" for the others.
  std::string name(Value value) const;
  /// The value with that name, if there is one.
  std::optional<Value> find(std::string_view name) const;
  /// The node that computes a value; nothing for a source.
  std::optional<std::size_t> producer(Value value) const;

 private:
  struct Slot {
    TensorType type;
    bool defined = false;
    std::size_t node = 0;    ///< computes the value; for a defined value that is not a source
    std::size_t output = 0;  ///< which of that node's results
  };

  Value source(std::vector<std::string>& names, std::string name, TensorType type);
  void check_new_name(std::string_view name) const;
  TensorTypes infer_types(const Op& op, const std::vector<Value>& inputs) const;

  std::vector<Slot> values_;
  std::vector<std::string> inputs_, params_;
  std::map<std::string, Value, std::less<>> sources_;       ///< input or param by name
  std::map<std::string, std::size_t, std::less<>> labels_;  ///< node by label
  std::vector<Node> nodes_;
  std::vector<Value> results_;
};

/// `name`, with primes behind it until no value of the graph is called so: for nodes that
/// passes add.
std::string free_name(const Graph& graph, std::string name);

/// Checks everything a graph promises: single assignment, order, inferred
/// types, unique names, defined results. Returns every violation it finds, each
/// naming the node; empty when the graph is valid.
std::vector<std::string> verify(const Graph& graph);

/// Throws Error with all of verify's findings, one a line, if there are any.
void require_valid(const Graph& graph);

/// One line a value and node, for people.
std::string to_text(const Graph& graph);

/// A hash of what the graph computes: types, ops, attributes, edges and results,
/// not names. Equal for graphs that differ only in value numbers or labels.
std::uint64_t structural_hash(const Graph& graph);

}  // namespace plumb::ir
