#pragma once

#include "ir/kernels/op_loops.hpp"
#include "ir/op.hpp"

namespace plumb::ir::ops {

/// Lines as the sum of their overlapping windows: the adjoint of frame (ops.md 4).
struct OverlapAdd {
  std::int64_t hop = 0, length = 0;

  static constexpr auto name = "overlap_add";
  static constexpr auto summary = "a line as the sum of its overlapping windows";
  static constexpr auto formula = "y[.., t] = Σ x[.., f, i] over all f, i with f·hop + i = t, f ascending";
  static constexpr int tier = 3;
  static constexpr std::array inputs = {Input{"x", dtypes::R, "[.., F, size]"}};
  static constexpr std::array outputs = {Output{"y", "as x [.., length]"}};
  static constexpr std::array<std::string_view, 1> checks = {
      "x must have rank 2 at least and one window at least, hop must be at least 1, and length must hold all windows"};
  static constexpr auto fields = std::tuple{
      Field{"hop", &OverlapAdd::hop, "samples from the start of one window to the start of the next",
            Presence::required},
      Field{"length", &OverlapAdd::length, "samples of a line of y; those that no window covers are 0",
            Presence::required},
  };

  TensorTypes infer(Types in) const {
    Shape y = in[0].shape;
    check(*this, 1, y.rank() >= 2 && y[y.size() - 2] >= 1 && hop >= 1, "x is ", in[0], ", hop is ", hop);
    const std::int64_t windows = y[y.size() - 2], size = y.back();
    // In terms that cannot overflow.
    check(*this, 1, length >= size && (length - size) / hop >= windows - 1, "x is ", in[0], ", hop is ", hop,
          ", length is ", length);
    y.pop_back();
    y.back() = length;
    return {{in[0].dtype, std::move(y)}};
  }
  /// The most windows that fall on one sample. Asked also before anything was checked.
  std::int64_t terms(const Shape& x) const {
    const std::int64_t longest = std::max(x.back(), std::int64_t{1}), step = std::max(hop, std::int64_t{1});
    return std::min((longest - 1) / step + 1, x[x.size() - 2]);
  }
  ErrorClass error_class() const { return ErrorClass::dot; }
  Cost cost(Types in, Types) const { return {static_cast<double>(in[0].shape.elements()), terms(in[0].shape)}; }
  Loops loops(Types in, Types) const {
    std::vector<Loop> loops;
    for (std::size_t a = 0; a + 2 < in[0].shape.size(); ++a) loops.push_back(kernels::along(in, a));
    loops.push_back(kernels::taps({in[0].shape.size() - 2}));
    return {.loops = std::move(loops), .operands = {kernels::linear_data}};
  }
  bool operator==(const OverlapAdd&) const = default;
};

}  // namespace plumb::ir::ops
