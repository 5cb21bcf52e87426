#pragma once

#include "ir/kernels/op_loops.hpp"
#include "ir/op.hpp"

namespace plumb::ir::ops {

/// Every element divided by a power of the squares of its neighbours across channels
/// (ops.md 7, ONNX LRN-13).
struct Lrn {
  std::int64_t size = 1;
  double alpha = 1e-4;
  double beta = 0.75;
  double bias = 1;

  static constexpr auto name = "lrn";
  static constexpr auto summary = "local response normalisation across channels";
  static constexpr auto formula =
      "y = x / (bias + alpha/size·Σ x²)^beta, the sum over channels c - floor((size - 1)/2) to c + ceil((size - 1)/2) "
      "that there are";
  static constexpr int tier = 2;
  static constexpr std::array inputs = {Input{"x", dtypes::R, "[N, C, ..]"}};
  static constexpr std::array outputs = {Output{"y", "as x"}};
  static constexpr std::array<std::string_view, 2> checks = {"size must be at least 1",
                                                             "x must have a rank of at least 2"};
  static constexpr auto fields = std::tuple{
      Field{"size", &Lrn::size, "channels summed over", Presence::required},
      Field{"alpha", &Lrn::alpha, "factor of the mean square"},
      Field{"beta", &Lrn::beta, "exponent"},
      Field{"bias", &Lrn::bias, "added to the mean square"},
  };

  /// The channels that are summed for channel c of C: [first, second).
  std::pair<std::int64_t, std::int64_t> window(std::int64_t c, std::int64_t channels) const {
    const std::int64_t before = (size - 1) / 2, after = size / 2;
    return {c < before ? 0 : c - before, after < channels - c ? c + after + 1 : channels};
  }

  TensorTypes infer(Types in) const {
    check(*this, 1, size >= 1, "got ", size);
    check(*this, 2, in[0].shape.rank() >= 2, "x is ", in[0]);
    return {in[0]};
  }
  ErrorClass error_class() const { return ErrorClass::comp; }
  Cost cost(Types in, Types) const {
    const std::int64_t terms = size < in[0].shape[1] ? size : in[0].shape[1];
    return {static_cast<double>(2 * terms + 10) * static_cast<double>(in[0].shape.elements()), terms};
  }
  Loops loops(Types in, Types) const {
    return {.loops = kernels::ordered_lines(in, 1, Reduction::other), .rounds = "a power and a division are rounded"};
  }
  bool operator==(const Lrn&) const = default;
};

}  // namespace plumb::ir::ops
