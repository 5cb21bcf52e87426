#pragma once

#include "ir/kernels/fourier.hpp"
#include "ir/kernels/op_loops.hpp"
#include "ir/op.hpp"

namespace plumb::ir::ops {

/// Real lines from the half of their spectrum (ops.md 10, numpy.fft.irfft). Imaginary parts of bin 0 and, for even n,
/// of bin n/2 are ignored, whatever they are.
struct Irfft {
  std::optional<std::int64_t> n = std::nullopt;
  std::int64_t axis = -1;
  kernels::FourierNorm norm = kernels::FourierNorm::backward;

  static constexpr auto name = "irfft";
  static constexpr auto summary = "real lines from half of their spectrum";
  static constexpr auto formula =
      "y[j] = σ·Σ_k x[k]·e^(+2πi jk/n) over k = 0 … n − 1, with x[n − k] = conj x[k]; σ: backward 1/n; ortho 1/√n; "
      "forward 1";
  static constexpr int tier = 3;
  static constexpr std::array inputs = {Input{"x", dtypes::Z, "[.. m ..]"}};
  static constexpr std::array outputs = {Output{"y", "f32 or f64 [.. n ..]"}};
  static constexpr std::array<std::string_view, 1> checks = {"n must be at least 1, with floor(n/2) + 1 = m"};
  static constexpr auto fields = std::tuple{
      Field{"n", &Irfft::n, "points of a line of y; absent: 2(m − 1)"},
      Field{"axis", &Irfft::axis, "the lines' axis; negative counts from the end"},
      Field{"norm", &Irfft::norm, "which direction is scaled"},
  };

  TensorTypes infer(Types in) const {
    Shape y = in[0].shape;
    std::int64_t& extent = y[y.axis(axis)];
    const std::int64_t wanted = points(in);
    check(*this, 1, wanted >= 1 && wanted / 2 + 1 == extent, "x is ", in[0], ", axis is ", axis, ", n is ", wanted);
    extent = wanted;
    return {{in[0].dtype == DType::c128 ? DType::f64 : DType::f32, std::move(y)}};
  }
  /// Points of a line.
  std::int64_t points(Types in) const { return n.value_or(2 * (in[0].shape[in[0].shape.axis(axis)] - 1)); }
  double scale(Types in) const { return kernels::fourier_scale(norm, true, points(in)); }
  ErrorClass error_class() const { return ErrorClass::norm; }
  Cost cost(Types in, Types out) const {
    const auto lines = static_cast<double>(out[0].shape.elements() / points(in));
    return {kernels::fourier_flops(points(in)) / 2 * lines, points(in)};
  }
  Loops loops(Types in, Types) const { return {.loops = kernels::ordered_lines(in, axis, Reduction::sum)}; }
  bool operator==(const Irfft&) const = default;
};

}  // namespace plumb::ir::ops
