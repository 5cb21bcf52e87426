// Reads an ONNX model node by node in scopes of names, and collects every finding before it gives up.
#include "ir/formats/onnx/importer.hpp"

#include <algorithm>

namespace plumb::ir::from_onnx {
namespace {

constexpr std::size_t longest_name = 200, most_findings = 500, deepest = 32;

std::string opset_text(const ::onnx::NodeProto& node, const Scope& scope) {
  const auto opset = scope.opsets.find(node.domain() == "ai.onnx" ? "" : node.domain());
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

bool is_default(const std::string& domain) { return domain.empty() || domain == "ai.onnx"; }

}  // namespace

std::string clean(std::string_view name) {
  std::string text;
  for (const char c : name.substr(0, longest_name)) {
    const auto byte = static_cast<unsigned char>(c);
    text += byte < 0x20 || byte >= 0x7F ? '?' : c;
  }
  return text.empty() ? "?" : text;
}

std::string type_text(const ::onnx::TypeProto& type) {
  if (type.has_sequence_type()) return "sequence";
  if (type.has_map_type()) return "map";
  if (type.has_optional_type()) return "optional";
  if (type.has_sparse_tensor_type()) return "sparse tensor";
  if (!type.has_tensor_type()) return "unknown";
  std::string text;
  try {
    text = cat(dtype_of(type.tensor_type().elem_type()));
  } catch (const Unsupported&) {
    text = type_name(type.tensor_type().elem_type());
  }
  if (!type.tensor_type().has_shape()) return text + "[..]";
  text += '[';
  bool first = true;
  for (const auto& dimension : type.tensor_type().shape().dim()) {
    text += first ? "" : ", ";
    text += dimension.has_dim_value()       ? cat(dimension.dim_value())
            : dimension.dim_param().empty() ? "?"
                                            : clean(dimension.dim_param());
    first = false;
  }
  return text + "]";
}

Importer::Importer(const ::onnx::ModelProto& model, const std::filesystem::path& directory,
                   const formats::OnnxOptions& options)
    : model_(model), options_(options), tensors_(directory, options.most_bytes), draft_(options) {
  require(options.evaluate != nullptr, "reading ONNX needs a function that evaluates ops");
}

void Importer::note(const std::string& message, bool is_unsupported) {
  all_unsupported_ = all_unsupported_ && is_unsupported;
  if (++finding_count_ <= most_findings) findings_ += (findings_.empty() ? "" : "\n") + message;
}

void Importer::throw_if_any() const {
  if (finding_count_ == 0) return;
  const auto more = finding_count_ > most_findings ? cat("\n... and ", finding_count_ - most_findings, " more") : "";
  if (all_unsupported_) throw Unsupported(findings_ + more);
  throw Error(findings_ + more);
}

void Importer::learn_symbols() {
  for (const auto& [name, extents] : options_.shapes)
    if (extents.size() == 1) symbols_[name] = extents[0];
  for (const auto& input : model_.graph().input()) {
    const auto shape = options_.shapes.find(input.name());
    const auto given = options_.given.find(input.name());
    const auto& dimensions = input.type().tensor_type().shape().dim();
    for (int k = 0; k < dimensions.size(); ++k) {
      const auto at = static_cast<std::size_t>(k);
      const std::string& symbol = dimensions[k].dim_param();
      if (symbol.empty()) continue;
      if (shape != options_.shapes.end() && at < shape->second.size()) symbols_.emplace(symbol, shape->second[at]);
      if (given != options_.given.end() && at < given->second.shape().size())
        symbols_.emplace(symbol, given->second.shape()[at]);
    }
  }
}

TensorType Importer::input_type(const ::onnx::ValueInfoProto& input) {
  const auto& type = input.type();
  if (!type.has_tensor_type()) throw Unsupported(cat("is a ", type_text(type), ", tensors are read"));
  TensorType result{dtype_of(type.tensor_type().elem_type()), {}};
  const auto shape = options_.shapes.find(input.name());
  const auto given = options_.given.find(input.name());
  if (given != options_.given.end()) {
    require(given->second.dtype() == result.dtype, "is ", type_text(type), ", given ", given->second.type());
    result.shape = given->second.shape();
  } else if (shape != options_.shapes.end()) {
    result.shape = Shape(shape->second);
  } else {
    require(type.tensor_type().has_shape(), "has no shape in the file; give one, as in --shape ", clean(input.name()),
            "=1,3,224,224");
    for (const auto& dimension : type.tensor_type().shape().dim()) result.shape.push_back(-1), void(dimension);
  }
  const auto& dimensions = type.tensor_type().shape().dim();
  if (type.tensor_type().has_shape())
    require(static_cast<std::size_t>(dimensions.size()) == result.shape.size(), "is ", type_text(type), ", given ",
            result.shape);
  for (int k = 0; k < dimensions.size(); ++k) {
    auto& extent = result.shape[static_cast<std::size_t>(k)];
    const auto& dimension = dimensions[k];
    if (extent >= 0) {
      require(!dimension.has_dim_value() || dimension.dim_value() == extent, "is ", type_text(type), ", given ",
              result.shape);
      continue;
    }
    if (dimension.has_dim_value())
      extent = dimension.dim_value();
    else if (const auto symbol = symbols_.find(dimension.dim_param());
             symbol != symbols_.end() && !dimension.dim_param().empty())
      extent = symbol->second;
    else
      fail("is ", type_text(type), ": which extents are meant? give them, as in --shape ", clean(input.name()),
           "=1,3,224,224", dimension.dim_param().empty() ? "" : " or --shape " + clean(dimension.dim_param()) + "=1");
  }
  check_type(result);
  return result;
}

void Importer::read_inputs(Scope& scope) {
  for (const auto& input : model_.graph().input()) {
    if (scope.values.contains(input.name())) continue;  // an initialiser that may be overridden
    auto& value = scope.values[input.name()];
    const auto where = cat("input '", clean(input.name()), "': ");
    try {
      const auto given = options_.given.find(input.name());
      value = draft_.input(clean(input.name()), input_type(input),
                           given == options_.given.end() ? nullptr : &given->second);
    } catch (const Unsupported& error) {
      note(where + error.what(), true);
    } catch (const Error& error) {
      note(where + error.what(), false);
    }
  }
}

void Importer::read_initializers(const ::onnx::GraphProto& graph, Scope& scope) {
  const auto read = [&](const std::string& name, const auto& proto) {
    auto& value = scope.values[name];
    const auto where = cat("initialiser '", clean(scope.prefix + name), "': ");
    try {
      value = draft_.known(tensors_.read(proto), clean(scope.prefix + name));
    } catch (const Unsupported& error) {
      note(where + error.what(), true);
    } catch (const Error& error) {
      note(where + error.what(), false);
    }
  };
  for (const auto& tensor : graph.initializer()) read(tensor.name(), tensor);
  for (const auto& tensor : graph.sparse_initializer()) read(tensor.values().name(), tensor);
}

const ::onnx::FunctionProto* Importer::find_function(const ::onnx::NodeProto& node) const {
  for (const auto& function : model_.functions())
    if (function.name() == node.op_type() &&
        (function.domain() == node.domain() || (is_default(function.domain()) && is_default(node.domain()))))
      return &function;
  return nullptr;
}

void Importer::convert(const ::onnx::NodeProto& node, Scope& scope) {
  if (const auto* function = find_function(node)) return inline_function(node, *function, scope);
  const Converter* converter = is_default(node.domain()) ? find_converter(node.op_type()) : nullptr;
  if (converter != nullptr) {
    if (converter->convert == nullptr) throw Unsupported(std::string(converter->why_not));
    NodeReader reader(*this, node, scope);
    return converter->convert(reader);
  }
  if (!inline_schema(node, scope)) throw Unsupported("no such operator is read");
}

void Importer::read_node(const ::onnx::NodeProto& node, Scope& scope) {
  try {
    for (const std::string& name : node.output())
      if (!name.empty())
        require(scope.values.emplace(name, std::nullopt).second, "computes '", clean(name), "', which exists already");
    require(visited_++ < options_.most_nodes, "the model has more than ", options_.most_nodes,
            " nodes, those of loops counted each time");
    require(scope.depth < deepest, "functions and subgraphs nest more than ", deepest, " deep");
    convert(node, scope);
    for (const std::string& name : node.output())
      if (!name.empty() && !scope.values[name]) throw Unsupported(cat("its output '", clean(name), "' is not read"));
  } catch (const ToldAlready&) {
    return;
  } catch (const Unsupported& error) {
    note(where(node, scope) + error.what(), true);
  } catch (const std::exception& error) {  // exceptions of the standard library, too: a file may be hostile
    note(where(node, scope) + error.what(), false);
  }
}

std::vector<Ref> Importer::read_subgraph(const ::onnx::GraphProto& graph, const std::vector<Ref>& operands,
                                         const Scope& outer, std::string prefix) {
  Scope scope{.parent = &outer,
              .prefix = std::move(prefix),
              .opsets = outer.opsets,
              .arguments = outer.arguments,
              .graph = &graph,
              .depth = outer.depth + 1};
  require(static_cast<std::size_t>(graph.input_size()) == operands.size(), "its subgraph has ", graph.input_size(),
          " inputs, given ", operands.size());
  for (int i = 0; i < graph.input_size(); ++i)
    scope.values[graph.input(i).name()] = operands[static_cast<std::size_t>(i)];
  read_initializers(graph, scope);
  for (const auto& node : graph.node()) read_node(node, scope);
  std::vector<Ref> results;
  for (const auto& output : graph.output()) {
    const auto* found = scope.find(output.name());
    require(found != nullptr, "its subgraph returns '", clean(output.name()), "', which nothing computes");
    if (!found->has_value()) throw ToldAlready{};
    results.push_back(**found);
  }
  return results;
}

formats::OnnxModel Importer::read() {
  formats::OnnxModel model;
  Scope scope{.graph = &model_.graph()};
  for (const auto& import : model_.opset_import())
    scope.opsets[is_default(import.domain()) ? "" : import.domain()] = import.version();
  scope.opsets.emplace("", 1);  // files older than IR version 3
  learn_symbols();
  read_initializers(model_.graph(), scope);
  read_inputs(scope);
  for (const auto& node : model_.graph().node()) read_node(node, scope);
  std::vector<Ref> results;
  for (const auto& output : model_.graph().output()) {
    const auto* found = scope.find(output.name());
    if (found == nullptr) note(cat("output '", clean(output.name()), "': nothing computes it"), false);
    if (found == nullptr || !found->has_value()) continue;
    results.push_back(**found);
    model.outputs.push_back(clean(output.name()));
    if (const TensorType& made = draft_.type(results.back()); !may_be(output.type(), made.shape))
      model.notes.push_back(cat("output '", model.outputs.back(), "' is declared as ", type_text(output.type()),
                                ", what computes it makes ", made));
  }
  throw_if_any();
  require(!results.empty(), "the model has no outputs");
  draft_.finish(results, model.outputs, model.file);
  for (const std::string& name : draft_.pinned())
    model.notes.push_back(cat("shapes depend on input '", name, "': the graph is made for the numbers given"));
  return model;
}

}  // namespace plumb::ir::from_onnx
