// Declares log-mel spectrograms.
#pragma once

#include "ir/kernels/op_loops.hpp"
#include "ir/op.hpp"

namespace plumb::ir::ops {

enum class MelMaximum { spectrogram, frame };

constexpr auto enum_names(MelMaximum) { return std::array<std::string_view, 2>{"spectrogram", "frame"}; }

/// Log-mel spectrogram whose dynamic range ends `range` decades below its loudest band (ops.md 10, Whisper).
///
///   in      power: F frames of b bins, |spectrum|²; filters: M bands
///   rounds  log10 as ln·log10(e), with a constant that is rounded correctly
///
/// A NaN in one band of a frame is one in all that share its maximum. Power below 0 is as good as none.
struct LogMel {
  MelMaximum maximum = MelMaximum::spectrogram;
  double floor = 1e-10, range = 8;

  static constexpr auto name = "log_mel";
  static constexpr auto summary = "log-mel spectrogram, its dynamic range clamped";
  static constexpr auto formula =
      "mel = Σ_b filters·power; L = log10(maximum(mel, floor)); X = max L of the frame or of all frames; "
      "y = (maximum(L, X − range) + 4)/4";
  static constexpr int tier = 3;
  static constexpr std::array inputs = {Input{"power", dtypes::R, "[.., F, b]"},
                                        Input{"filters", dtypes::R, "[M, b]", "power"}};
  static constexpr std::array outputs = {Output{"y", "as power [.., F, M]"}};
  static constexpr std::array<std::string_view, 3> checks = {
      "power must have rank 2 at least, filters exactly 2, and equal last extents", "floor must be above 0",
      "there must be a frame and a filter"};
  static constexpr auto fields = std::tuple{
      Field{"maximum", &LogMel::maximum, "what shares a maximum: all frames of a spectrogram, or the bands of a frame"},
      Field{"floor", &LogMel::floor, "the least that a band counts"},
      Field{"range", &LogMel::range, "decades below the maximum that are kept"},
  };

  TensorTypes infer(Types in) const {
    const auto &power = in[0].shape, &filters = in[1].shape;
    check(*this, 1, power.rank() >= 2 && filters.rank() == 2 && power.back() == filters[1], "power is ", in[0],
          ", filters is ", in[1]);
    check(*this, 2, floor > 0, "floor is ", floor);
    Shape y = power;
    y.back() = filters[0];
    check(*this, 3, y.back() >= 1 && y[y.size() - 2] >= 1, "power is ", in[0], ", filters is ", in[1]);
    return {{in[0].dtype, std::move(y)}};
  }
  /// How many neighbouring elements of y share a maximum.
  std::int64_t scope(const Shape& y) const {
    return maximum == MelMaximum::frame ? y.back() : y.back() * y[y.size() - 2];
  }
  ErrorClass error_class() const { return ErrorClass::comp; }
  Cost cost(Types in, Types out) const {
    const std::int64_t bins = in[1].shape[1];
    return {2.0 * static_cast<double>(bins) * static_cast<double>(out[0].shape.elements()), bins};
  }
  Loops loops(Types in, Types) const {
    const std::size_t rank = in[0].shape.size();
    Loops made{.operands = {{Role::data}, {Role::factor}}, .rounds = "logarithms are rounded"};
    for (std::size_t a = 0; a + 1 < rank; ++a) made.loops.push_back(kernels::along(in, a));
    if (maximum != MelMaximum::frame) made.loops.back().steps = StepOrder::unordered;
    made.loops.push_back({.out = rank - 1, .in = {Axis(), 0}, .steps = StepOrder::unordered});
    made.loops.push_back(kernels::summed({rank - 1, 1}));
    return made;
  }
  bool operator==(const LogMel&) const = default;
};

}  // namespace plumb::ir::ops
