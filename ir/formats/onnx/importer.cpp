// Reads an ONNX model node by node in scopes of names, and collects every finding before it gives up.
#include "ir/formats/onnx/importer.hpp"

#include <algorithm>

#include "ir/adversarial/use.hpp"
#include "ir/formats/onnx/names.hpp"
#include "ir/formats/onnx/registered.hpp"
#include "ir/formats/onnx/type_rules.hpp"
#include "ir/formats/onnx/unknown_fields.hpp"

namespace plumb::ir::from_onnx {
namespace {

constexpr std::size_t most_findings = 500, deepest = 32;

std::string opset_text(const ::onnx::NodeProto& node, const Scope& scope) {
  const auto opset = scope.opsets.find(domain_of(node.domain()));
  const auto domain = node.domain().empty() ? "" : clean(node.domain()) + ".";
  return cat(domain, clean(node.op_type()), ", opset ", opset == scope.opsets.end() ? 0 : opset->second);
}

std::string where(const ::onnx::NodeProto& node, const Scope& scope) {
  if (!node.name().empty())
    return cat("node '", clean(scope.prefix + node.name()), "' (", opset_text(node, scope), "): ");
  for (const std::string& name : node.output())
    if (!name.empty()) return cat("the node of '", clean(scope.prefix + name), "' (", opset_text(node, scope), "): ");
  return cat("a node (", opset_text(node, scope), "): ");
}

/// Whether a tensor of this shape is what a file declares, as far as it does: no extents at all may be those of a
/// scalar, or unknown ones.
bool may_be(const ::onnx::TypeProto& type, const Shape& shape) {
  const auto& dimensions = type.tensor_type().shape().dim();
  if (dimensions.empty()) return true;
  return std::ranges::equal(dimensions, shape, [](const auto& declared, std::int64_t extent) {
    return !declared.has_dim_value() || declared.dim_value() == extent;
  });
}

/// Has indices made in range where no numbers are given, and the usual ones would leave it: of an embedding of two
/// rows.
void bound_indices(formats::GraphFile& file) {
  for (Value v = 0; v < file.graph.inputs().size(); ++v) {
    const DType dtype = file.graph.type(v).dtype;
    const adversarial::Use use = adversarial::use_of(file.graph, v);
    Fill fill = default_fill(dtype);
    const auto low = static_cast<double>(use.low), high = static_cast<double>(use.high);
    const bool is_index = is_integer(dtype) && use.role == Role::index && low < high;
    if (!is_index || (low <= fill.low && fill.high <= high)) continue;
    fill.low = std::min(std::max(low, 0.0), high - 1);
    fill.high = high;
    file.sources.try_emplace(file.graph.name(v), formats::Generated{fill});
  }
}

}  // namespace

Importer::Importer(const ::onnx::ModelProto& model, const Unread& unread, const std::filesystem::path& directory,
                   const formats::OnnxOptions& options, const Checker& checker)
    : model_(model),
      unread_(unread),
      options_(options),
      checker_(checker),
      extents_(model.graph(), options),
      tensors_(directory, options.most_bytes),
      draft_(options) {
  require(options.evaluate != nullptr, "reading ONNX needs a function that evaluates ops");
}

std::size_t Importer::add_failure(Failure failure) {
  if (!failure.message.empty()) ++findings_;
  failures_.push_back(std::move(failure));
  return failures_.size() - 1;
}

std::size_t Importer::add_failure(const std::string& message, bool is_unsupported) {
  return add_failure(Failure{.message = message, .is_unsupported = is_unsupported});
}

void Importer::tell(const std::string& message, bool is_unsupported) {
  told_.push_back(add_failure(message, is_unsupported));
}

void Importer::throw_if_any() const {
  std::set<std::size_t> reached(told_.begin(), told_.end());
  std::vector<std::size_t> open(told_);
  while (!open.empty()) {
    const Failure& failure = failures_[open.back()];
    open.pop_back();
    for (const std::size_t cause : failure.causes)
      if (reached.insert(cause).second) open.push_back(cause);
  }
  std::string findings;
  std::size_t count = 0;
  bool are_all_unsupported = true;
  for (const std::size_t index : reached) {
    const Failure& failure = failures_[index];
    if (failure.message.empty()) continue;
    are_all_unsupported = are_all_unsupported && failure.is_unsupported;
    if (++count <= most_findings) findings += (findings.empty() ? "" : "\n") + failure.message;
  }
  if (told_.empty()) return;
  if (count > most_findings) findings += cat("\n... and ", count - most_findings, " more");
  if (are_all_unsupported) throw Unsupported(findings);
  throw Error(findings);
}

void Importer::learn_opsets(Scope& scope) {
  for (const auto& import : model_.opset_import()) {
    const auto [held, is_new] = scope.opsets.emplace(domain_of(import.domain()), import.version());
    if (!is_new && held->second != import.version())
      tell(cat("the model imports opsets ", held->second, " and ", import.version(), " of one domain"), false);
  }
  scope.opsets.emplace("", 1);  // files older than IR version 3
}

/// The tensor that is given for an input of this type; null where none is.
const Tensor* Importer::given_to(const std::string& name, const TensorType& type) {
  if (const auto given = options_.given.find(name); given != options_.given.end()) return &given->second;
  const auto one = options_.spread.find(name);
  if (one == options_.spread.end()) return nullptr;
  require(one->second.dtype() == type.dtype && one->second.elements() == 1, "is ", type, ", given ",
          one->second.type());
  tensors_.take(type);
  Tensor spread(type);
  const auto bytes = one->second.bytes();
  const auto all = spread.bytes();
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = bytes[i % bytes.size()];
  return &spread_.insert_or_assign(name, std::move(spread)).first->second;
}

/// The tensor that is given for an initialiser, else the file's own.
Tensor Importer::initial_value(const std::string& name, Tensor in_file) {
  const Tensor* given = given_to(name, in_file.type());
  if (given == nullptr) return in_file;
  require(given->type() == in_file.type(), "is ", in_file.type(), ", given ", given->type());
  return *given;
}

bool Importer::is_input(const std::string& name) const {
  return std::ranges::any_of(model_.graph().input(), [&](const auto& input) { return input.name() == name; });
}

void Importer::read_input(const ::onnx::ValueInfoProto& input, Scope& scope) {
  Named& value = scope.values[input.name()];
  const auto where = cat("input '", clean(input.name()), "': ");
  const auto fail_with = [&](const Error& error, bool is_unsupported) {
    value = {.failure = add_failure(where + error.what(), is_unsupported)};
    if (is_given(input.name())) told_.push_back(*value.failure);
  };
  const bool has_default = value.ref || value.failure;
  if (has_default && !is_given(input.name())) return;
  try {
    refuse_unknown_fields(input);
    // One number for every element leaves the extents of a default as they are.
    const bool is_spread = !options_.given.contains(input.name());
    const TensorType type = is_spread && value.ref ? draft_.type(*value.ref) : extents_.type_of(input);
    const std::string name = clean(input.name());
    const Tensor* given = given_to(input.name(), type);
    value = {has_default ? draft_.known(*given, name) : draft_.input(name, type, given)};
  } catch (const Unsupported& error) {
    fail_with(error, true);
  } catch (const Error& error) {
    fail_with(error, false);
  }
}

void Importer::read_inputs(Scope& scope) {
  for (const auto& input : model_.graph().input()) read_input(input, scope);
}

void Importer::read_initializers(const ::onnx::GraphProto& graph, Scope& scope) {
  const auto read = [&](const std::string& name, const auto& proto) {
    Named& value = scope.values[name];
    const auto where = cat("initialiser '", clean(scope.prefix + name), "': ");
    try {
      Tensor tensor = tensors_.read(proto);
      // An input takes what it is given when inputs are read: its default may be of other extents.
      if (scope.parent == nullptr && is_given(name) && !is_input(name)) tensor = initial_value(name, std::move(tensor));
      value = {draft_.known(std::move(tensor), clean(scope.prefix + name))};
    } catch (const Unsupported& error) {
      value = {.failure = add_failure(where + error.what(), true)};
    } catch (const Error& error) {
      value = {.failure = add_failure(where + error.what(), false)};
    }
  };
  for (const auto& tensor : graph.initializer()) read(tensor.name(), tensor);
  for (const auto& tensor : graph.sparse_initializer()) read(tensor.values().name(), tensor);
}

const ::onnx::FunctionProto* Importer::find_function(const ::onnx::NodeProto& node) const {
  const std::string overload = overload_of(node), domain = domain_of(node.domain());
  const ::onnx::FunctionProto* found = nullptr;
  for (const auto& function : model_.functions()) {
    const bool is_called = function.name() == node.op_type() && domain_of(function.domain()) == domain;
    if (!is_called || overload_of(function) != overload) continue;
    require(found == nullptr, "the model has two functions of that name and overload");
    found = &function;
  }
  require(found != nullptr || overload.empty(), "the model has no function of that name with overload '",
          clean(overload), "'");
  return found;
}

void Importer::convert(const ::onnx::NodeProto& node, Scope& scope) {
  refuse_unknown_fields(node);
  if (const DeclaredOp* const op = find_registered(node)) {
    NodeReader reader(*this, node, scope);
    return convert_registered(*op, reader);
  }
  if (const auto* function = find_function(node)) return inline_function(node, *function, scope);
  const Converter* converter =
      find_converter(is_default(node.domain()) ? node.op_type() : cat(node.domain(), '.', node.op_type()));
  if (converter != nullptr) {
    if (converter->convert == nullptr) throw Unsupported(std::string(converter->why_not));
    NodeReader reader(*this, node, scope);
    converter->convert(reader);
    return reader.refuse_newer_attributes();
  }
  if (!inline_schema(node, scope)) throw Unsupported("no such operator is read");
}

std::string Importer::broken_rule(const ::onnx::NodeProto& node, Scope& scope) try {
  const NodeReader reader(*this, node, scope);
  std::vector<std::optional<TensorType>> types;
  for (std::size_t i = 0; i < reader.inputs(); ++i)
    types.push_back(reader.has(i) ? std::optional(reader.type(reader.in(i))) : std::nullopt);
  return find_function(node) != nullptr ? "" : broken_type_rule(node, reader.opset(), types);
} catch (const std::exception&) {
  return "";  // an operand is missing, which is said elsewhere
} catch (const ToldAlready&) {
  return "";
}

void Importer::fail_result(const ::onnx::NodeProto& node, std::size_t k, Scope& scope, std::string_view why) {
  if (k >= static_cast<std::size_t>(node.output_size()) || node.output(static_cast<int>(k)).empty()) return;
  const std::string& name = node.output(static_cast<int>(k));
  scope.values[name] = {.failure = add_failure(cat(where(node, scope), "its output '", clean(name), "' ", why), true)};
}

void Importer::read_node(const ::onnx::NodeProto& node, Scope& scope) {
  for (const std::string& name : node.output())
    if (!name.empty() && !scope.values.emplace(name, Named{}).second)
      return tell(cat(where(node, scope), "computes '", clean(name), "', which exists already"), false);
  const auto fail_with = [&](Failure failure) {
    if (failure.causes.empty())  // failures of its operands are reported, too
      for (const std::string& name : node.input())
        if (const auto* found = scope.find(name); found != nullptr && found->failure)
          failure.causes.push_back(*found->failure);
    const Named failed{.failure = add_failure(std::move(failure))};
    for (const std::string& name : node.output())
      if (!name.empty()) scope.values[name] = failed;
  };
  try {
    const auto require_room = [](bool is_in_bounds, const auto&... parts) {
      if (!is_in_bounds) throw Unsupported(cat(parts...));
    };
    require_room(visited_++ < options_.most_nodes, "the model has more than ", options_.most_nodes,
                 " nodes, those of loops counted each time");
    require_room(scope.depth < deepest, "functions and subgraphs nest more than ", deepest, " deep");
    convert(node, scope);
    for (int k = 0; k < node.output_size(); ++k)
      if (const auto made = scope.values.find(node.output(k));
          made != scope.values.end() && !made->second.ref && !made->second.failure)
        fail_result(node, static_cast<std::size_t>(k), scope, "is not read");
  } catch (const ToldAlready& told) {
    fail_with({.message = told.message.empty() ? "" : where(node, scope) + told.message, .causes = told.failures});
  } catch (const Unsupported& error) {
    const std::string broken = broken_rule(node, scope);  // then it is the file that is wrong
    const bool is_unsupported = broken.empty();
    fail_with(
        {.message = where(node, scope) + (is_unsupported ? error.what() : broken), .is_unsupported = is_unsupported});
  } catch (const std::exception& error) {  // exceptions of the standard library, too: a file may be hostile
    fail_with({.message = where(node, scope) + error.what(), .is_unsupported = false});
  }
}

void Importer::check_branch(const ::onnx::GraphProto& branch, const Scope& outer) const {
  if (!checker_.has_wrong_branches()) return;
  std::vector<std::string> names;
  for (const Scope* scope = &outer; scope != nullptr; scope = scope->parent)
    for (const auto& [name, named] : scope->values)
      if (named.ref || named.failure) names.push_back(name);
  checker_.check_branch(branch, names);
}

std::vector<Ref> Importer::read_subgraph(const ::onnx::GraphProto& graph, const std::vector<Ref>& operands,
                                         const Scope& outer, std::string prefix) {
  Scope scope{.parent = &outer,
              .prefix = std::move(prefix),
              .opsets = outer.opsets,
              .arguments = outer.arguments,
              .graph = &graph,
              .depth = outer.depth + 1};
  refuse_unknown_fields(graph);
  require(static_cast<std::size_t>(graph.input_size()) == operands.size(), "its subgraph has ", graph.input_size(),
          " inputs, given ", operands.size());
  for (int i = 0; i < graph.input_size(); ++i)
    scope.values[graph.input(i).name()] = {operands[static_cast<std::size_t>(i)]};
  read_initializers(graph, scope);
  for (const auto& node : graph.node()) read_node(node, scope);
  learn_inner_names(scope);
  std::vector<Ref> results;
  ToldAlready told;
  for (const auto& output : graph.output()) {
    const auto* found = scope.find(output.name());
    require(found != nullptr, "its subgraph returns '", clean(output.name()), "', which nothing computes");
    if (found->failure) told.failures.push_back(*found->failure);
    if (found->ref) results.push_back(*found->ref);
  }
  if (results.size() < static_cast<std::size_t>(graph.output_size())) throw told;
  return results;
}

void Importer::learn_inner_names(const Scope& scope) {
  if (scope.arguments != nullptr) return;  // a function may be called any number of times
  for (const auto& [name, named] : scope.values) {
    if (!named.ref) continue;
    const auto [held, is_new] = inner_.emplace(name, named.ref);
    if (!is_new && held->second != named.ref) held->second.reset();
  }
}

void Importer::learn_names(const Scope& scope, const std::vector<std::optional<Value>>& values,
                           formats::OnnxModel& model) const {
  const auto add = [&](std::map<std::string, std::string, std::less<>>& to, const std::string& name) {
    const auto found = scope.values.find(name);
    if (found == scope.values.end() || !found->second.ref || !values.at(*found->second.ref)) return;
    std::string in_graph = model.file.graph.name(*values[*found->second.ref]);
    if (in_graph != name) to.emplace(name, std::move(in_graph));
  };
  for (const auto& [name, named] : scope.values) add(model.names.values, name);
  for (const auto& output : model_.graph().output()) model.names.values.erase(output.name());
  for (const auto& input : model_.graph().input()) add(model.names.sources, input.name());
  for (const auto& tensor : model_.graph().initializer()) add(model.names.sources, tensor.name());
  NamedRefs refs;
  for (const auto& [name, named] : scope.values) refs.emplace(name, named.ref);
  refs.insert(inner_.begin(), inner_.end());  // a name of the model itself goes before one of its subgraphs
  model.file.aliases = aliases_of(model.file.graph, refs, values);
}

/// Tensors given for inputs and initialisers become their sources in the file, as far as the graph still has them.
void Importer::take_given(formats::OnnxModel& model) const {
  for (const auto* tensors : {&options_.given, &spread_})
    for (const auto& [key, tensor] : *tensors) {
      const auto other = model.names.sources.find(key);
      const std::string& name = other == model.names.sources.end() ? key : other->second;
      const auto value = model.file.graph.find(name);
      const bool is_source = value && model.file.graph.is_source(*value);
      if (is_source) model.file.sources.insert_or_assign(name, tensor);
      model.fed.emplace(key, is_source ? name : "");
    }
  const auto by_key = model.fed;  // a name of the file goes before what another one is shown as
  for (const auto& [key, name] : by_key) model.fed.emplace(clean(key), name);
}

formats::OnnxModel Importer::read() {
  formats::OnnxModel model;
  Scope scope{.graph = &model_.graph()};
  refuse_unknown_fields(model_);
  refuse_unknown_fields(model_.graph());
  learn_opsets(scope);
  for (const std::string& problem : extents_.problems()) tell(problem, false);
  read_initializers(model_.graph(), scope);
  read_inputs(scope);
  for (const auto& node : model_.graph().node()) read_node(node, scope);
  std::vector<Ref> results;
  for (const auto& output : model_.graph().output()) {
    const auto* found = scope.find(output.name());
    if (found == nullptr) tell(cat("output '", clean(output.name()), "': nothing computes it"), false);
    if (found != nullptr && found->failure) told_.push_back(*found->failure);
    if (found == nullptr || !found->ref) continue;
    if (draft_.elements(*found->ref) != nullptr) {
      tell(cat("output '", clean(output.name()), "' is a sequence, and only tensors are returned"), true);
      continue;
    }
    results.push_back(*found->ref);
    model.outputs.push_back(clean(output.name()));
    if (const TensorType& made = draft_.type(results.back()); !may_be(output.type(), made.shape))
      model.notes.push_back(cat("output '", model.outputs.back(), "' is declared as ", type_text(output.type()),
                                ", what computes it makes ", made));
  }
  throw_if_any();
  require(!results.empty(), "the model has no outputs");
  learn_names(scope, draft_.finish(results, model.outputs, model.file), model);
  bound_indices(model.file);
  take_given(model);
  for (const std::string& name : draft_.pinned())
    model.notes.push_back(cat("shapes or branches depend on input '", name, "': the graph is made for its numbers"));
  return model;
}

}  // namespace plumb::ir::from_onnx
