// The graph while an ONNX model is read: folds small known values, as shapes need, and emits nodes that are used.
#include "ir/formats/onnx/draft.hpp"

#include <algorithm>

#include "ir/ops/constant.hpp"
#include "ir/ops/reshape.hpp"

namespace plumb::ir::from_onnx {
namespace {

constexpr double most_work = 1 << 24;       ///< operations of a folded op
constexpr double most_resolved = 1 << 26;   ///< elements of all that given inputs settle at once
constexpr double most_resolving = 1 << 30;  ///< operations of it

/// Whether the op would take tensors of these shapes if they were of f32, all of them or all but indices.
bool takes_shapes(const Op& op, Types types) {
  for (const bool are_indices_kept : {true, false}) try {
      TensorTypes as_f32(types.begin(), types.end());
      for (TensorType& type : as_f32) {
        const bool is_index = type.dtype == DType::i32 || type.dtype == DType::i64;
        if (type.dtype != DType::boolean && !(are_indices_kept && is_index)) type.dtype = DType::f32;
      }
      infer(op, as_f32);
      return true;
    } catch (const Error&) {
      continue;
    }
  return false;
}

/// Whether an op refused because it does not take these dtypes.
bool refuses_dtypes(const Op& op, Types types, std::string_view message) {
  const auto names = op.schema().operands(op, types.size());
  for (std::size_t i = 0; i < types.size(); ++i)
    for (const Input& input : op.schema().inputs)
      if (input.name == names[i] && !input.dtypes.contains(types[i].dtype)) return true;
  return message.find("dtype") != message.npos || takes_shapes(op, types);
}

/// "matmul of i8[4], i8[4, 3]": what a node of the file is read as.
std::string use_text(const Op& op, Types types) {
  std::string text = cat(op.name());
  for (std::size_t i = 0; i < types.size(); ++i) text += cat(i == 0 ? " of " : ", ", types[i]);
  return text;
}

TensorTypes infer_types(const Op& op, Types types) {
  try {
    return infer(op, types);
  } catch (const Error& error) {
    const auto message = cat("is read as ", use_text(op, types), ": ", error.what());
    if (refuses_dtypes(op, types, message)) throw Unsupported(message);
    throw Error(message);
  }
}

}  // namespace

Ref Draft::input(std::string name, TensorType type, const Tensor* given) {
  tensors_.push_back({Kind::input, std::move(type), nullptr, std::move(name), 0, 0, given});
  return tensors_.size() - 1;
}

Ref Draft::known(Tensor tensor, std::string name) {
  auto value = std::make_shared<Tensor>(std::move(tensor));
  TensorType type = value->type();
  tensors_.push_back({Kind::known, std::move(type), std::move(value), std::move(name)});
  return tensors_.size() - 1;
}

Ref Draft::sequence(std::vector<Ref> elements) {
  tensors_.push_back({.kind = Kind::sequence, .type = {}, .value = nullptr, .name = {}});
  tensors_.back().elements = std::move(elements);
  return tensors_.size() - 1;
}

const std::vector<Ref>* Draft::elements(Ref ref) const {
  const Entry& entry = tensors_.at(ref);
  return entry.kind == Kind::sequence ? &entry.elements : nullptr;
}

const TensorType& Draft::type(Ref ref) const {
  if (elements(ref) != nullptr) throw Unsupported("a sequence is where a tensor is wanted");
  return tensors_.at(ref).type;
}

bool Draft::folds(const Op& op, const std::vector<Ref>& operands, const TensorTypes& types) const {
  if (operands.empty() && !op.schema().makes_values) return false;
  const auto is_small = [](const TensorType& t) { return t.shape.elements() <= most_shape_elements; };
  TensorTypes in;
  for (const Ref ref : operands) in.push_back(type(ref));
  return std::ranges::all_of(operands, [&](Ref ref) { return value(ref) != nullptr && is_small(type(ref)); }) &&
         std::ranges::all_of(types, is_small) && op.schema().cost(op, in, types).flops <= most_work;
}

std::vector<Ref> Draft::add(const std::string& label, const Op& op, const std::vector<Ref>& operands) {
  TensorTypes in;
  for (const Ref ref : operands) in.push_back(type(ref));
  const TensorTypes types = infer_types(op, in);
  std::vector<Ref> results;
  if (folds(op, operands, types)) {
    try {
      std::vector<Tensor> values;
      for (const Ref ref : operands) values.push_back(*value(ref));
      for (Tensor& tensor : options_->evaluate(op, values)) results.push_back(known(std::move(tensor), label));
      return results;
    } catch (const Error&) {
      results.clear();  // an index out of range, say: the run will name it
    }
  }
  if (steps_.size() >= options_->most_nodes)
    throw Unsupported(cat("the graph has more than ", options_->most_nodes, " nodes"));
  for (std::size_t k = 0; k < types.size(); ++k) {
    results.push_back(tensors_.size());
    tensors_.push_back({Kind::result, types[k], nullptr, {}, steps_.size(), k});
  }
  steps_.push_back({label, op, operands, results});
  return results;
}

const Tensor* Draft::resolve(Ref ref) {
  if (const Tensor* tensor = numbers(ref)) {
    if (tensors_[ref].kind == Kind::input) pinned_.insert(tensors_[ref].name);
    return tensor;
  }
  // The steps it follows from, without recursion: a file may chain any number of them.
  std::set<std::size_t> steps;
  std::set<std::string> inputs;
  std::vector<Ref> open = {ref};
  while (!open.empty()) {
    const Entry& entry = tensors_[open.back()];
    const bool is_open = numbers(open.back()) == nullptr;
    if (entry.unresolvable || (is_open && entry.kind != Kind::result)) {
      tensors_[ref].unresolvable = true;
      return nullptr;
    }
    open.pop_back();
    if (entry.kind == Kind::input) inputs.insert(entry.name);
    if (!is_open || !steps.insert(entry.step).second) continue;
    open.insert(open.end(), steps_[entry.step].operands.begin(), steps_[entry.step].operands.end());
  }
  if (!is_resolvable(steps)) {
    tensors_[ref].unresolvable = true;
    return nullptr;
  }
  for (const std::size_t index : steps) {
    const Step& step = steps_[index];
    std::vector<Tensor> operands;
    for (const Ref operand : step.operands) operands.push_back(*numbers(operand));
    auto results = options_->evaluate(step.op, operands);
    for (std::size_t k = 0; k < results.size(); ++k)
      tensors_[step.results[k]].resolved = std::make_shared<const Tensor>(std::move(results[k]));
  }
  pinned_.insert(inputs.begin(), inputs.end());
  return numbers(ref);
}

/// Whether these steps are little enough to be carried out while a model is read.
bool Draft::is_resolvable(const std::set<std::size_t>& steps) const {
  double elements = 0, work = 0;
  for (const std::size_t index : steps) {
    const Step& step = steps_[index];
    TensorTypes in, out;
    for (const Ref ref : step.operands) in.push_back(type(ref));
    for (const Ref ref : step.results) out.push_back(type(ref));
    work += step.op.schema().cost(step.op, in, out).flops;
    for (const TensorType& made : out) elements += static_cast<double>(made.shape.elements());
  }
  return elements <= most_resolved && work <= most_resolving;
}

std::vector<Ref> Draft::unknown_inputs(Ref ref) const {
  std::set<Ref> inputs;
  std::set<std::size_t> seen;
  std::vector<Ref> open = {ref};
  while (!open.empty()) {
    const Ref at = open.back();
    const Entry& entry = tensors_[at];
    open.pop_back();
    if (entry.numbers() != nullptr) continue;
    if (entry.kind == Kind::input) inputs.insert(at);
    if (entry.kind != Kind::result || !seen.insert(entry.step).second) continue;
    open.insert(open.end(), steps_[entry.step].operands.begin(), steps_[entry.step].operands.end());
  }
  return {inputs.begin(), inputs.end()};
}

void Draft::name(Ref ref, const std::string& name) {
  Entry& entry = tensors_.at(ref);
  if (entry.kind == Kind::known) entry.name = name;
  if (entry.kind != Kind::result || entry.output != 0) return;
  steps_[entry.step].label = name;
  steps_[entry.step].named = true;
}

void Draft::mark_needed(const std::vector<Ref>& results) {
  for (const Ref ref : results) tensors_.at(ref).needed = tensors_[ref].is_result = true;
  for (auto step = steps_.rbegin(); step != steps_.rend(); ++step) {
    step->needed = std::ranges::any_of(step->results, [&](Ref ref) { return tensors_[ref].needed; });
    if (!step->needed) continue;
    for (const Ref ref : step->operands) tensors_[ref].needed = true;
  }
}

/// Writes a draft into a Graph: sources first, then the nodes in order.
class Draft::Emitter {
 public:
  Emitter(Draft& draft, formats::GraphFile& file) : draft_(draft), file_(file), values_(draft.tensors_.size()) {}

