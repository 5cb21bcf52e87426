// Declares windowed maximum, mean, p-norm and sum of images, with the geometry of windows that hang over.
#pragma once

#include "ir/kernels/op_loops.hpp"
#include "ir/kernels/window.hpp"
#include "ir/op.hpp"

namespace plumb::ir::ops {

enum class PoolFunction { max, average, lp, sum };  // pool.comp knows their numbers

constexpr auto enum_names(PoolFunction) { return std::array<std::string_view, 4>{"max", "average", "lp", "sum"}; }

/// The maximum, mean, p-norm or sum of each window of every plane of an image (ops.md 9, ONNX MaxPool-22,
/// AveragePool-22 and LpPool-22). Only taps inside the image count.
struct Pool {
  PoolFunction function = PoolFunction::max;
  std::vector<std::int64_t> kernel_shape{}, strides{}, dilations{}, pads{};
  bool ceil_mode = false;
  bool count_include_pad = false;
  std::int64_t p = 2;
  bool with_indices = false;

  static constexpr auto name = "pool";
  static constexpr auto summary = "maximum, mean, p-norm or sum of the windows of an image";
  static constexpr auto formula =
      "y[n, c, o] = f over t of x[n, c, o·stride − pad_begin + t·dilation] inside x; average: Σ / taps inside, or with "
      "count_include_pad / taps inside x and its pads; lp: (Σ |x|^p)^(1/p); no taps: −inf, index −1, or 0";
  static constexpr int tier = 2;
  static constexpr std::array inputs = {Input{"x", dtypes::R | DType::u8 | DType::i8, "[N, C, D..]"}};
  static constexpr std::array outputs = {
      Output{"y", "as x [N, C, O..]"},
      Output{"indices", "i64 [N, C, O..], where in all of x the first maximum is; with_indices"}};
  static constexpr std::array<std::string_view, 4> checks = {
      "x must have rank 3 to 5 and kernel_shape its spatial axes; kernel, strides and dilations must be at least 1, "
      "pads at least 0, all below 2^31",
      "the dilated kernel must fit into the padded image on every axis", "only max must have indices",
      "p must be at least 1"};
  static constexpr auto fields = std::tuple{
      Field{"function", &Pool::function, "what becomes of a window"},
      Field{"kernel_shape", &Pool::kernel_shape, "taps on each spatial axis", Presence::required},
      Field{"strides", &Pool::strides, "step of the window on each spatial axis; empty means all 1"},
      Field{"dilations", &Pool::dilations, "distance of the taps on each spatial axis; empty means all 1"},
      Field{"pads", &Pool::pads, "elements before x on each spatial axis, then those behind it; empty means none"},
      Field{"ceil_mode", &Pool::ceil_mode, "a last window may hang over the end, if it begins before it"},
      Field{"count_include_pad", &Pool::count_include_pad, "average divides by taps in the pads, too"},
      Field{"p", &Pool::p, "exponent of lp"},
      Field{"with_indices", &Pool::with_indices, "whether max says where it was"},
  };

  /// The geometry of each spatial axis of an image that passed C1.
  std::vector<kernels::Window> axes(const Shape& x) const {
    return kernels::windows(x, kernel_shape, strides, dilations, pads);
  }

  /// Positions of the window on an axis.
  std::int64_t positions(const kernels::Window& axis) const {
    if (!ceil_mode) return axis.positions();
    const std::int64_t free = axis.padded() - axis.span();
    const std::int64_t last = free / axis.stride + (free % axis.stride == 0 ? 0 : 1);  // it may hang over the end
    return last > 0 && last * axis.stride >= axis.extent + axis.pad_begin ? last : last + 1;
  }

  TensorTypes infer(Types in) const {
    const auto& x = in[0].shape;
    require(function == PoolFunction::max || is_float(in[0].dtype), "only max pools ", in[0].dtype, " (C0)");
    check(*this, 1, x.rank() >= 3 && x.rank() <= 5 && kernel_shape.size() + 2 == x.size(), "x is ", in[0],
          ", kernel_shape has ", kernel_shape.size(), " entries");
    Shape y = x.leading(2);
    std::size_t axis = 0;
    for (const kernels::Window& w : axes(x)) {
      check(*this, 1, w.valid(), "on spatial axis ", axis, " kernel ", w.kernel, ", stride ", w.stride, ", dilation ",
            w.dilation, ", pads ", w.pad_begin, " and ", w.pad_end);
      check(*this, 2, w.fits(), "on spatial axis ", axis, " the kernel spans ", w.span(), ", the image ", w.padded());
      y.push_back(positions(w));
      ++axis;
    }
    check(*this, 3, !with_indices || function == PoolFunction::max, "function is ", enum_name(function));
    check(*this, 4, p >= 1, "got ", p);
    if (!with_indices) return {{in[0].dtype, std::move(y)}};
    return {{in[0].dtype, y}, {DType::i64, y}};
  }
  ErrorClass error_class() const {
    if (function == PoolFunction::max) return ErrorClass::exact;
    return function == PoolFunction::lp ? ErrorClass::comp : ErrorClass::dot;
  }
  Cost cost(Types, Types out) const {
    double taps = 1;
    for (const std::int64_t k : kernel_shape) taps *= static_cast<double>(k);
    constexpr double most = 0x1p62;
    const auto terms = static_cast<std::int64_t>(taps < most ? taps : most);
    return {taps * static_cast<double>(out[0].shape.elements()), function == PoolFunction::max ? 0 : terms};
  }
  Loops loops(Types in, Types) const {
    using enum PoolFunction;
    const Degree degree = function == lp ? Degree::none : function == max ? Degree::homogeneous : Degree::linear;
    Loops made{.loops = {kernels::along(in, 0), kernels::along(in, 1)}, .operands = {{.degree = degree}}};
    for (std::size_t a = 2; a < in[0].shape.size(); ++a) {
      made.loops.push_back(kernels::taps({a}, a));
      if (function == max) made.loops.back().reduction = Reduction::other;
    }
    return made;
  }
  bool operator==(const Pool&) const = default;
};

}  // namespace plumb::ir::ops
