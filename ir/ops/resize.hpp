// Declares resampling along axes: ONNX's coordinates, kernels and rounding; taps are made elsewhere.
#pragma once

#include <cmath>

#include "ir/kernels/op_loops.hpp"
#include "ir/op.hpp"

namespace plumb::ir::ops {

enum class ResizeMode { nearest, linear, cubic };
constexpr auto enum_names(ResizeMode) { return std::array<std::string_view, 3>{"nearest", "linear", "cubic"}; }

enum class ResizeCoordinate {
  half_pixel,
  half_pixel_symmetric,
  pytorch_half_pixel,
  align_corners,
  asymmetric,
  tf_crop_and_resize,
  tf_half_pixel_for_nn
};
constexpr auto enum_names(ResizeCoordinate) {
  return std::array<std::string_view, 7>{"half_pixel", "half_pixel_symmetric", "pytorch_half_pixel",  "align_corners",
                                         "asymmetric", "tf_crop_and_resize",   "tf_half_pixel_for_nn"};
}

enum class NearestMode { round_prefer_floor, round_prefer_ceil, floor, ceil };
constexpr auto enum_names(NearestMode) {
  return std::array<std::string_view, 4>{"round_prefer_floor", "round_prefer_ceil", "floor", "ceil"};
}

/// x resampled along some axes (ops.md 9, ONNX Resize-19). Which elements an output is made of, and
/// by which weights, is said by ir/kernels/resize_taps.hpp.
struct Resize {
  std::vector<std::int64_t> axes{}, sizes{};
  std::vector<double> scales{};
  std::vector<std::int64_t> ratios{};
  ResizeMode mode = ResizeMode::nearest;
  ResizeCoordinate coordinate = ResizeCoordinate::half_pixel;
  NearestMode nearest_mode = NearestMode::round_prefer_floor;
  double cubic_coeff_a = -0.75;
  bool exclude_outside = false;
  bool antialias = false;
  std::vector<double> roi{};
  double extrapolation_value = 0;

  static constexpr auto name = "resize";
  static constexpr auto summary = "resampling along axes";
  static constexpr auto formula =
      "y[.., i, ..] = Σ w((j − u)·f)·x[.., clamp(j), ..] over the taps j around u, the source of i, along each axis";
  static constexpr int tier = 2;
  static constexpr std::array inputs = {Input{"x", dtypes::any, "[..]"}};
  static constexpr std::array outputs = {Output{"y", "as x, extents `sizes` along `axes`"}};
  static constexpr std::array<std::string_view, 5> checks = {
      "axes must be distinct, sizes as many and at least 0, scales none or as many and positive, within 2^-60 and "
      "2^60, ratios none or, without scales, two an axis and at least 1, the taps along an axis fewer than 2^31, the "
      "products of sizes, extents and ratios below 2^61",
      "x must have elements along axes of which y has some", "tf_crop_and_resize must have two roi entries an axis",
      "nearest must be without antialias", "linear and cubic must have real x"};
  static constexpr auto fields = std::tuple{
      Field{"axes", &Resize::axes, "the axes resampled; negative counts from the end", Presence::required},
      Field{"sizes", &Resize::sizes, "extents of y along them", Presence::required},
      Field{"scales", &Resize::scales,
            "extents of y over those of x, as coordinates take them; empty means sizes/extents, in whole numbers"},
      Field{"ratios", &Resize::ratios, "in place of scales, exact: numerators, then denominators"},
      Field{"mode", &Resize::mode, "kernel of the interpolation"},
      Field{"coordinate", &Resize::coordinate, "how a position of y becomes one of x"},
      Field{"nearest_mode", &Resize::nearest_mode, "which element is nearest"},
      Field{"cubic_coeff_a", &Resize::cubic_coeff_a, "a of the cubic kernel of Keys"},
      Field{"exclude_outside", &Resize::exclude_outside, "taps outside x weigh nothing, the others as much more"},
      Field{"antialias", &Resize::antialias, "kernels are stretched where the image shrinks"},
      Field{"roi", &Resize::roi, "of tf_crop_and_resize: starts, then ends, as parts of the extents"},
      Field{"extrapolation_value", &Resize::extrapolation_value,
            "of tf_crop_and_resize: y where its source is outside"},
  };

  /// Half the support of the kernel.
  double radius() const { return mode == ResizeMode::cubic ? 2 : 1; }

  /// The exact scale y/x of the k-th axis, which has `extent` elements in the input; for ops without `scales`.
  struct Ratio {
    std::int64_t y, x;
  };
  Ratio ratio(std::size_t k, std::int64_t extent) const {
    return ratios.empty() ? Ratio{sizes[k], extent} : Ratio{ratios[k], ratios[k + axes.size()]};
  }

