#pragma once

#include "ir/kernels/op_loops.hpp"
#include "ir/kernels/window.hpp"
#include "ir/op.hpp"

namespace plumb::ir::ops {

/// Puts the columns that a window saw back where they came from, summed where windows
/// overlap (ops.md 9, ONNX Col2Im-18, PyTorch fold).
struct Col2im {
  std::vector<std::int64_t> image_shape{}, kernel_shape{}, strides{}, dilations{}, pads{};

  static constexpr auto name = "col2im";
  static constexpr auto summary = "an image as the sum of its windows";
  static constexpr auto formula =
      "y[n, c, i] = Σ x[n, c·∏k + t, o] over all t, o with o·stride − pad_begin + t·dilation = i, t and o row-major";
  static constexpr int tier = 2;
  static constexpr std::array inputs = {Input{"x", dtypes::R, "[N, C·∏k, ∏O]"}};
  static constexpr std::array outputs = {Output{"y", "as x [N, C, image..]"}};
  static constexpr std::array<std::string_view, 2> checks = {
      "x must have rank 3 and as many columns as a window of kernel_shape has positions in an image of one to three "
      "axes; kernel, strides and dilations must be at least 1, image_shape and pads at least 0, all below 2^31",
      "the extent of x's axis 1 must be a multiple of the kernel's elements"};
  static constexpr auto fields = std::tuple{
      Field{"image_shape", &Col2im::image_shape, "spatial extents of y", Presence::required},
      Field{"kernel_shape", &Col2im::kernel_shape, "taps on each spatial axis", Presence::required},
      Field{"strides", &Col2im::strides, "step of the window on each spatial axis; empty means all 1"},
      Field{"dilations", &Col2im::dilations, "distance of the taps on each spatial axis; empty means all 1"},
      Field{"pads", &Col2im::pads, "elements before y on each spatial axis, then those behind it; empty means none"},
  };

  /// The geometry of each spatial axis of y.
  std::vector<kernels::Window> axes() const {
    Shape image = {1, 1};
    image.insert(image.end(), image_shape.begin(), image_shape.end());
    return kernels::windows(image, kernel_shape, strides, dilations, pads);
  }

  TensorTypes infer(Types in) const {
    const auto& x = in[0].shape;
    check(*this, 1,
          x.rank() == 3 && !image_shape.empty() && image_shape.size() <= 3 && kernel_shape.size() == image_shape.size(),
          "x is ", in[0], ", image_shape has ", image_shape.size(), " entries, kernel_shape ", kernel_shape.size());
    Shape taps, positions;
    for (const kernels::Window& w : axes()) {
      constexpr std::int64_t most = std::int64_t{1} << 31;
      check(*this, 1, w.valid() && w.extent >= 0 && w.extent < most && w.fits(), "on spatial axis ", taps.size(),
            " extent ", w.extent, ", kernel ", w.kernel, ", stride ", w.stride, ", dilation ", w.dilation, ", pads ",
            w.pad_begin, " and ", w.pad_end);
      taps.push_back(w.kernel);
      positions.push_back(w.positions());
    }
    check(*this, 1, x[2] == positions.elements(), "x is ", in[0], ", there are ", positions, " positions");
    check(*this, 2, x[1] % taps.elements() == 0, "x is ", in[0], ", the kernel has ", taps, " elements");
    Shape y = {x[0], x[1] / taps.elements()};
    y.insert(y.end(), image_shape.begin(), image_shape.end());
    return {{in[0].dtype, std::move(y)}};
  }
  ErrorClass error_class() const { return ErrorClass::dot; }
  Cost cost(Types in, Types) const {
    std::int64_t terms = 1;
    for (const std::int64_t k : kernel_shape) terms *= k;
    return {static_cast<double>(in[0].shape.elements()), terms};
  }
  Loops loops(Types in, Types) const {
    return {.loops = {kernels::along(in, 0), kernels::taps({2})}, .operands = {kernels::linear_data}};
  }
  bool operator==(const Col2im&) const = default;
};

}  // namespace plumb::ir::ops