  void sources() {
    for (Ref ref = 0; ref < draft_.tensors_.size(); ++ref) {
      const Entry& entry = draft_.tensors_[ref];
      if (entry.kind == Kind::input) values_[ref] = file_.graph.input(unique(entry.name), entry.type);
    }
    // Names in the file are reserved before any are made up.
    for (const Step& step : draft_.steps_)
      if (step.needed && step.named) reserved_.insert(step.label);
    for (Ref ref = 0; ref < draft_.tensors_.size(); ++ref)
      if (is_param(draft_.tensors_[ref])) values_[ref] = add_param(draft_.tensors_[ref]);
  }
  void nodes() {
    for (const Step& step : draft_.steps_) {
      if (!step.needed) continue;
      std::vector<Value> operands;
      for (const Ref ref : step.operands) operands.push_back(value(ref));
      if (step.named) reserved_.erase(step.label);
      const auto results = file_.graph.add_all(unique(step.label), step.op, operands);
      for (std::size_t k = 0; k < results.size(); ++k) values_[step.results[k]] = results[k];
    }
  }
  /// A result that no node computes, or that another name stands for, gets a node, so that it can be looked at.
  Value result(Ref ref, const std::string& name) {
    const Entry& entry = draft_.tensors_[ref];
    const Value made = value(ref);
    if (entry.kind != Kind::input && file_.graph.name(made) == name) return made;
    return file_.graph.add(unique(name), ops::Reshape{.shape = entry.type.shape}, {made});
  }
  std::vector<std::optional<Value>> values() && { return std::move(values_); }

