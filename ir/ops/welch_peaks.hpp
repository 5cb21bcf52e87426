#pragma once

#include "ir/kernels/op_loops.hpp"
#include "ir/op.hpp"

namespace plumb::ir::ops {

/// The strongest bins of a periodogram that is averaged over segments (ops.md 10).
///
///   in   power: S segments of the b bins of a real transform of `fft_length` samples, |spectrum|²
///   out  bins: the k largest means, the largest first, of equals the lower bin; peaks: those means
///
/// One-sided: a bin that stands for two frequencies counts twice. There is no factor for a window or a length.
struct WelchPeaks {
  std::int64_t k = 0, fft_length = 0;
  DType index_dtype = DType::i64;

  static constexpr auto name = "welch_peaks";
  static constexpr auto summary = "strongest bins of an averaged periodogram";
  static constexpr auto formula =
      "mean[j] = c_j/S·Σ_s power[s, j], c_j = 1 for j = 0 and, n even, j = n/2, else 2; the k largest, NaN before +inf";
  static constexpr int tier = 3;
  static constexpr std::array inputs = {Input{"power", dtypes::R, "[.., S, b]"}};
  static constexpr std::array outputs = {Output{"bins", "`index_dtype` [.., k]"}, Output{"peaks", "as power [.., k]"}};
  static constexpr std::array<std::string_view, 4> checks = {
      "power must have rank 2 at least, and b = floor(fft_length/2) + 1 bins for an fft_length of 1 at least",
      "k must be at least 1 and at most b", "there must be a segment", "index_dtype must be i32 or i64"};
  static constexpr auto fields = std::tuple{
      Field{"k", &WelchPeaks::k, "how many bins of each periodogram", Presence::required},
      Field{"fft_length", &WelchPeaks::fft_length, "samples of the transform that made the bins", Presence::required},
      Field{"index_dtype", &WelchPeaks::index_dtype, "dtype of bins"},
  };

  TensorTypes infer(Types in) const {
    Shape y = in[0].shape;
    check(*this, 1, y.rank() >= 2 && fft_length >= 1 && y.back() == fft_length / 2 + 1, "power is ", in[0],
          ", fft_length is ", fft_length);
    check(*this, 2, 1 <= k && k <= y.back(), "k is ", k, ", power is ", in[0]);
    check(*this, 3, y[y.size() - 2] >= 1, "power is ", in[0]);
    check(*this, 4, dtypes::X.contains(index_dtype), "got ", index_dtype);
    y.pop_back();
    y.back() = k;
    return {{index_dtype, y}, {in[0].dtype, y}};
  }
  /// How often bin j counts.
  double times(std::int64_t j) const { return j == 0 || 2 * j == fft_length ? 1 : 2; }

  ErrorClass error_class() const { return ErrorClass::discrete; }
  Cost cost(Types in, Types) const {
    const Shape& power = in[0].shape;
    return {static_cast<double>(power.elements()), power[power.size() - 2]};
  }
  Loops loops(Types in, Types) const {
    const std::size_t rank = in[0].shape.size();
    return {.loops = {kernels::summed({rank - 2})}};
  }
  bool operator==(const WelchPeaks&) const = default;
};

}  // namespace plumb::ir::ops