  /// The k-th axis' scale, of an extent of x, rounded to f64.
  double scale(std::size_t k, std::int64_t extent) const {
    if (!scales.empty()) return scales[k];
    const Ratio exact = ratio(k, extent);
    return static_cast<double>(exact.y) / static_cast<double>(exact.x);
  }

  TensorTypes infer(Types in) const {
    const auto& x = in[0].shape;
    check(*this, 1, sizes.size() == axes.size() && (scales.empty() || scales.size() == axes.size()), "got ",
          axes.size(), " axes, ", sizes.size(), " sizes, ", scales.size(), " scales");
    check(*this, 1, ratios.empty() || (scales.empty() && ratios.size() == 2 * axes.size()), "got ", axes.size(),
          " axes, ", scales.size(), " scales, ", ratios.size(), " ratios");
    for (const std::int64_t part : ratios) check(*this, 1, part >= 1, "ratios have ", part);
    check(*this, 3, coordinate != ResizeCoordinate::tf_crop_and_resize || roi.size() == 2 * axes.size(), "got ",
          roi.size(), " for ", axes.size(), " axes");
    check(*this, 4, !antialias || mode != ResizeMode::nearest, "both are given");
    check(*this, 5, mode == ResizeMode::nearest || is_float(in[0].dtype), "x is ", in[0]);
    Shape y = x;
    std::vector<bool> taken(x.size(), false);
    for (std::size_t k = 0; k < axes.size(); ++k) {
      const std::size_t a = x.axis(axes[k]);
      check(*this, 1, !taken[a], "axis ", a, " is given twice");
      check(*this, 1, sizes[k] >= 0, "axis ", a, " has size ", sizes[k]);
      check(*this, 2, x[a] >= 1 || sizes[k] == 0, "x is ", in[0], ", axis ", a, " has size ", sizes[k]);
      taken[a] = true;
      y[a] = sizes[k];
      if (sizes[k] == 0) continue;
      check(*this, 1, largest_product(k, x[a]) < 0x1p61, "axis ", a, " has extent ", x[a], " and size ", sizes[k]);
      check(*this, 1, scale(k, x[a]) >= 0x1p-60 && scale(k, x[a]) <= 0x1p60, "axis ", a, " has scale ", scale(k, x[a]));
      check(*this, 1, mode == ResizeMode::nearest || taps(k, x[a]) * static_cast<double>(sizes[k]) < 0x1p31, "axis ", a,
            " has scale ", scale(k, x[a]), " and size ", sizes[k]);
    }
    return {{in[0].dtype, std::move(y)}};
  }
  ErrorClass error_class() const { return mode == ResizeMode::nearest ? ErrorClass::bits : ErrorClass::dot; }
  Cost cost(Types in, Types out) const {
    if (mode == ResizeMode::nearest || out[0].shape.elements() == 0) return {0, 0};
    double terms = 1;
    for (std::size_t k = 0; k < axes.size(); ++k) terms *= taps(k, in[0].shape[in[0].shape.axis(axes[k])]);
    constexpr double most = 0x1p62;
    return {2 * terms * static_cast<double>(out[0].shape.elements()),
            static_cast<std::int64_t>(terms < most ? terms : most)};
  }
  Loops loops(Types in, Types) const {
    std::vector<bool> is_resampled(in[0].shape.size(), false);
    for (const std::int64_t axis : axes) is_resampled[in[0].shape.axis(axis)] = true;
    const Reduction reduction = mode == ResizeMode::nearest ? Reduction::none : Reduction::sum;
    Loops made{.loops = kernels::lines(in, is_resampled, reduction),
               .operands = {{.degree = extrapolation_value == 0 ? Degree::linear : Degree::none}},
               .rounds = "weights are rounded"};
    for (std::size_t a = 0; a < is_resampled.size(); ++a)
      if (is_resampled[a]) made.loops[a].steps = StepOrder::ordered;
    return made;
  }
  bool operator==(const Resize&) const = default;

 private:
  /// Positions are quotients of whole numbers of which none is larger than twice this.
  double largest_product(std::size_t k, std::int64_t extent) const {
    const auto n = static_cast<double>(extent), m = static_cast<double>(sizes[k]);
    if (ratios.empty()) return m * n;
    const Ratio exact = ratio(k, extent);
    return n * (m * static_cast<double>(exact.x) + static_cast<double>(exact.y));
  }
  /// At most so many taps of one output along the k-th axis.
  double taps(std::size_t k, std::int64_t extent) const {
    const double stretch = antialias ? std::fmin(scale(k, extent), 1) : 1;
    return std::floor(2 * radius() / stretch) + 1;
  }
};

}  // namespace plumb::ir::ops