 private:
  /// Single numbers stay constants: what a graph means may depend on them.
  static bool is_param(const Entry& entry) {
    return entry.kind == Kind::known && entry.needed && !entry.is_result && entry.value->elements() != 1;
  }
  Value add_param(const Entry& entry) {
    const auto name = unique(entry.name.empty() ? "constant" : entry.name);
    const Value param = file_.graph.param(name, entry.type);
    file_.sources.emplace(name, std::move(*entry.value));
    return param;
  }
  Value value(Ref ref) {
    auto& made = values_[ref];
    const Entry& entry = draft_.tensors_[ref];
    if (!made) {
      const auto bytes = entry.value->bytes();
      made = file_.graph.add(
          unique(entry.name.empty() ? "constant" : entry.name),
          ops::Constant{
              .dtype = entry.type.dtype, .shape = entry.type.shape, .data = Bytes(bytes.begin(), bytes.end())},
          {});
    }
    return *made;
  }
  /// `name`, with a prime and a number behind it where it is taken.
  std::string unique(const std::string& name) {
    std::string free = name;
    while (file_.graph.find(free) || reserved_.contains(free)) free = cat(name, '\'', ++used_[name]);
    return free;
  }

  Draft& draft_;
  formats::GraphFile& file_;
  std::vector<std::optional<Value>> values_;
  std::set<std::string, std::less<>> reserved_;
  std::map<std::string, std::size_t> used_;  ///< numbers given to names that were taken
};

std::vector<std::optional<Value>> Draft::finish(const std::vector<Ref>& results, const std::vector<std::string>& names,
                                                formats::GraphFile& file) {
  mark_needed(results);
  Emitter emitter(*this, file);
  emitter.sources();
  emitter.nodes();
  for (std::size_t k = 0; k < results.size(); ++k) file.graph.returns(emitter.result(results[k], names[k]));
  return std::move(emitter).values();
}

}  // namespace plumb::ir::from_onnx
