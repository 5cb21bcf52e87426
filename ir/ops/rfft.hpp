#pragma once

#include "ir/kernels/fourier.hpp"
#include "ir/kernels/op_loops.hpp"
#include "ir/op.hpp"

namespace plumb::ir::ops {

/// The half of the discrete Fourier transform of real lines that says all of it (ops.md 10, numpy.fft.rfft). Imaginary
/// parts of bin 0 and, for even n, of bin n/2 are 0.
struct Rfft {
  std::int64_t axis = -1;
  kernels::FourierNorm norm = kernels::FourierNorm::backward;

  static constexpr auto name = "rfft";
  static constexpr auto summary = "discrete Fourier transform of real lines, half a spectrum";
  static constexpr auto formula =
      "y[k] = σ·Σ_j x[j]·e^(−2πi jk/n), k = 0 … floor(n/2); σ: backward 1; ortho 1/√n; forward 1/n";
  static constexpr int tier = 3;
  static constexpr std::array inputs = {Input{"x", DType::f32 | DType::f64, "[.. n ..]"}};
  static constexpr std::array outputs = {Output{"y", "c64 or c128 [.. floor(n/2)+1 ..]"}};
  static constexpr std::array<std::string_view, 1> checks = {"x must have one element at least along the axis"};
  static constexpr auto fields = std::tuple{
      Field{"axis", &Rfft::axis, "the lines' axis; negative counts from the end"},
      Field{"norm", &Rfft::norm, "which direction is scaled"},
  };

  TensorTypes infer(Types in) const {
    Shape y = in[0].shape;
    std::int64_t& extent = y[y.axis(axis)];
    check(*this, 1, extent >= 1, "x is ", in[0], ", axis is ", axis);
    extent = extent / 2 + 1;
    return {{in[0].dtype == DType::f64 ? DType::c128 : DType::c64, std::move(y)}};
  }
  /// Points of a line.
  std::int64_t points(Types in) const { return in[0].shape[in[0].shape.axis(axis)]; }
  double scale(Types in) const { return kernels::fourier_scale(norm, false, points(in)); }
  ErrorClass error_class() const { return ErrorClass::norm; }
  Cost cost(Types in, Types) const {
    const auto lines = static_cast<double>(in[0].shape.elements() / points(in));
    return {kernels::fourier_flops(points(in)) / 2 * lines, points(in)};
  }
  Loops loops(Types in, Types) const { return {.loops = kernels::ordered_lines(in, axis, Reduction::sum)}; }
  bool operator==(const Rfft&) const = default;
};

}  // namespace plumb::ir::ops
