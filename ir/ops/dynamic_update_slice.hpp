#pragma once

#include "ir/kernels/op_loops.hpp"
#include "ir/op.hpp"

namespace plumb::ir::ops {

/// A tensor with a box replaced, whose place is an operand (ops.md 4, StableHLO dynamic_update_slice). Starts are
/// clamped as those of dynamic_slice.
struct DynamicUpdateSlice {
  static constexpr auto name = "dynamic_update_slice";
  static constexpr auto summary = "a tensor with a box replaced at a place that is an operand";
  static constexpr auto formula =
      "y = x, then y[s + j..] = update[j..], s = clamp(starts, 0, extent of x − extent of update) on each axis";
  static constexpr int tier = 3;
  static constexpr std::array inputs = {Input{"x", dtypes::any, "[r extents]"},
                                        Input{"update", dtypes::any, "[r extents]", "x"},
                                        Input{"starts", dtypes::X, "[r]"}};
  static constexpr std::array outputs = {Output{"y", "as x"}};
  static constexpr std::array<std::string_view, 1> checks = {
      "update must have the rank of x and no extent beyond x's, starts an entry for each axis"};
  static constexpr auto fields = std::tuple{};

  TensorTypes infer(Types in) const {
    const Shape &x = in[0].shape, &update = in[1].shape;
    check(*this, 1, update.size() == x.size() && in[2].shape == Shape{x.rank()}, "x is ", in[0], ", update is ", in[1],
          ", starts are ", in[2]);
    for (std::size_t k = 0; k < x.size(); ++k)
      check(*this, 1, update[k] <= x[k], "x is ", in[0], ", update is ", in[1]);
    return {in[0]};
  }
  ErrorClass error_class() const { return ErrorClass::bits; }
  Cost cost(Types, Types) const { return {}; }
  Loops loops(Types in, Types) const { return {.operands = {{}, {}, kernels::start_within(in[0].shape)}}; }
  bool operator==(const DynamicUpdateSlice&) const = default;
};

}  // namespace plumb::ir::ops
