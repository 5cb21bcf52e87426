// Sources, nodes and results of a definition's graph.
#include "parity/check/flashinfer/builder.hpp"

#include <algorithm>
#include <cstring>

#include "ir/convert.hpp"
#include "ir/files/path_below.hpp"
#include "ir/formats/tensor_files.hpp"
#include "ir/ops/cast.hpp"
#include "ir/ops/constant.hpp"
#include "ir/ops/reshape.hpp"
#include "parity/check/flashinfer/fields.hpp"

namespace plumb::parity::check::flashinfer {
namespace {

constexpr std::int64_t most_integers = std::int64_t{1} << 24;  ///< elements of an input of indices

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

std::vector<std::string> names_of(const std::vector<TensorSpec>& specs) {
  std::vector<std::string> names;
  for (const TensorSpec& spec : specs) names.push_back(spec.name);
  return names;
}

ir::Op constant_op(const ir::Tensor& tensor) {
  return ir::ops::Constant{tensor.dtype(), tensor.shape(), {tensor.bytes().begin(), tensor.bytes().end()}};
}

}  // namespace

void refuse(const Definition& definition, const std::string& why) {
  throw ir::Unsupported(ir::cat(definition.name, " (", definition.op_type, "): ", why));
}

Builder::Builder(const Task& task, Constants& constants) : task_(task), constants_(constants), random_(task.seed) {
  file_.directory = task.root;
  for (const bool is_param : {false, true})
    for (const TensorSpec& spec : task.definition.inputs) {
      if (spec.is_scalar() || is_param == ir::is_float(spec.dtype)) continue;
      const ir::TensorType type{spec.dtype, task.workload.extents(spec)};
      is_param ? graph_.param(spec.name, type) : graph_.input(spec.name, type);
      if (const auto* file = std::get_if<TensorInput>(&task.workload.inputs.find(spec.name)->second))
        file_.sources.emplace(spec.name, ir::formats::External{file->file, file->key});
    }
}

void Builder::expect(const std::vector<std::string>& inputs, const std::vector<std::string>& outputs,
                     const std::vector<std::string>& optional) const {
  const Definition& definition = task_.definition;
  std::vector<std::string> found = names_of(definition.inputs);
  if (!std::ranges::is_permutation(found, inputs))
    refuse(definition, ir::cat("has the inputs ", listed(found), "; built in is one of ", listed(inputs)));
  found = names_of(definition.outputs);
  std::erase_if(found, [&](const std::string& name) { return std::ranges::count(optional, name) > 0; });
  if (!std::ranges::is_permutation(found, outputs))
    refuse(definition, ir::cat("has the outputs ", listed(names_of(definition.outputs)), "; built in is one of ",
                               listed(outputs), optional.empty() ? "" : " and perhaps ", listed(optional)));
}

ir::Value Builder::value(std::string_view input) const { return graph_.find(input).value(); }

ir::Shape Builder::shape(std::string_view input, std::int64_t rank) const {
  const ir::TensorType& type = graph_.type(value(input));
  ir::require(type.shape.rank() == rank, task_.definition.name, ": input ", in_quotes(input), " must have rank ", rank,
              ", it is ", type);
  return type.shape;
}

double Builder::number(std::string_view scalar) const {
  const auto& source = std::get<ScalarInput>(task_.workload.inputs.find(scalar)->second);
  return std::visit([](const auto value) { return static_cast<double>(value); }, source.value);
}

bool Builder::truth(std::string_view scalar) const {
  const auto& source = std::get<ScalarInput>(task_.workload.inputs.find(scalar)->second);
  const bool* const found = std::get_if<bool>(&source.value);
  ir::require(found != nullptr, "workload ", in_quotes(task_.workload.uuid), ": input ", in_quotes(scalar),
              " must be true or false");
  return *found;
}

std::optional<std::vector<std::int64_t>> Builder::integers(std::string_view input) const {
  const ir::TensorType& wanted = graph_.type(value(input));
  ir::require(ir::is_integer(wanted.dtype), task_.definition.name, ": input ", in_quotes(input),
              " must have integers, it is ", wanted);
  ir::require(wanted.shape.elements() <= most_integers, task_.definition.name, ": input ", in_quotes(input), " is ",
              wanted, "; at most ", most_integers, " indices are possible");
  const auto* file = std::get_if<TensorInput>(&task_.workload.inputs.find(input)->second);
  if (file == nullptr) return std::nullopt;
  const std::string where = ir::cat("workload ", in_quotes(task_.workload.uuid), ": input ", in_quotes(input), ": ");
  try {
    const auto opened = ir::formats::open_tensors(ir::files::path_below(task_.root, file->file));
    ir::require(opened->contains(file->key), in_quotes(file->file), " has no tensor ", in_quotes(file->key));
    const ir::TensorType found = opened->type(file->key);
    ir::require(found == wanted, in_quotes(file->key), " is ", found, ", the definition says ", wanted);
    const ir::Tensor wide = ir::convert(opened->read(file->key), ir::DType::i64);
    const auto elements = wide.as<std::int64_t>();
    return std::vector<std::int64_t>(elements.begin(), elements.end());
  } catch (const ir::Error& error) {
    ir::fail(where, error.what());
  }
}

void Builder::feed(std::string_view input, const std::vector<std::int64_t>& elements) {
  const ir::TensorType& type = graph_.type(value(input));
  ir::Tensor wide({ir::DType::i64, type.shape});
  std::ranges::copy(elements, wide.as<std::int64_t>().begin());
  file_.sources.insert_or_assign(std::string(input), ir::convert(wide, type.dtype));
}

void Builder::feed_indices(std::string_view input, std::int64_t count) {
  if (std::holds_alternative<TensorInput>(task_.workload.inputs.find(input)->second)) return;
  ir::require(count > 0, task_.definition.name, ": there is nothing that ", in_quotes(input), " can be an index of");
  file_.sources.insert_or_assign(
      std::string(input),
      ir::formats::Generated{
          {.distribution = ir::Distribution::uniform_int, .low = 0, .high = static_cast<double>(count)}});
}

ir::Value Builder::add(const std::string& label, ir::Op op, std::vector<ir::Value> inputs) {
  std::string name = label;
  // Names of outputs are kept for what computes them.
  for (int k = 2; graph_.find(name) || has_output(name); ++k) name = ir::cat(label, '.', k);
  return graph_.add(std::move(name), std::move(op), std::move(inputs));
}

ir::Value Builder::cast(ir::Value value, ir::DType dtype) {
  if (graph_.type(value).dtype == dtype) return value;
  return add(graph_.name(value) + "." + std::string(ir::info(dtype).name), ir::ops::Cast{dtype}, {value});
}

ir::Value Builder::reshape(ir::Value value, std::vector<std::int64_t> shape) {
  return add(graph_.name(value) + ".reshaped", ir::ops::Reshape{std::move(shape)}, {value});
}

ir::Value Builder::constant(double number, ir::DType dtype) {
  ir::Tensor tensor({ir::DType::f64, {}});
  tensor.as<double>()[0] = number;
  return add("number", constant_op(ir::convert(tensor, dtype)), {});
}

ir::Value Builder::constant(const std::vector<std::int64_t>& elements, std::vector<std::int64_t> shape) {
  if (shape.empty()) shape = {static_cast<std::int64_t>(elements.size())};
  ir::Tensor tensor({ir::DType::i64, ir::Shape(std::span<const std::int64_t>(shape))});
  std::ranges::copy(elements, tensor.as<std::int64_t>().begin());
  return add("numbers", constant_op(tensor), {});
}

void Builder::result(const std::string& output, ir::Op op, std::vector<ir::Value> inputs) {
  const TensorSpec& spec = *task_.definition.output(output);
  const ir::TensorType wanted{spec.dtype, task_.workload.extents(spec)};
  ir::TensorTypes types;
  for (const ir::Value input : inputs) types.push_back(graph_.type(input));
  const ir::TensorType made = ir::infer(op, types).front();
  ir::require(!spec.is_scalar() && made.shape == wanted.shape, task_.definition.name, ": output ", in_quotes(output),
              " must be of shape ", made.shape, ", the definition says ", wanted.shape);
  ir::Value value = 0;
  if (made.dtype == wanted.dtype)
    value = graph_.add(output, std::move(op), std::move(inputs));
  else
    value = graph_.add(output, ir::ops::Cast{wanted.dtype}, {add(output + ".wide", std::move(op), std::move(inputs))});
  results_.emplace(output, value);
}

ir::formats::GraphFile Builder::finish() {
  for (const TensorSpec& spec : task_.definition.outputs) graph_.returns(results_.at(spec.name));
  return std::move(file_);
}

}  // namespace plumb::parity::check::flashinfer
