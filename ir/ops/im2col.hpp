#pragma once

#include "ir/kernels/op_loops.hpp"
#include "ir/kernels/window.hpp"
#include "ir/op.hpp"

namespace plumb::ir::ops {

/// The elements that a window sees at each of its positions, as columns (ops.md 9, PyTorch unfold). Positions in the
/// padding are 0 or false.
struct Im2col {
  std::vector<std::int64_t> kernel_shape{}, strides{}, dilations{}, pads{};

  static constexpr auto name = "im2col";
  static constexpr auto summary = "the windows of an image, as columns";
  static constexpr auto formula =
      "y[n, c·∏k + t, o] = x[n, c, o·stride − pad_begin + t·dilation], outside 0, t and o row-major";
  static constexpr int tier = 3;
  static constexpr std::array inputs = {Input{"x", dtypes::any, "[N, C, image..]"}};
  static constexpr std::array outputs = {Output{"y", "as x [N, C·∏k, ∏O]"}};
  static constexpr std::array<std::string_view, 1> checks = {
      "x must have one to three spatial axes, each with an entry of kernel_shape and a window that fits; kernel, "
      "strides "
      "and dilations must be at least 1, pads at least 0, all below 2^31"};
  static constexpr auto fields = std::tuple{
      Field{"kernel_shape", &Im2col::kernel_shape, "taps on each spatial axis", Presence::required},
      Field{"strides", &Im2col::strides, "step of the window on each spatial axis; empty means all 1"},
      Field{"dilations", &Im2col::dilations, "distance of the taps on each spatial axis; empty means all 1"},
      Field{"pads", &Im2col::pads, "elements before x on each spatial axis, then those behind it; empty means none"},
  };

  /// The geometry of each spatial axis of an image x.
  std::vector<kernels::Window> axes(const Shape& x) const {
    return kernels::windows(x, kernel_shape, strides, dilations, pads);
  }

  TensorTypes infer(Types in) const {
    const Shape& x = in[0].shape;
    check(*this, 1, x.rank() >= 3 && x.rank() <= 5 && kernel_shape.size() + 2 == x.size(), "x is ", in[0],
          ", kernel_shape has ", kernel_shape.size(), " entries");
    Shape taps, positions;
    for (const kernels::Window& w : axes(x)) {
      check(*this, 1, w.valid() && w.fits(), "on spatial axis ", taps.size(), " extent ", w.extent, ", kernel ",
            w.kernel, ", stride ", w.stride, ", dilation ", w.dilation, ", pads ", w.pad_begin, " and ", w.pad_end);
      taps.push_back(w.kernel);
      positions.push_back(w.positions());
    }
    taps.push_back(x[1]);
    return {{in[0].dtype, {x[0], taps.elements(), positions.elements()}}};
  }
  ErrorClass error_class() const { return ErrorClass::bits; }
  Cost cost(Types, Types) const { return {}; }
  Loops loops(Types in, Types) const { return {.loops = {kernels::along(in, 0)}}; }
  bool operator==(const Im2col&) const = default;
};

}  // namespace plumb::ir::ops
