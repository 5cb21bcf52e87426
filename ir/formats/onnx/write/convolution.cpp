// Convolutions, windows that are pooled, and images that are sampled.
#include <algorithm>
#include <cmath>

#include "ir/formats/onnx/write/geometry.hpp"
#include "ir/formats/onnx/write/writers.hpp"
#include "ir/ops/affine_grid.hpp"
#include "ir/ops/col2im.hpp"
#include "ir/ops/conv.hpp"
#include "ir/ops/conv_transpose.hpp"
#include "ir/ops/grid_sample.hpp"
#include "ir/ops/max_unpool.hpp"
#include "ir/ops/pool.hpp"
#include "ir/ops/resize.hpp"

namespace plumb::ir::to_onnx {
namespace {

void write_conv(const ops::Conv& op, NodeWriter& node) { set_convolution(node.add("Conv"), op, node.shape(1)); }

void write_conv_transpose(const ops::ConvTranspose& op, NodeWriter& node) {
  const Attributes made = node.add("ConvTranspose");
  made.integers("output_padding", or_all(op.output_padding, node.shape(1).size() - 2, 0));
  set_convolution(made, op, node.shape(1));
}

void write_col2im(const ops::Col2im& op, NodeWriter& node) {
  const Names operands = {node.in(0), node.stored(op.image_shape), node.stored(op.kernel_shape)};
  set_window(node.add("Col2Im", operands, {node.out()}), op, op.kernel_shape.size());
}

/// Whether every window along an axis has a tap inside the image.
bool all_see_the_image(const ops::Pool& op, std::size_t k, std::size_t axes, std::int64_t extent,
                       std::int64_t positions) {
  const std::int64_t stride = or_all(op.strides, axes, 1)[k], dilation = or_all(op.dilations, axes, 1)[k],
                     begin = or_all(op.pads, 2 * axes, 0)[k], taps = op.kernel_shape[k];
  for (std::int64_t o = 0; o < positions; ++o) {
    const std::int64_t first = o * stride - begin;
    const std::int64_t tap = first >= 0 ? 0 : (-first + dilation - 1) / dilation;
    if (tap >= taps || first + tap * dilation >= extent) return false;
  }
  return true;
}

void write_pool(const ops::Pool& op, NodeWriter& node) {
  using ops::PoolFunction;
  if (op.function == PoolFunction::sum) NodeWriter::refuse("it is ", enum_name(op.function));
  const std::size_t axes = op.kernel_shape.size();
  for (std::size_t k = 0; k < axes; ++k)
    if (!all_see_the_image(op, k, axes, node.shape(0)[k + 2], node.result_type().shape[k + 2]))
      NodeWriter::refuse("ONNX leaves open what windows are that see only padding");
  const std::string_view name = op.function == PoolFunction::max       ? "MaxPool"
                                : op.function == PoolFunction::average ? "AveragePool"
                                                                       : "LpPool";
  // Texts before opset 22 do not say that windows are left out that begin behind the image.
  if (op.ceil_mode) node.require_opset(22);
  Names results = {node.out()};
  if (op.with_indices) results.push_back(node.out(1));
  const Attributes made = node.add(name, node.ins(), results);
  made.integers("kernel_shape", op.kernel_shape).integer("ceil_mode", op.ceil_mode ? 1 : 0);
  set_window(made, op, axes);
  if (op.function == PoolFunction::average) made.integer("count_include_pad", op.count_include_pad ? 1 : 0);
  if (op.function == PoolFunction::lp) made.integer("p", op.p);
}

/// Windows that leave no gaps make an image of the extents that the op names.
void write_max_unpool(const ops::MaxUnpool& op, NodeWriter& node) {
  if (!op.output_shape.empty() && op.output_shape != op.inferred_shape)
    NodeWriter::refuse("ONNX leaves open what indices mean in an image of another shape");
  Numbers kernel;
  for (std::size_t k = 0; k < op.inferred_shape.size(); ++k)
    kernel.push_back(op.inferred_shape[k] - (node.shape(0)[k + 2] - 1));
  if (std::ranges::any_of(kernel, [](std::int64_t extent) { return extent < 1; }))
    NodeWriter::refuse("its image has fewer elements along an axis than there are windows");
  node.add("MaxUnpool").integers("kernel_shape", kernel);
}

/// The scales as ONNX takes them, in f32, which give the sizes of the op whether they are multiplied in f32 or f64.
Tensor scales_of(const ops::Resize& op, const Shape& x) {
  std::vector<float> scales;
  for (std::size_t k = 0; k < op.axes.size(); ++k) {
    const auto extent = static_cast<double>(x[x.axis(op.axes[k])]), size = static_cast<double>(op.sizes[k]);
    const auto scale = static_cast<float>(op.scales[k]);
    if (static_cast<double>(scale) != op.scales[k])
      NodeWriter::refuse("one of its scales is ", op.scales[k], ", and ONNX has scales in f32");
    if (std::floor(extent * op.scales[k]) != size || std::floor(static_cast<float>(extent) * scale) != size)
      NodeWriter::refuse("its sizes are not those that ONNX makes of its scales");
    scales.push_back(scale);
  }
  return Tensor::of<float>({static_cast<std::int64_t>(scales.size())}, scales);
}

void write_resize(const ops::Resize& op, NodeWriter& node) {
  if (!op.ratios.empty()) NodeWriter::refuse("its scales are not those of its sizes");
  if (op.coordinate == ops::ResizeCoordinate::tf_crop_and_resize) NodeWriter::refuse("it crops");
  if (op.axes.empty()) {
    node.add("Identity");
    return;
  }
  Names operands = {node.in(0), ""};
  if (op.scales.empty())
    operands.insert(operands.end(), {"", node.stored(op.sizes)});
  else
    operands.push_back(node.stored(scales_of(op, node.shape(0))));
  const Attributes made = node.add("Resize", operands, {node.out()});
  made.integers("axes", op.axes)
      .text("mode", enum_name(op.mode))
      .text("coordinate_transformation_mode", enum_name(op.coordinate))
      .text("nearest_mode", enum_name(op.nearest_mode))
      .integer("exclude_outside", op.exclude_outside ? 1 : 0)
      .integer("antialias", op.antialias ? 1 : 0);
  if (op.mode == ops::ResizeMode::cubic) made.real("cubic_coeff_a", op.cubic_coeff_a);
}

void write_grid_sample(const ops::GridSample& op, NodeWriter& node) {
  node.add("GridSample")
      .text("mode", enum_name(op.mode))
      .text("padding_mode", enum_name(op.padding))
      .integer("align_corners", op.align_corners ? 1 : 0);
}

/// ONNX defines it by operators in theta's dtype, each of which would round to 16 bits.
void write_affine_grid(const ops::AffineGrid& op, NodeWriter& node) {
  if (op.align_corners && std::ranges::count(op.output_shape, 1) != 0)
    NodeWriter::refuse("ONNX does not say where corners are aligned of a single point");
  Numbers size = {node.shape(0)[0], 1};
  size.insert(size.end(), op.output_shape.begin(), op.output_shape.end());
  const Names operands = {node.wide(0), node.stored(size)};
  node.rounded([&](const std::string& y) {
    node.add("AffineGrid", node.compute_dtype(), operands, {y}).integer("align_corners", op.align_corners ? 1 : 0);
  });
}

}  // namespace

std::span<const Writer> convolution_writers() {
  static constexpr Writer table[] = {
      writer<ops::AffineGrid, write_affine_grid>,
      writer<ops::Col2im, write_col2im>,
      writer<ops::Conv, write_conv>,
      writer<ops::ConvTranspose, write_conv_transpose>,
      writer<ops::GridSample, write_grid_sample>,
      writer<ops::MaxUnpool, write_max_unpool>,
      writer<ops::Pool, write_pool>,
      writer<ops::Resize, write_resize>,
  };
  return table;
}

}  // namespace plumb::ir::to_onnx
