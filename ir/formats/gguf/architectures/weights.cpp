// Compares what a model has with what a template wants.
#include "ir/formats/gguf/architectures/weights.hpp"

#include "ir/raw/utf8.hpp"

namespace plumb::ir::formats::gguf::architectures {

std::string Weights::place_of(const Parts::Tensor& found) const {
  constexpr std::size_t longest = 80;
  const std::string part = parts_.count() > 1 ? found.part->name + ": " : "";
  return cat(part, "byte ", found.tensor.listed, ": tensor '", raw::shown(found.tensor.name, longest), "' ");
}

void Weights::need(const std::string& name, const Shape& shape, bool is_used) {
  if (!may(name, shape, is_used)) findings_.note(cat("tensor '", name, "' ", shape, " is missing"));
}

bool Weights::may(const std::string& name, const Shape& shape, bool is_used) {
  wanted_.insert_or_assign(name, is_used);
  const Parts::Tensor* const found = parts_.find(name);
  if (found == nullptr) return false;
  const ElementType& element = found->tensor.element;
  const std::string is = place_of(*found) + "is ";
  if (found->tensor.shape != shape) findings_.note(cat(is, found->tensor.shape, ", the metadata imply ", shape));
  if (element.is_plain() ? !is_float(element.dtype) : shape.size() < 2)
    findings_.note(cat(is, "of ", element.name, ", wanted floats"));
  else if (!element.is_plain() && !element.format())
    unsupported_ += cat(unsupported_.empty() ? "" : "\n", is, "of ", element.name, ", which is not implemented");
  return true;
}

void Weights::need_experts(const std::string& prefix, std::int64_t experts, const Shape& matrix, bool is_used) {
  const std::string all = prefix + "_exps.weight", first = prefix + ".0.weight";
  Shape bank = matrix;
  bank.insert(bank.begin(), experts);
  if (has(all) || !has(first)) return need(all, bank, is_used);
  // The first that is missing is the last that is looked for: metadata may claim any number of them in each block.
  for (std::int64_t e = 0; e < experts; ++e) {
    const std::string name = cat(prefix, '.', e, ".weight");
    if (!may(name, matrix, is_used))
      return findings_.note(cat("tensor '", name, "' ", matrix, " is missing; experts behind it are not looked at"));
    if (at(name).element.id != at(first).element.id)
      findings_.note(cat("tensor '", name, "' is of ", at(name).element.name, ", and that of expert 0 of ",
                         at(first).element.name));
  }
}

void Weights::ignore_all(std::string_view prefix) {
  for (const Parts::Tensor& one : parts_)
    if (std::string_view(one.tensor.name).starts_with(prefix)) ignore(std::string(one.tensor.name));
}

void Weights::note_others() {
  for (const Parts::Tensor& one : parts_)
    if (!wanted_.contains(one.tensor.name))
      findings_.note(cat(place_of(one), one.tensor.shape, " is none of this architecture"));
}

void Weights::declare(GraphFile& graph) const {
  for (const Parts::Tensor& one : parts_) {
    const auto wanted = wanted_.find(one.tensor.name);
    if (wanted == wanted_.end() || !wanted->second) continue;
    const std::string name(one.tensor.name);
    graph.graph.param(name, one.tensor.type);
    graph.sources.emplace(name, External{one.part->name, name});
  }
}

std::vector<double> Weights::numbers(const std::string& name) const {
  const Parts::Tensor& found = *parts_.find(name);
  const Tensor wide = convert(found.part->file.read(found.tensor), DType::f64);
  const auto numbers = wide.as<double>();
  return {numbers.begin(), numbers.end()};
}

}  // namespace plumb::ir::formats::gguf::architectures
