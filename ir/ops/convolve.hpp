#pragma once

#include "ir/kernels/op_loops.hpp"
#include "ir/op.hpp"

namespace plumb::ir::ops {

/// Full linear convolution of lines with one filter (ops.md 6, numpy.convolve full): what reaches beyond x meets
/// nothing.
///
///   rounds  as a sum of products where a kernel publishes one; another may be off by 4u log₂(2(L + M))·‖x‖₂·‖h‖₂
struct Convolve {
  static constexpr auto name = "convolve";
  static constexpr auto summary = "full linear convolution of lines";
  static constexpr auto formula = "y[.., n] = Σ_k h[k]·x[.., n − k], 0 <= n − k < L";
  static constexpr int tier = 3;
  static constexpr std::array inputs = {Input{"x", dtypes::R, "[.., L]"}, Input{"h", dtypes::R, "[M]", "x"}};
  static constexpr std::array outputs = {Output{"y", "as x [.., L+M-1]"}};
  static constexpr std::array<std::string_view, 1> checks = {
      "x must have an axis, h exactly one, and both at least one element along it"};
  static constexpr auto fields = std::tuple{};

  TensorTypes infer(Types in) const {
    Shape y = in[0].shape;
    const Shape& h = in[1].shape;
    check(*this, 1, y.rank() >= 1 && h.rank() == 1 && y.back() >= 1 && h[0] >= 1, "x is ", in[0], ", h is ", in[1]);
    y.back() += h[0] - 1;
    return {{in[0].dtype, std::move(y)}};
  }
  /// The most terms of an element. Asked also before anything was checked.
  static std::int64_t terms(const Shape& x, const Shape& h) { return std::min(x.back(), h[0]); }

  ErrorClass error_class() const { return ErrorClass::dot; }
  Cost cost(Types in, Types) const {
    const Shape &x = in[0].shape, &h = in[1].shape;
    return {2.0 * static_cast<double>(x.elements()) * static_cast<double>(h.elements()), terms(x, h)};
  }
  Loops loops(Types in, Types) const {
    std::vector<Loop> loops = kernels::ordered_lines(in, -1, Reduction::sum);
    loops.push_back(kernels::taps({Axis(), 0}));
    return {.loops = std::move(loops), .operands = {kernels::linear_data, kernels::linear_factor}};
  }
  bool operator==(const Convolve&) const = default;
};

}  // namespace plumb::ir::ops
