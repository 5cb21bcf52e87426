#pragma once

#include <numeric>

#include "ir/kernels/op_loops.hpp"
#include "ir/kernels/window.hpp"
#include "ir/op.hpp"

namespace plumb::ir::ops {

/// The adjoint of conv with the same geometry: every element of x adds the kernel, times
/// itself, to where it was read (ops.md 9, ONNX ConvTranspose-22).
struct ConvTranspose {
  std::vector<std::int64_t> strides{}, dilations{}, pads{}, output_padding{};
  std::int64_t group = 1;
  bool has_bias = false;

  static constexpr auto name = "conv_transpose";
  static constexpr auto summary = "1-D, 2-D or 3-D transposed convolution, in groups";
  static constexpr auto formula =
      "y[n, m, o] = bias[m] + Σ x[n, c, d]·w[c, m mod (M/g), t] over the c of m's group and all d, t with "
      "d·stride − pad_begin + t·dilation = o";
  static constexpr int tier = 2;
  static constexpr std::array inputs = {Input{"x", dtypes::R, "[N, C, D..]"},
                                        Input{"w", dtypes::R, "[C, M/g, k..]", "x"},
                                        Input{"bias", dtypes::R, "[M]", "x", "has_bias"}};
  static constexpr std::array outputs = {Output{"y", "as x [N, M, O..]"}};
  static constexpr std::array<std::string_view, 4> checks = {
      "x must have rank 3 to 5, w the same rank and as many channels, of which group must be a divisor, and bias M = "
      "w[1]·group elements",
      "pads must leave an image",
      "strides, dilations and kernel extents must be at least 1, pads at least 0, extents of x below 2^31 as all of "
      "these, and output_padding at least 0 and less than the stride or the dilation",
      "x must have elements on every axis where y has"};
  static constexpr auto fields = std::tuple{
      Field{"strides", &ConvTranspose::strides, "elements of y between those of x; empty means all 1"},
      Field{"dilations", &ConvTranspose::dilations, "distance of the kernel's elements; empty means all 1"},
      Field{"pads", &ConvTranspose::pads, "elements cut off before y, then those behind it; empty means none"},
      Field{"output_padding", &ConvTranspose::output_padding, "elements more behind y; empty means none"},
      Field{"group", &ConvTranspose::group, "number of groups that share no channels"},
      Field{"has_bias", &ConvTranspose::has_bias, "whether there is a bias"},
  };

  /// The convolution of which this is the adjoint, for operands that passed C3: images are y, positions x.
  std::vector<kernels::Window> axes(const Shape& x, const Shape& w) const {
    auto all = kernels::windows(x, std::span(w).subspan(2), strides, dilations, pads);
    for (std::size_t i = 0; i < all.size(); ++i) all[i].extent = extent_of(all[i], i);
    return all;
  }

  TensorTypes infer(Types in) const {
    const auto &x = in[0].shape, &w = in[1].shape;
    check(*this, 1,
          x.rank() >= 3 && x.rank() <= 5 && w.rank() == x.rank() && w[0] == x[1] && group >= 1 && x[1] % group == 0,
          "x is ", in[0], ", w is ", in[1], ", group is ", group);
    check(*this, 3, group < std::int64_t{1} << 31 && w[1] < std::int64_t{1} << 31, "w is ", in[1], ", group is ",
          group);
    if (has_bias) check(*this, 1, in[2].shape == Shape{w[1] * group}, "w is ", in[1], ", bias is ", in[2]);
    Shape y = {x[0], w[1] * group};
    const auto all = kernels::windows(x, std::span(w).subspan(2), strides, dilations, pads);
    require(output_padding.empty() || output_padding.size() == all.size(), "output_padding must have ", all.size(),
            " entries or none, got ", output_padding.size());
    for (std::size_t i = 0; i < all.size(); ++i) {
      const kernels::Window& a = all[i];
      const std::int64_t more = output_padding.empty() ? 0 : output_padding[i];
      check(*this, 3,
            a.valid() && a.extent < std::int64_t{1} << 31 && more >= 0 && (more < a.stride || more < a.dilation),
            "on spatial axis ", i, " extent ", a.extent, ", kernel ", a.kernel, ", stride ", a.stride, ", dilation ",
            a.dilation, ", pads ", a.pad_begin, " and ", a.pad_end, ", output_padding ", more);
      const std::int64_t extent = extent_of(a, i);
      check(*this, 2, extent >= 0, "spatial axis ", i, " of y would be ", extent);
      check(*this, 4, extent == 0 || a.extent >= 1, "x is ", in[0], ", spatial axis ", i, " of y would be ", extent);
      y.push_back(extent);
    }
    return {{in[0].dtype, std::move(y)}};
  }
  ErrorClass error_class() const { return ErrorClass::dot; }
  Cost cost(Types in, Types out) const {
    auto terms = static_cast<double>(in[1].shape[0] / group);
    for (const kernels::Window& a : axes(in[0].shape, in[1].shape)) {
      const std::int64_t apart = a.stride / std::gcd(a.stride, a.dilation);  // taps that meet the same element of y
      terms *= static_cast<double>((a.kernel + apart - 1) / apart);
    }
    constexpr double most = 0x1p62;
    return {2 * terms * static_cast<double>(out[0].shape.elements()),
            static_cast<std::int64_t>(terms < most ? terms : most)};
  }
  Loops loops(Types in, Types) const { return kernels::convolution(in, group, 1, 0); }
  bool operator==(const ConvTranspose&) const = default;

 private:
  std::int64_t extent_of(const kernels::Window& axis, std::size_t i) const {
    const std::int64_t more = output_padding.empty() ? 0 : output_padding[i];
    return (axis.extent - 1) * axis.stride + more + axis.span() - axis.pad_begin - axis.pad_end;
  }
};

}  // namespace plumb::ir::ops
