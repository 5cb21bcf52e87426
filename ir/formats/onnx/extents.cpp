// Settles the extents that a model leaves open, by flags, by what its inputs are given and by what is expected of it.
#include "ir/formats/onnx/extents.hpp"

#include <algorithm>
#include <array>
#include <cctype>

#include "ir/formats/onnx/names.hpp"
#include "ir/formats/onnx/tensor_proto.hpp"

namespace plumb::ir::from_onnx {
namespace {

constexpr std::int64_t is_open = -1;

std::string axis_of(std::string_view what, const std::string& name, std::size_t axis) {
  return cat(what, " '", clean(name), "', axis ", axis);
}

const auto& dimensions_of(const ::onnx::ValueInfoProto& value) { return value.type().tensor_type().shape().dim(); }

}  // namespace

std::string_view symbol_of(const ::onnx::TensorShapeProto_Dimension& dimension) {
  const std::string& name = dimension.dim_param();
  const auto is_of_a_name = [](unsigned char c) { return std::isalpha(c) != 0 || c == '_' || c >= 0x80; };
  const bool is_name = std::ranges::any_of(name, is_of_a_name) && name != "None";
  return is_name ? std::string_view(name) : std::string_view();
}

Extents::Extents(const ::onnx::GraphProto& graph, const formats::OnnxOptions& options) : options_(options) {
  for (const auto& [name, extents] : options.shapes)
    if (extents.size() == 1) symbols_[name] = {extents[0], cat("--shape ", clean(name), "=", extents[0])};
  learn_from_inputs(graph);
  learn_from_expected(graph);
}

/// Whom two inputs contradict is the later one's error: the first to say it is believed.
void Extents::learn_from_inputs(const ::onnx::GraphProto& graph) {
  for (const auto& input : graph.input()) {
    const auto given = options_.given.find(input.name());
    const auto shape = options_.shapes.find(input.name());
    if (given == options_.given.end() && shape == options_.shapes.end()) continue;
    const Shape known = given != options_.given.end() ? given->second.shape() : Shape(shape->second);
    const auto& dimensions = dimensions_of(input);
    for (std::size_t k = 0; k < known.size() && k < static_cast<std::size_t>(dimensions.size()); ++k)
      if (const auto symbol = symbol_of(dimensions[static_cast<int>(k)]); !symbol.empty())
        symbols_.emplace(symbol, Settled{known[k], axis_of("input", input.name(), k)});
  }
}

/// A symbol of an output that an input settles is the input's: exporters write "time" for the axis of an output that is
/// shorter, and whether the output is right is seen when it has been computed.
void Extents::learn_from_expected(const ::onnx::GraphProto& graph) {
  std::map<std::string, Settled, std::less<>> found;
  const auto learn = [&](const ::onnx::ValueInfoProto& value, std::string_view what) {
    const auto expected = options_.expected.find(value.name());
    if (expected == options_.expected.end()) return;
    const auto& dimensions = dimensions_of(value);
    for (std::size_t k = 0; k < expected->second.size() && k < static_cast<std::size_t>(dimensions.size()); ++k) {
      const auto symbol = symbol_of(dimensions[static_cast<int>(k)]);
      if (symbol.empty() || symbols_.contains(symbol)) continue;
      const std::int64_t extent = expected->second[k];
      const auto [settled, is_new] = found.emplace(symbol, Settled{extent, axis_of(what, value.name(), k)});
      if (!is_new && settled->second.extent != extent)
        problems_.push_back(cat(axis_of(what, value.name(), k), ": is '", clean(symbol), "', expected with ", extent,
                                ", but with ", settled->second.extent, " of ", settled->second.by));
    }
  };
  for (const auto& value : graph.output()) learn(value, "output");
  for (const auto& value : graph.value_info()) learn(value, "value");
  symbols_.merge(found);
}

/// The extents that somebody gave for this very input, -1 for each where nobody did.
Shape Extents::told(const ::onnx::ValueInfoProto& input) const {
  const auto& type = input.type().tensor_type();
  const auto given = options_.given.find(input.name());
  const auto shape = options_.shapes.find(input.name());
  const bool is_given = given != options_.given.end(), is_shaped = shape != options_.shapes.end();
  if (is_given && is_shaped) {
    const Shape& one = given->second.shape();
    const Shape other(shape->second);
    require(one.size() == other.size(), "is ", type_text(input.type()), ", given ", one, ", but --shape says ", other);
    for (std::size_t k = 0; k < one.size(); ++k)
      require(one[k] == other[k], "is ", type_text(input.type()), ": axis ", k, " is given with ", one[k],
              ", but --shape says ", other[k]);
  }
  if (is_given) return given->second.shape();
  if (is_shaped) return Shape(shape->second);
  require(type.has_shape(), "has no shape in the file; give one, as in --shape ", clean(input.name()), "=1,3,224,224");
  Shape none;
  for (int k = 0; k < type.shape().dim_size(); ++k) none.push_back(is_open);
  return none;
}

namespace {

/// "x=2,1,64": what --shape may say of an input, with 1 for what is open.
std::string example_of(const ::onnx::ValueInfoProto& input) {
  std::string text = clean(input.name()) + "=";
  const auto& dimensions = input.type().tensor_type().shape().dim();
  for (int k = 0; k < dimensions.size(); ++k)
    text += cat(k == 0 ? "" : ",", dimensions[k].has_dim_value() ? dimensions[k].dim_value() : 1);
  return text;
}

}  // namespace

std::int64_t Extents::open_extent(const ::onnx::ValueInfoProto& input,
                                  const ::onnx::TensorShapeProto_Dimension& dimension, std::size_t axis,
                                  std::int64_t told) const {
  const auto symbol = symbol_of(dimension);
  const auto settled = symbol.empty() ? symbols_.end() : symbols_.find(symbol);
  if (settled != symbols_.end()) {
    require(told == is_open || told == settled->second.extent, "is ", type_text(input.type()), ": axis ", axis, " is '",
            clean(symbol), "', given with ", told, ", but ", settled->second.extent, " by ", settled->second.by);
    return settled->second.extent;
  }
  if (told != is_open) return told;
  if (options_.rest) return *options_.rest;
  fail("is ", type_text(input.type()), ": which extents are meant? give them, as in --shape ", example_of(input),
       symbol.empty() ? "" : cat(" or --shape ", clean(symbol), "=1"),
       ", or those of all that is open by --shape '*=1'");
}

TensorType Extents::type_of(const ::onnx::ValueInfoProto& input) const {
  const auto& type = input.type();
  if (!type.has_tensor_type()) throw Unsupported(cat("is a ", type_text(type), ", tensors are read"));
  TensorType result{dtype_of(type.tensor_type().elem_type()), told(input)};
  const auto given = options_.given.find(input.name());
  require(given == options_.given.end() || given->second.dtype() == result.dtype, "is ", type_text(type), ", given ",
          given == options_.given.end() ? TensorType{} : given->second.type());
  if (!type.tensor_type().has_shape()) {
    check_type(result);
    return result;
  }
  const auto& dimensions = type.tensor_type().shape().dim();
  require(static_cast<std::size_t>(dimensions.size()) == result.shape.size(), "is ", type_text(type), ", given ",
          result.shape);
  for (std::size_t k = 0; k < result.shape.size(); ++k) {
    auto& extent = result.shape[k];
    const auto& dimension = dimensions[static_cast<int>(k)];
    if (!dimension.has_dim_value()) {
      extent = open_extent(input, dimension, k, extent);
      continue;
    }
    require(extent == is_open || extent == dimension.dim_value(), "is ", type_text(type), ", given ", result.shape,
            ": axis ", k, " is ", dimension.dim_value(), " in the file and ", extent, " as given");
    extent = dimension.dim_value();
  }
  check_type(result);
  return result;
}

std::vector<std::string> Extents::left_open(const ::onnx::ValueInfoProto& input) const {
  std::vector<std::string> open;
  const std::string& name = input.name();
  if (!input.type().has_tensor_type() || options_.given.contains(name) || options_.shapes.contains(name)) return open;
  bool has_nameless = !input.type().tensor_type().has_shape();
  for (const auto& dimension : dimensions_of(input)) {
    const auto symbol = symbol_of(dimension);
    if (dimension.has_dim_value() || options_.rest || symbols_.contains(symbol)) continue;
    if (symbol.empty())
      has_nameless = true;
    else
      open.push_back(cat(clean(symbol), "=1"));
  }
  if (has_nameless) open.push_back(clean(name) + "=1,...");
  return open;
}

}  // namespace plumb::ir::from_onnx
