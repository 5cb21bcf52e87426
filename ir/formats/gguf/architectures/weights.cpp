// Compares what a file has with what a template wants.
#include "ir/formats/gguf/architectures/weights.hpp"

#include "ir/raw/utf8.hpp"

namespace plumb::ir::formats::gguf::architectures {

void Weights::need(const std::string& name, const Shape& shape, bool is_used) {
  if (!may(name, shape, is_used)) findings_.note(cat("tensor '", name, "' ", shape, " is missing"));
}

bool Weights::may(const std::string& name, const Shape& shape, bool is_used) {
  wanted_.insert_or_assign(name, is_used);
  const TensorInfo* const found = file_.tensor(name);
  if (found == nullptr) return false;
  const auto place = [&] { return cat("byte ", found->listed, ": tensor '", name, "' is "); };
  if (found->shape != shape) findings_.note(cat(place(), found->shape, ", the metadata imply ", shape));
  if (found->element.is_plain()) {
    if (!is_float(found->element.dtype)) findings_.note(cat(place(), "of ", found->element.name, ", wanted floats"));
  } else if (shape.size() < 2) {
    findings_.note(cat(place(), "of ", found->element.name, ", wanted floats"));
  } else if (!found->element.format()) {
    unsupported_ += cat(unsupported_.empty() ? "" : "\n", place(), "of ", found->element.name,
                        ", a format that is not implemented");
  }
  return true;
}

void Weights::note_others() {
  constexpr std::size_t longest = 80;
  for (const TensorInfo& tensor : file_.tensors())
    if (!wanted_.contains(tensor.name))
      findings_.note(cat("byte ", tensor.listed, ": tensor '", raw::shown(tensor.name, longest), "' ", tensor.shape,
                         " is none of this architecture"));
}

void Weights::declare(GraphFile& graph, const std::string& file_name) const {
  for (const TensorInfo& tensor : file_.tensors()) {
    const auto wanted = wanted_.find(tensor.name);
    if (wanted == wanted_.end() || !wanted->second) continue;
    graph.graph.param(std::string(tensor.name), tensor.type);
    graph.sources.emplace(tensor.name, External{file_name, std::string(tensor.name)});
  }
}

std::vector<double> Weights::numbers(const std::string& name) const {
  const Tensor wide = convert(file_.read(at(name)), DType::f64);
  const auto numbers = wide.as<double>();
  return {numbers.begin(), numbers.end()};
}

}  // namespace plumb::ir::formats::gguf::architectures
