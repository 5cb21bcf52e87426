// An ONNX node as converters see it: operands, attributes by type, numbers known while reading, results.
#include "ir/formats/onnx/node_reader.hpp"

#include <algorithm>

#include "ir/formats/onnx/importer.hpp"
#include "ir/formats/onnx/names.hpp"
#include "ir/formats/onnx/type_rules.hpp"
#include "ir/ops/cast.hpp"
#include "ir/ops/reshape.hpp"

namespace plumb::ir::from_onnx {

using ::onnx::AttributeProto;

const Named* Scope::find(std::string_view name) const {
  for (const Scope* scope = this; scope != nullptr; scope = scope->parent)
    if (const auto found = scope->values.find(name); found != scope->values.end()) return &found->second;
  return nullptr;
}

NodeReader::NodeReader(Importer& importer, const ::onnx::NodeProto& proto, Scope& scope)
    : importer_(importer), proto_(proto), scope_(scope), first_own_(importer.draft().size()) {
  const auto opset = scope.opsets.find(domain_of(proto.domain()));
  opset_ = opset == scope.opsets.end() ? 0 : opset->second;
  ToldAlready told;
  bool is_whole = true;
  for (const std::string& name : proto.input()) {
    if (name.empty() || scope.absent.contains(name)) {
      operands_.emplace_back();
      continue;
    }
    const auto* found = scope.find(name);
    require(found != nullptr && (found->ref || found->failure), "reads '", clean(name),
            "', which nothing computes before it");
    is_whole = is_whole && found->ref.has_value();
    if (found->failure) told.failures.push_back(*found->failure);
    operands_.push_back(found->ref);
  }
  if (!is_whole) throw told;
  label_ = scope.prefix + (proto.name().empty() ? proto.op_type() : proto.name());
  for (const std::string& name : proto.output())
    if (!name.empty()) {
      label_ = scope.prefix + name;
      break;
    }
  label_ = clean(label_);
}

std::int64_t NodeReader::place() const { return static_cast<std::int64_t>(importer_.visited()) - 1; }

Ref NodeReader::in(std::size_t i) const {
  require(has(i), "input ", i, " is missing");
  return *operands_[i];
}

bool NodeReader::is_sequence(Ref ref) const { return importer_.draft().elements(ref) != nullptr; }

std::vector<Ref> NodeReader::elements(std::size_t i) const {
  const std::vector<Ref>* found = importer_.draft().elements(in(i));
  if (found == nullptr) unsupported("input ", i, " is a tensor, where a sequence is wanted");
  return *found;
}

const TensorType& NodeReader::type(Ref ref) const { return importer_.draft().type(ref); }

const Tensor* NodeReader::value(Ref ref) { return importer_.draft().resolve(ref); }

const Tensor* NodeReader::value_in_file(Ref ref) const { return importer_.draft().value(ref); }

const Tensor& NodeReader::known(std::size_t i, std::string_view what) {
  const Tensor* tensor = value(in(i));
  if (tensor == nullptr)
    unsupported(what, " must be known when the model is read, for shapes are static", what_would_settle(in(i)));
  return *tensor;
}

std::string NodeReader::what_would_settle(Ref ref) const {
  const auto inputs = importer_.draft().unknown_inputs(ref);
  if (inputs.empty()) return "";
  const std::string& name = importer_.draft().name(inputs[0]);
  const std::string others = inputs.size() == 1 ? "" : cat(" and ", inputs.size() - 1, " more");
  const std::string_view value = shape(inputs[0]).empty() ? "1" : "[1,2]";
  return cat("; it depends on input '", name, "'", others, ": give its value, as in --input '", name, "=", value,
             "' or by --load-inputs");
}

std::vector<std::int64_t> NodeReader::known_ints(std::size_t i, std::string_view what) {
  const Tensor wide = convert(known(i, what), DType::i64);
  const auto values = wide.as<std::int64_t>();
  return {values.begin(), values.end()};
}

std::vector<double> NodeReader::known_reals(std::size_t i, std::string_view what) {
  const Tensor wide = convert(known(i, what), DType::f64);
  const auto values = wide.as<double>();
  return {values.begin(), values.end()};
}

const AttributeProto* NodeReader::attribute(std::string_view name) const {
  asked_.emplace(name);
  for (const AttributeProto& attribute : proto_.attribute()) {
    if (attribute.name() != name) continue;
    if (attribute.ref_attr_name().empty()) return &attribute;
    if (scope_.arguments == nullptr) return nullptr;
    const auto found = scope_.arguments->find(attribute.ref_attr_name());
    return found == scope_.arguments->end() ? nullptr : found->second;
  }
  return nullptr;
}

void NodeReader::refuse_newer_attributes() const {
  // They say in what precision to compute, how to round to types that are not read, and into what pieces to cut a scan.
  constexpr std::string_view of_no_effect[] = {"stash_type", "saturate", "round_mode", "chunk_size"};
  for (const AttributeProto& attribute : proto_.attribute()) {
    const std::string& name = attribute.name();
    const bool is_known = asked_.contains(name) || std::ranges::find(of_no_effect, name) != std::end(of_no_effect);
    if (!is_known && !has_attribute(proto_, opset_, name))
      unsupported("its attribute '", clean(name), "' is not known here: what it means would be lost");
  }
}

const AttributeProto* NodeReader::typed(std::string_view name, AttributeProto::AttributeType type) const {
  const AttributeProto* found = attribute(name);
  require(found == nullptr || found->type() == type, "attribute '", name, "' must be of type ",
          AttributeProto::AttributeType_Name(type));
  return found;
}

std::int64_t NodeReader::integer(std::string_view name, std::optional<std::int64_t> otherwise) const {
  const auto* found = typed(name, AttributeProto::INT);
  require(found != nullptr || otherwise, "attribute '", name, "' is missing");
  return found != nullptr ? found->i() : *otherwise;
}

double NodeReader::real(std::string_view name, std::optional<double> otherwise) const {
  const auto* found = typed(name, AttributeProto::FLOAT);
  require(found != nullptr || otherwise, "attribute '", name, "' is missing");
  return static_cast<double>(found != nullptr ? found->f() : static_cast<float>(*otherwise));
}

std::string NodeReader::text(std::string_view name, std::string_view otherwise) const {
  const auto* found = typed(name, AttributeProto::STRING);
  return found != nullptr ? found->s() : std::string(otherwise);
}

std::optional<std::vector<std::int64_t>> NodeReader::ints(std::string_view name) const {
  const auto* found = typed(name, AttributeProto::INTS);
  if (found == nullptr) return std::nullopt;
  return std::vector<std::int64_t>(found->ints().begin(), found->ints().end());
}

std::optional<std::vector<double>> NodeReader::reals(std::string_view name) const {
  const auto* found = typed(name, AttributeProto::FLOATS);
  if (found == nullptr) return std::nullopt;
  return std::vector<double>(found->floats().begin(), found->floats().end());
}

Tensor NodeReader::tensor(std::string_view name) const {
  const auto* found = typed(name, AttributeProto::TENSOR);
  require(found != nullptr, "attribute '", name, "' is missing");
  return importer_.tensors().read(found->t());
}

Tensor NodeReader::sparse_tensor(std::string_view name) const {
  const auto* found = typed(name, AttributeProto::SPARSE_TENSOR);
  require(found != nullptr, "attribute '", name, "' is missing");
  return importer_.tensors().read(found->sparse_tensor());
}

std::optional<std::vector<std::int64_t>> NodeReader::ints_of(std::string_view name, std::size_t i) {
  return has(i) ? known_ints(i, name) : ints(name);
}

std::vector<Ref> NodeReader::add_all(const Op& op, const std::vector<Ref>& operands) {
  return importer_.draft().add(cat(label_, '/', op.name()), op, operands);
}

Ref NodeReader::add(const Op& op, const std::vector<Ref>& operands) { return add_all(op, operands).at(0); }

Ref NodeReader::constant(Tensor tensor) { return importer_.draft().known(std::move(tensor), label_ + "/constant"); }

Ref NodeReader::constant(const std::vector<std::int64_t>& values) {
  return constant(Tensor::of<std::int64_t>({static_cast<std::int64_t>(values.size())}, values));
}

Ref NodeReader::sequence(std::vector<Ref> elements) { return importer_.draft().sequence(std::move(elements)); }

Ref NodeReader::scalar(DType dtype, double value) { return constant(convert(Tensor::of<double>({}, {value}), dtype)); }

Ref NodeReader::reshape(Ref x, const Shape& to) { return shape(x) == to ? x : add(ops::Reshape{.shape = to}, {x}); }

Ref NodeReader::cast(Ref x, DType to) { return dtype(x) == to ? x : add(ops::Cast{.to = to}, {x}); }

void NodeReader::take(const TensorType& type) { importer_.tensors().take(type); }

bool NodeReader::wants(std::size_t k) const {
  if (k >= outputs()) return false;
  const std::string& name = proto_.output(static_cast<int>(k));
  return !name.empty() && !importer_.is_unread(name);
}

std::int64_t NodeReader::declared_among(std::size_t k, std::size_t axis, std::span<const std::int64_t> readings) const {
  if (!wants(k) || scope_.graph == nullptr) return readings.front();
  for (const auto* declared : {&scope_.graph->output(), &scope_.graph->value_info()})
    for (const auto& value : *declared) {
      const auto& dimensions = value.type().tensor_type().shape().dim();
      if (value.name() != proto_.output(static_cast<int>(k)) || axis >= static_cast<std::size_t>(dimensions.size()))
        continue;
      const auto found = std::ranges::find(readings, dimensions[static_cast<int>(axis)].dim_value());
      if (dimensions[static_cast<int>(axis)].has_dim_value() && found != readings.end()) return *found;
    }
  return readings.front();
}

void NodeReader::out(std::size_t k, Ref ref) {
  if (k >= outputs() || proto_.output(static_cast<int>(k)).empty()) return;
  const std::string& name = proto_.output(static_cast<int>(k));
  scope_.values[name] = {ref};
  // A node's name of a tensor replaces the one in its body; of two results that are one, the first gives the name.
  if (ref >= first_own_ && named_.insert(ref).second) importer_.draft().name(ref, clean(scope_.prefix + name));
}

void NodeReader::refuse(std::size_t k, std::string_view why) { importer_.fail_result(proto_, k, scope_, why); }

const ::onnx::GraphProto& NodeReader::graph(std::string_view name) const {
  const auto* found = typed(name, AttributeProto::GRAPH);
  require(found != nullptr, "attribute '", name, "' is missing");
  return found->g();
}

std::vector<Ref> NodeReader::subgraph(const ::onnx::GraphProto& graph, const std::vector<Ref>& operands,
                                      const std::string& suffix) {
  return importer_.read_subgraph(graph, operands, scope_, label_ + suffix + "/");
}

std::size_t NodeReader::findings() const { return importer_.findings(); }

std::vector<Ref> NodeReader::branch(const ::onnx::GraphProto& graph, const std::string& suffix) {
  importer_.check_branch(graph, scope_);
  return subgraph(graph, {}, suffix);
}

}  // namespace plumb::ir::from_onnx
