// Resize and its older self Upsample, and sampling by grids.

#include "ir/ops/resize.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "ir/formats/onnx/node_reader.hpp"
#include "ir/ops/affine_grid.hpp"
#include "ir/ops/grid_sample.hpp"

namespace plumb::ir::from_onnx {
namespace {

/// The new sizes of the named axes, with their scales or the ratio that all axes keep where the node has those.
struct Target {
  std::vector<std::int64_t> axes, sizes = {};
  std::vector<double> scales = {}, roi = {};  ///< roi: starts, then ends, where a region is cropped
  std::optional<ops::Resize::Ratio> kept = {};

  /// Whether axis k of so many elements stays as it is, unless a region is cropped.
  bool keeps(std::size_t k, std::int64_t extent) const {
    return sizes[k] == extent && (scales.empty() ? !kept || kept->y == kept->x : scales[k] == 1);
  }
};

bool crops(const NodeReader& node) { return node.text("coordinate_transformation_mode", "") == "tf_crop_and_resize"; }

/// Sizes that keep the ratio of the axes, where `policy` asks for it: in whole numbers, halves up.
void keep_ratio(const std::string& policy, const Shape& x, Target& target) {
  if (policy == "stretch") return;
  require(policy == "not_larger" || policy == "not_smaller",
          "keep_aspect_ratio_policy must be stretch, not_larger or not_smaller");
  constexpr std::int64_t most = std::int64_t{1} << 31;
  for (std::size_t k = 0; k < target.axes.size(); ++k) {
    const auto axis = target.axes[k], size = target.sizes[k], extent = x[x.axis(axis)];
    require(0 <= size && size < most && extent < most, "axis ", axis, " of ", extent, " elements has size ", size);
    if (extent == 0) continue;
    const auto difference = target.kept ? size * target.kept->x - target.kept->y * extent : 0;
    if (!target.kept || (policy == "not_larger" ? difference < 0 : difference > 0)) target.kept = {size, extent};
  }
  if (!target.kept) return;
  const auto [up, down] = *target.kept;
  for (std::size_t k = 0; k < target.axes.size(); ++k) {
    const auto axis = target.axes[k], extent = x[x.axis(axis)];
    require(static_cast<double>(extent) * static_cast<double>(up) < 0x1p61, "axis ", axis, " grows by ", up, "/", down);
    target.sizes[k] = (2 * extent * up + down) / (2 * down);
  }
  if (up == 0) target.kept.reset();
}

/// Adds the sizes that a scaled length may mean: floor(length · scale) in f32, as ONNX's shape inference and runtimes
/// compute it, which may round up to a whole number; that in f64; a size whose f32 ratio to the length is the scale.
void add_readings(double length, double scale, std::vector<std::int64_t>& readings) {
  const auto add = [&](double size) {
    if (size >= 0 && size < 0x1p40) readings.push_back(static_cast<std::int64_t>(size));
  };
  add(static_cast<double>(static_cast<float>(length) * static_cast<float>(scale)));
  add(length * scale);
  const double nearest = std::nearbyint(length * scale);
  if (static_cast<float>(nearest / length) == static_cast<float>(scale)) add(nearest);
}

/// Sizes by scales: of a region ONNX's text scales its length, runtimes that of the image. The file's declared shape
/// chooses.
void set_scales(NodeReader& node, const Shape& x, Target& target) {
  require(target.scales.size() == target.axes.size(), "has ", target.scales.size(), " scales for ", target.axes.size(),
          " axes");
  for (std::size_t k = 0; k < target.axes.size(); ++k) {
    const std::size_t axis = x.axis(target.axes[k]);
    const double extent = static_cast<double>(x[axis]), scale = target.scales[k];
    const double part = target.roi.empty() ? 1 : target.roi[k + target.axes.size()] - target.roi[k];
    std::vector<std::int64_t> readings;
    for (const double length : {extent * part, extent}) add_readings(length, scale, readings);
    require(scale > 0 && !readings.empty(), "axis ", target.axes[k], " has scale ", scale);
    target.sizes.push_back(node.declared_among(0, axis, readings));
  }
}

/// The region to crop, of all axes.
std::vector<double> read_roi(NodeReader& node, std::size_t axes) {
  auto roi = node.known_reals(1, "roi");
  require(roi.size() == 2 * axes, "roi has ", roi.size(), " entries for ", axes, " axes");
  return roi;
}

Target read_target(NodeReader& node, const Shape& x) {
  Target target{.axes = std::vector<std::int64_t>(x.size())};
  std::iota(target.axes.begin(), target.axes.end(), 0);
  if (node.opset() < 9) {
    const auto scales = node.reals("scales");
    require(scales.has_value(), "attribute 'scales' is missing");
    target.scales = *scales;
    set_scales(node, x, target);
    return target;
  }
  if (const auto axes = node.ints("axes")) target.axes = *axes;
  // It is known whatever the node has, and says something of sizes alone.
  const std::string policy(node.text("keep_aspect_ratio_policy", "stretch"));
  if (crops(node)) target.roi = read_roi(node, target.axes.size());
  const std::size_t at = node.opset() < 11 ? 1 : 2;
  if (node.has(at) && node.shape(node.in(at)).elements() > 0) {
    target.scales = node.known_reals(at, "scales");
    set_scales(node, x, target);
    return target;
  }
  require(node.has(3), "neither scales nor sizes are given");
  target.sizes = node.known_ints(3, "sizes");
  require(target.sizes.size() == target.axes.size(), "has ", target.sizes.size(), " sizes for ", target.axes.size(),
          " axes");
  for (std::size_t k = 0; k < target.axes.size(); ++k)
    require(x[x.axis(target.axes[k])] > 0 || target.sizes[k] == 0, "x is ", node.type(node.in(0)), ", sizes are ",
            Shape(target.sizes));
  keep_ratio(policy, x, target);
  return target;
}

ops::Resize manner_of(NodeReader& node) {
  if (node.opset() < 11)
    return {.mode = node.choice("mode", ops::ResizeMode::nearest),
            .coordinate = ops::ResizeCoordinate::asymmetric,
            .nearest_mode = ops::NearestMode::floor};
  return {.mode = node.choice("mode", ops::ResizeMode::nearest),
          .coordinate = node.choice("coordinate_transformation_mode", ops::ResizeCoordinate::half_pixel),
          .nearest_mode = node.choice("nearest_mode", ops::NearestMode::round_prefer_floor),
          .cubic_coeff_a = node.real("cubic_coeff_a", -0.75),
          .exclude_outside = node.integer("exclude_outside", 0) != 0,
          .antialias = node.integer("antialias", 0) != 0,
          .extrapolation_value = node.real("extrapolation_value", 0)};
}

/// A float that holds the numbers of an integer type or bool, which are cut off towards zero after they were resampled
/// by weights, as onnxruntime does it; ONNX says nothing of that. Floats hold their own.
DType float_for(DType dtype) {
  if (is_float(dtype)) return dtype;
  if (dtype == DType::i64 || is_complex(dtype)) NodeReader::unsupported("interpolates ", dtype);
  return info(dtype).bytes < 4 ? DType::f32 : DType::f64;
}

/// `manner` along the axes that are not as they were and that `takes` chooses.
template <class Takes>
Ref resized(NodeReader& node, Ref x, const Target& target, ops::Resize manner, const Takes& takes) {
  std::vector<std::size_t> kept;
  for (std::size_t k = 0; k < target.axes.size(); ++k) {
    const std::size_t axis = node.shape(x).axis(target.axes[k]);
    if (!takes(k) || (target.roi.empty() && target.keeps(k, node.shape(x)[axis]))) continue;
    kept.push_back(k);
    manner.axes.push_back(static_cast<std::int64_t>(axis));
    manner.sizes.push_back(target.sizes[k]);
    if (!target.scales.empty()) manner.scales.push_back(target.scales[k]);
  }
  if (kept.empty()) return x;
  for (const std::size_t edge : {std::size_t{0}, target.axes.size()})
    for (const std::size_t k : kept)
      if (!target.roi.empty()) manner.roi.push_back(target.roi[k + edge]);
  if (target.kept) {
    manner.ratios.assign(kept.size(), target.kept->y);
    manner.ratios.resize(2 * kept.size(), target.kept->x);
  }
  return node.add(manner, {x});
}

void resize(NodeReader& node) {
  const Ref x = node.in(0);
  const DType dtype = node.dtype(x);
  const Target target = read_target(node, node.shape(x));
  const ops::Resize manner = manner_of(node);
  if (manner.mode != ops::ResizeMode::nearest) {
    const Ref y = resized(node, node.cast(x, float_for(dtype)), target, manner, [](std::size_t) { return true; });
    return node.out(0, node.cast(y, dtype));
  }
  // Before opset 11 nearest is the element before where an axis grows, the one behind where it shrinks.
  const auto shrinks = [&](std::size_t k) { return node.opset() < 11 && target.scales[k] < 1; };
  ops::Resize shrinking = manner;
  shrinking.nearest_mode = ops::NearestMode::ceil;
  const Ref smaller = resized(node, x, target, shrinking, shrinks);
  node.out(0, resized(node, smaller, target, manner, [&](std::size_t k) { return !shrinks(k); }));
}

void grid_sample(NodeReader& node) {
  auto mode = node.text("mode", "linear");
  if (mode == "bilinear") mode = "linear";  // the words of opset 16
  if (mode == "bicubic") mode = "cubic";
  const ops::GridSample op{.mode = NodeReader::choice_of<ops::SampleMode>("mode", mode),
                           .padding = node.choice("padding_mode", ops::SamplePadding::zeros),
                           .align_corners = node.integer("align_corners", 0) != 0};
  // Image and grid may be of two types: both are computed in the wider one.
  const Ref x = node.in(0), grid = node.in(1);
  const DType image = float_for(node.dtype(x)), points = node.dtype(grid);
  const DType wide = image == points ? image : image == DType::f64 || points == DType::f64 ? DType::f64 : DType::f32;
  node.out(0, node.cast(node.add(op, {node.cast(x, wide), node.cast(grid, wide)}), node.dtype(x)));
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
