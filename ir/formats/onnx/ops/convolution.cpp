// Convolution and pooling.

#include "ir/convert.hpp"
#include "ir/formats/onnx/window.hpp"
#include "ir/ops/conv.hpp"

namespace plumb::ir::from_onnx {
namespace {

/// The spatial extents of a kernel [M, C, k..].
std::vector<std::int64_t> kernel_of(NodeReader& node, Ref w) {
  const Shape& shape = node.shape(w);
  require(shape.rank() >= 3, "w must have spatial axes, got ", node.type(w));
  const std::vector<std::int64_t> kernel(shape.begin() + 2, shape.end());
  require(node.ints("kernel_shape").value_or(kernel) == kernel, "kernel_shape is ",
          Shape(node.ints("kernel_shape").value_or(kernel)), ", w is ", node.type(w));
  return kernel;
}

std::vector<Ref> operands_of(NodeReader& node) {
  std::vector<Ref> operands = {node.in(0), node.in(1)};
  if (node.has(2)) operands.push_back(node.in(2));
  return operands;
}

void conv(NodeReader& node) {
  const Window window = read_window(node, node.shape(node.in(0)), kernel_of(node, node.in(1)));
  node.out(0, node.add(ops::Conv{.strides = window.strides,
                                 .dilations = window.dilations,
                                 .pads = window.pads,
                                 .group = node.integer("group", 1),
                                 .has_bias = node.has(2)},
                       operands_of(node)));
}

void conv_transpose(NodeReader& node) {
  std::vector<std::int64_t> output_padding;
  const Window window =
      read_transposed_window(node, node.shape(node.in(0)), kernel_of(node, node.in(1)), output_padding);
  const Attributes attributes = {{"strides", window.strides}, {"dilations", window.dilations},
                                 {"pads", window.pads},       {"output_padding", output_padding},
                                 {"has_bias", node.has(2)},   {"group", node.integer("group", 1)}};
  node.out(0, node.add(NodeReader::op("conv_transpose", attributes), operands_of(node)));
}

Attributes pooled(NodeReader& node, const std::string& function) {
  const auto kernel = node.ints("kernel_shape");
  require(kernel.has_value(), "attribute 'kernel_shape' is missing");
  const Window window = read_window(node, node.shape(node.in(0)), *kernel);
  return {{"function", function},      {"kernel_shape", window.kernel},
          {"strides", window.strides}, {"dilations", window.dilations},
          {"pads", window.pads},       {"ceil_mode", node.integer("ceil_mode", 0) != 0}};
}

void max_pool(NodeReader& node) {
  auto attributes = pooled(node, "max");
  if (node.wants(1) && node.integer("storage_order", 0) != 0)
    NodeReader::unsupported("its indices count by columns (storage_order 1), ours by rows");
  attributes["with_indices"] = node.wants(1);
  const auto results = node.add_all(NodeReader::op("pool", attributes), {node.in(0)});
  for (std::size_t k = 0; k < results.size(); ++k) node.out(k, results[k]);
}

void average_pool(NodeReader& node) {
  auto attributes = pooled(node, "average");
  attributes["count_include_pad"] = node.integer("count_include_pad", 0) != 0;
  node.out(0, node.add(NodeReader::op("pool", attributes), {node.in(0)}));
}

void lp_pool(NodeReader& node) {
  auto attributes = pooled(node, "lp");
  attributes["p"] = node.opset() < 2 ? convert_value<std::int64_t>(node.real("p", 2)) : node.integer("p", 2);
  node.out(0, node.add(NodeReader::op("pool", attributes), {node.in(0)}));
}

void max_unpool(NodeReader& node) {
  const auto kernel = node.ints("kernel_shape");
  require(kernel.has_value(), "attribute 'kernel_shape' is missing");
  const Shape& x = node.shape(node.in(0));
  const Window window = read_window(node, x, *kernel);
  std::vector<std::int64_t> inferred;
  for (std::size_t k = 0; k < kernel->size(); ++k)
    inferred.push_back((x[k + 2] - 1) * window.strides[k] - window.pads[k] - window.pads[k + kernel->size()] +
                       window.kernel[k]);
  auto output = node.has(2) ? node.known_ints(2, "output_shape") : inferred;
  if (output.size() == inferred.size() + 2) output.erase(output.begin(), output.begin() + 2);
  const Attributes attributes = {{"inferred_shape", inferred}, {"output_shape", output}};
  node.out(0, node.add(NodeReader::op("max_unpool", attributes), {node.in(0), node.in(1)}));
}

void col2im(NodeReader& node) {
  const auto image = node.known_ints(1, "image_shape"), block = node.known_ints(2, "block_shape");
  Shape whole = {1, 1};
  whole.insert(whole.end(), image.begin(), image.end());
  const Window window = read_window(node, whole, block);
  const Attributes attributes = {{"image_shape", image},
                                 {"kernel_shape", block},
                                 {"strides", window.strides},
                                 {"dilations", window.dilations},
                                 {"pads", window.pads}};
  node.out(0, node.add(NodeReader::op("col2im", attributes), {node.in(0)}));
}

}  // namespace

std::span<const Converter> convolution_converters() {
  static constexpr Converter table[] = {
      {"AveragePool", average_pool},     {"Col2Im", col2im},  {"Conv", conv},
      {"ConvTranspose", conv_transpose}, {"LpPool", lp_pool}, {"MaxPool", max_pool},
      {"MaxUnpool", max_unpool},
  };
  return table;
}

}  // namespace plumb::ir::from_onnx
