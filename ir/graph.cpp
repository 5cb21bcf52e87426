// Graphs: building with inferred types and unique names, text, structural hash, and verification.
#include "ir/graph.hpp"

#include <charconv>
#include <set>

#include "ir/raw/hash.hpp"

namespace plumb::ir {

Value Graph::source(std::vector<std::string>& names, std::string name, TensorType type) {
  require(nodes_.empty(), "source '", name, "' comes after a node");
  require(!name.empty(), "a source has no name");
  check_new_name(name);
  try {
    check_type(type);
  } catch (const Error& error) {
    fail("source '", name, "': ", error.what());
  }
  sources_.emplace(name, values_.size());
  names.push_back(std::move(name));
  values_.push_back({std::move(type), true});
  return values_.size() - 1;
}

Value Graph::input(std::string name, TensorType type) {
  require(params_.empty(), "input '", name, "' comes after a param");
  return source(inputs_, std::move(name), std::move(type));
}

Value Graph::param(std::string name, TensorType type) { return source(params_, std::move(name), std::move(type)); }

void Graph::check_new_name(std::string_view name) const {
  require(!sources_.contains(name) && !labels_.contains(name), "the name '", name, "' is used twice");
}

TensorTypes Graph::infer_types(const Op& op, const std::vector<Value>& inputs) const {
  TensorTypes in;
  for (const Value value : inputs) {
    require(defined(value), "reads value ", value, ", which does not exist yet");
    in.push_back(values_[value].type);
  }
  return infer(op, in);
}

std::vector<Value> Graph::add_all(std::string label, Op op, std::vector<Value> inputs) {
  std::vector<Value> outputs;
  const std::size_t first = values_.size();
  const auto count = [&] {
    try {
      return infer_types(op, inputs).size();
    } catch (const Error& error) {
      fail("node '", label, "' (", op.name(), "): ", error.what());
    }
  }();
  for (std::size_t k = 0; k < count; ++k) outputs.push_back(first + k);
  values_.resize(first + count);
  try {
    place(std::move(label), std::move(op), std::move(inputs), outputs);
  } catch (...) {
    values_.resize(first);
    throw;
  }
  return outputs;
}

Value Graph::add(std::string label, Op op, std::vector<Value> inputs) {
  const auto outputs = add_all(std::move(label), std::move(op), std::move(inputs));
  require(outputs.size() == 1, "add() is for ops with one output, this one has ", outputs.size());
  return outputs[0];
}

void Graph::place(std::string label, Op op, std::vector<Value> inputs, std::vector<Value> outputs) try {
  require(!label.empty(), "has no label");
  check_new_name(label);
  auto types = infer_types(op, inputs);
  require(types.size() == outputs.size(), "computes ", types.size(), " values, given ", outputs.size(), " numbers");
  for (std::size_t k = 0; k < outputs.size(); ++k)
    require(outputs[k] < values_.size() && !values_[outputs[k]].defined, "computes value ", outputs[k],
            ", which is not free");
  for (std::size_t k = 0; k < outputs.size(); ++k) values_[outputs[k]] = {std::move(types[k]), true, nodes_.size(), k};
  labels_.emplace(label, nodes_.size());
  nodes_.push_back({std::move(label), std::move(op), std::move(inputs), std::move(outputs)});
} catch (const Error& error) {
  fail("node '", label, "' (", op.name(), "): ", error.what());
}

void Graph::returns(Value value) {
  require(defined(value), "the graph returns value ", value, ", which does not exist");
  results_.push_back(value);
}

Graph Graph::sources(const std::function<TensorType(const TensorType&)>& map) const {
  Graph next;
  next.inputs_ = inputs_;
  next.params_ = params_;
  next.sources_ = sources_;
  next.values_.resize(values_.size());
  for (Value v = 0; is_source(v); ++v) next.values_[v] = {map(values_[v].type), true};
  return next;
}

Graph Graph::sources() const {
  return sources([](const TensorType& type) { return type; });
}

const TensorType& Graph::type(Value value) const {
  require(defined(value), "value ", value, " does not exist in this graph");
  return values_[value].type;
}

std::string Graph::name(Value value) const {
  require(defined(value), "value ", value, " does not exist in this graph");
  if (value < inputs_.size()) return inputs_[value];
  if (is_source(value)) return params_[value - inputs_.size()];
  const Slot& slot = values_[value];
  return slot.output == 0 ? nodes_[slot.node].label : cat(nodes_[slot.node].label, ':', slot.output);
}

std::optional<Value> Graph::find(std::string_view name) const {
  if (const auto source = sources_.find(name); source != sources_.end()) return source->second;
  if (const auto whole = labels_.find(name); whole != labels_.end()) return nodes_[whole->second].outputs.at(0);
  const auto colon = name.rfind(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const auto found = labels_.find(name.substr(0, colon));
  std::size_t output = 0;
  const auto* end = name.data() + name.size();
  const auto [stop, problem] = std::from_chars(name.data() + colon + 1, end, output);
  if (found == labels_.end() || problem != std::errc{} || stop != end) return std::nullopt;
  const auto& outputs = nodes_[found->second].outputs;
  return output < outputs.size() ? std::optional(outputs[output]) : std::nullopt;
}

std::string free_name(const Graph& graph, std::string name) {
  while (graph.find(name)) name += '\'';
  return name;
}

std::optional<std::size_t> Graph::producer(Value value) const {
  require(defined(value), "value ", value, " does not exist in this graph");
  return is_source(value) ? std::nullopt : std::optional(values_[value].node);
}

namespace {

/// Folds pieces of a graph into one number; every piece is length-prefixed.
class Hasher {
 public:
  void add(std::span<const std::byte> bytes) { state_ = raw::hash_bytes(bytes, state_ ^ bytes.size()); }
  void add(std::uint64_t number) { add(std::as_bytes(std::span(&number, 1))); }
  void add_text(std::string_view text) { add(std::as_bytes(std::span(text.data(), text.size()))); }
  void add(const TensorType& type) {
    add(static_cast<std::uint64_t>(type.dtype));
    add(std::as_bytes(std::span(type.shape.data(), type.shape.size())));
  }
  void add(const Attribute& attribute) {
    add(attribute.index());
    std::visit(
        [this]<class T>(const T& value) {
          if constexpr (requires { value.data(); })
            add(std::as_bytes(std::span(value.data(), value.size())));
          else
            add(std::as_bytes(std::span(&value, 1)));
        },
        attribute);
  }
  std::uint64_t value() const { return state_; }

 private:
  std::uint64_t state_ = 0;
};

}  // namespace

std::uint64_t structural_hash(const Graph& graph) {
  Hasher hasher;
  std::vector<std::uint64_t> order(graph.value_count(), 0);  // numbers by appearance, so that gaps do not matter
  std::uint64_t next = 0;
  hasher.add(graph.inputs().size());
  hasher.add(graph.params().size());
  for (Value v = 0; graph.is_source(v); ++v) {
    hasher.add(graph.type(v));
    order[v] = next++;
  }
  for (const Node& node : graph.nodes()) {
    hasher.add_text(node.op.name());
    for (const auto& [name, attribute] : node.op.attributes()) {
      hasher.add_text(name);
      hasher.add(attribute);
    }
    hasher.add(node.inputs.size());
    for (const Value v : node.inputs) hasher.add(order[v]);
    for (const Value v : node.outputs) {
      hasher.add(graph.type(v));
      order[v] = next++;
    }
  }
  for (const Value v : graph.results()) hasher.add(order[v]);
  return hasher.value();
}

namespace {

void print(std::ostream& out, const Attribute& attribute) {
  std::visit(
      [&]<class T>(const T& value) {
        if constexpr (std::is_same_v<T, bool>)
          out << (value ? "true" : "false");
        else if constexpr (std::is_same_v<T, Bytes>)
          out << '<' << value.size() << " bytes>";
        else if constexpr (requires { value.size(); } && !std::is_same_v<T, std::string>) {
          out << '[';
          for (std::size_t i = 0; i < value.size(); ++i) out << (i != 0 ? ", " : "") << value[i];
          out << ']';
        } else {
          out << value;
        }
      },
      attribute);
}

}  // namespace

std::string to_text(const Graph& graph) {
  std::ostringstream out;
  out.imbue(std::locale::classic());
  for (Value v = 0; graph.is_source(v); ++v)
    out << (v < graph.inputs().size() ? "input " : "param ") << graph.name(v) << ": " << graph.type(v) << '\n';
  for (const Node& node : graph.nodes()) {
    for (std::size_t k = 0; k < node.outputs.size(); ++k)
      out << (k != 0 ? ", " : "") << graph.name(node.outputs[k]) << ": " << graph.type(node.outputs[k]);
    out << " = " << node.op.name() << '(';
    for (std::size_t i = 0; i < node.inputs.size(); ++i) out << (i != 0 ? ", " : "") << graph.name(node.inputs[i]);
    out << ')';
    const Attributes defaults = node.op.schema().defaults().attributes();
    for (const auto& [name, attribute] : node.op.attributes()) {
      const auto usual = defaults.find(name);
      if (usual != defaults.end() && usual->second == attribute) continue;
      out << ' ' << name << '=';
      print(out, attribute);
    }
    out << '\n';
  }
  out << "return";
  for (const Value v : graph.results()) out << ' ' << graph.name(v);
  out << '\n';
  return std::move(out).str();
}

namespace {

/// The state of verify while it walks the nodes in order.
struct Walk {
  const Graph& graph;
  std::vector<bool> ready;
  std::set<std::string, std::less<>> names;
  std::vector<std::string> errors = {};

  template <class... Parts>
  void expect(bool holds, const Parts&... parts) {
    if (!holds) errors.push_back(cat(parts...));
  }
};

void check_node(Walk& walk, const Node& node) {
  const auto where = cat("node '", node.label, "' (", node.op.name(), "): ");
  walk.expect(walk.names.insert(node.label).second, where, "its name is used twice");
  TensorTypes in;
  for (const Value v : node.inputs) {
    if (v < walk.ready.size() && walk.ready[v])
      in.push_back(walk.graph.type(v));
    else
      walk.expect(false, where, "reads value ", v, ", which is not computed before it");
  }
  for (const Value v : node.outputs) {
    const bool is_free = v < walk.ready.size() && !walk.ready[v];
    walk.expect(is_free, where, "computes value ", v, ", which is not free");
    if (is_free) walk.ready[v] = true;
  }
  if (in.size() != node.inputs.size()) return;
  try {
    const auto out = infer(node.op, in);
    walk.expect(out.size() == node.outputs.size(), where, "computes ", out.size(), " values, has ",
                node.outputs.size());
    for (std::size_t k = 0; k < std::min(out.size(), node.outputs.size()); ++k)
      walk.expect(out[k] == walk.graph.type(node.outputs[k]), where, "output ", k, " is ",
                  walk.graph.type(node.outputs[k]), ", inferred ", out[k]);
  } catch (const Error& error) {
    walk.errors.push_back(cat(where, error.what()));
  }
}

}  // namespace

std::vector<std::string> verify(const Graph& graph) {
  Walk walk{graph, std::vector<bool>(graph.value_count(), false), {}};
  for (Value v = 0; graph.is_source(v); ++v) {
    walk.expect(walk.names.insert(graph.name(v)).second, "source '", graph.name(v), "': its name is used twice");
    walk.ready[v] = true;
    try {
      check_type(graph.type(v));
    } catch (const Error& error) {
      walk.errors.push_back(cat("source '", graph.name(v), "': ", error.what()));
    }
  }
  for (const Node& node : graph.nodes()) check_node(walk, node);
  for (const Value v : graph.results())
    walk.expect(v < walk.ready.size() && walk.ready[v], "the graph returns value ", v, ", which no node computes");
  return walk.errors;
}

void require_valid(const Graph& graph) {
  const auto errors = verify(graph);
  if (errors.empty()) return;
  std::string all = errors[0];
  for (std::size_t i = 1; i < errors.size(); ++i) all += "\n" + errors[i];
  throw Error(all);
}

}  // namespace plumb::ir
