#pragma once

#include "ir/kernels/fourier.hpp"
#include "ir/kernels/op_loops.hpp"
#include "ir/op.hpp"

namespace plumb::ir::ops {

/// Discrete Fourier transform of every line along one axis (ops.md 10, numpy.fft.fft and ifft). What one line holds
/// never changes another. A line with a NaN or an infinity has no element of which both parts are finite; its values,
/// and those of one whose sums may leave the range of the type, are unspecified.
struct Fft {
  std::int64_t axis = -1;
  bool inverse = false;
  kernels::FourierNorm norm = kernels::FourierNorm::backward;

  static constexpr auto name = "fft";
  static constexpr auto summary = "discrete Fourier transform of lines";
  static constexpr auto formula =
      "y[k] = σ·Σ_j x[j]·e^(∓2πi jk/n), + for the inverse; σ: backward 1, inverse 1/n; ortho 1/√n; forward 1/n, "
      "inverse "
      "1";
  static constexpr int tier = 3;
  static constexpr std::array inputs = {Input{"x", dtypes::Z, "[.. n ..]"}};
  static constexpr std::array outputs = {Output{"y", "as x"}};
  static constexpr std::array<std::string_view, 1> checks = {"x must have one element at least along the axis"};
  static constexpr auto fields = std::tuple{
      Field{"axis", &Fft::axis, "the lines' axis; negative counts from the end"},
      Field{"inverse", &Fft::inverse, "whether exponents are positive"},
      Field{"norm", &Fft::norm, "which direction is scaled"},
  };

  TensorTypes infer(Types in) const {
    check(*this, 1, in[0].shape[in[0].shape.axis(axis)] >= 1, "x is ", in[0], ", axis is ", axis);
    return {in[0]};
  }
  /// Points of a line.
  std::int64_t points(Types in) const { return in[0].shape[in[0].shape.axis(axis)]; }
  double scale(Types in) const { return kernels::fourier_scale(norm, inverse, points(in)); }
  ErrorClass error_class() const { return ErrorClass::norm; }
  Cost cost(Types in, Types) const {
    return {kernels::fourier_flops(points(in)) * static_cast<double>(in[0].shape.elements() / points(in)), points(in)};
  }
  Loops loops(Types in, Types) const { return {.loops = kernels::ordered_lines(in, axis, Reduction::sum)}; }
  bool operator==(const Fft&) const = default;
};

}  // namespace plumb::ir::ops
