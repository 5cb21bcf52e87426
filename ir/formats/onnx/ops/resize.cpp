// Resize and its older self Upsample, and sampling by grids.

#include "ir/ops/resize.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "ir/formats/onnx/node_reader.hpp"
#include "ir/ops/affine_grid.hpp"
#include "ir/ops/grid_sample.hpp"

namespace plumb::ir::from_onnx {
namespace {

/// What each axis named becomes.
struct Target {
  std::vector<std::int64_t> axes, sizes;
  std::vector<double> scales;
};

/// Sizes that keep the ratio of the axes, where that is asked for.
void keep_ratio(NodeReader& node, const Shape& x, Target& target) {
  const auto policy = node.text("keep_aspect_ratio_policy", "stretch");
  if (policy == "stretch" || target.axes.empty()) return;
  require(policy == "not_larger" || policy == "not_smaller",
          "keep_aspect_ratio_policy must be stretch, not_larger or not_smaller");
  const double scale =
      policy == "not_larger" ? *std::ranges::min_element(target.scales) : *std::ranges::max_element(target.scales);
  for (std::size_t k = 0; k < target.axes.size(); ++k) {
    target.scales[k] = scale;
    const double size = std::floor(scale * static_cast<double>(x[x.axis(target.axes[k])]) + 0.5);
    require(size < 0x1p40, "axis ", target.axes[k], " would have ", size, " elements");
    target.sizes[k] = static_cast<std::int64_t>(size);
  }
}

void set_scales(const Shape& x, std::vector<double> scales, Target& target) {
  require(scales.size() == target.axes.size(), "has ", scales.size(), " scales for ", target.axes.size(), " axes");
  target.scales = std::move(scales);
  for (std::size_t k = 0; k < target.axes.size(); ++k) {
    const double size = std::floor(target.scales[k] * static_cast<double>(x[x.axis(target.axes[k])]));
    require(target.scales[k] > 0 && size < 0x1p40, "axis ", target.axes[k], " has scale ", target.scales[k]);
    target.sizes.push_back(static_cast<std::int64_t>(size));
  }
}

Target read_target(NodeReader& node, const Shape& x) {
  Target target{.axes = std::vector<std::int64_t>(x.size()), .sizes = {}, .scales = {}};
  std::iota(target.axes.begin(), target.axes.end(), 0);
  if (node.opset() < 9) {
    const auto scales = node.reals("scales");
    require(scales.has_value(), "attribute 'scales' is missing");
    set_scales(x, *scales, target);
    return target;
  }
  if (const auto axes = node.ints("axes")) target.axes = *axes;
  const std::size_t at = node.opset() < 11 ? 1 : 2;
  const bool has_scales = node.has(at) && node.shape(node.in(at)).elements() > 0;
  if (has_scales) {
    set_scales(x, node.known_reals(at, "scales"), target);
    return target;
  }
  require(node.has(3), "neither scales nor sizes are given");
  target.sizes = node.known_ints(3, "sizes");
  require(target.sizes.size() == target.axes.size(), "has ", target.sizes.size(), " sizes for ", target.axes.size(),
          " axes");
  for (std::size_t k = 0; k < target.axes.size(); ++k) {
    const auto extent = x[x.axis(target.axes[k])];
    require(extent > 0 || target.sizes[k] == 0, "x is ", node.type(node.in(0)), ", sizes are ", Shape(target.sizes));
    target.scales.push_back(extent > 0 ? static_cast<double>(target.sizes[k]) / static_cast<double>(extent) : 1);
  }
  keep_ratio(node, x, target);
  return target;
}

/// The region to crop, of the axes that are resized.
std::vector<double> read_roi(NodeReader& node, std::size_t axes, const std::vector<std::size_t>& kept) {
  const auto roi = node.known_reals(1, "roi");
  require(roi.size() == 2 * axes, "roi has ", roi.size(), " entries for ", axes, " axes");
  std::vector<double> chosen;
  for (const std::size_t k : kept) chosen.push_back(roi[k]);
  for (const std::size_t k : kept) chosen.push_back(roi[k + axes]);
  return chosen;
}

ops::Resize manner_of(NodeReader& node) {
  if (node.opset() < 11)
    return {.mode = node.choice("mode", ops::ResizeMode::nearest),
            .coordinate = ops::ResizeCoordinate::asymmetric,
            .nearest_mode = ops::NearestMode::floor};
  if (node.text("coordinate_transformation_mode", "") == "tf_half_pixel_for_nn")
    NodeReader::unsupported("no op has the coordinates tf_half_pixel_for_nn");
  return {.mode = node.choice("mode", ops::ResizeMode::nearest),
          .coordinate = node.choice("coordinate_transformation_mode", ops::ResizeCoordinate::half_pixel),
          .nearest_mode = node.choice("nearest_mode", ops::NearestMode::round_prefer_floor),
          .cubic_coeff_a = node.real("cubic_coeff_a", -0.75),
          .exclude_outside = node.integer("exclude_outside", 0) != 0,
          .antialias = node.integer("antialias", 0) != 0,
          .extrapolation_value = node.real("extrapolation_value", 0)};
}

void resize(NodeReader& node) {
  const Ref x = node.in(0);
  const Target target = read_target(node, node.shape(x));
  ops::Resize op = manner_of(node);
  const bool crops = op.coordinate == ops::ResizeCoordinate::tf_crop_and_resize;
  std::vector<std::size_t> kept;
  for (std::size_t k = 0; k < target.axes.size(); ++k) {
    const auto axis = node.shape(x).axis(target.axes[k]);
    if (!crops && target.scales[k] == 1 && target.sizes[k] == node.shape(x)[axis]) continue;
    kept.push_back(k);
    op.axes.push_back(static_cast<std::int64_t>(axis));
    op.sizes.push_back(target.sizes[k]);
    op.scales.push_back(target.scales[k]);
  }
  if (kept.empty()) return node.out(0, x);
  if (crops) op.roi = read_roi(node, target.axes.size(), kept);
  node.out(0, node.add(op, {x}));
}

void grid_sample(NodeReader& node) {
  auto mode = node.text("mode", "linear");
  if (mode == "bilinear") mode = "linear";  // the words of opset 16
  if (mode == "bicubic") mode = "cubic";
  const ops::GridSample op{.mode = NodeReader::choice_of<ops::SampleMode>("mode", mode),
                           .padding = node.choice("padding_mode", ops::SamplePadding::zeros),
                           .align_corners = node.integer("align_corners", 0) != 0};
  node.out(0, node.add(op, {node.in(0), node.in(1)}));
}

void affine_grid(NodeReader& node) {
  const auto size = node.known_ints(1, "size");
  require(size.size() > 2, "size has ", size.size(), " entries");
  const ops::AffineGrid op{.output_shape = {size.begin() + 2, size.end()},
                           .align_corners = node.integer("align_corners", 0) != 0};
  node.out(0, node.add(op, {node.in(0)}));
}

}  // namespace

std::span<const Converter> resize_converters() {
  static constexpr Converter table[] = {
      {"AffineGrid", affine_grid}, {"GridSample", grid_sample}, {"Resize", resize}, {"Upsample", resize}};
  return table;
}

}  // namespace plumb::ir::from_onnx
