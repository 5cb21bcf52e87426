#pragma once

#include "ir/kernels/op_loops.hpp"
#include "ir/op.hpp"

namespace plumb::ir::ops {

/// A box of a fixed size whose place is an operand (ops.md 4, StableHLO dynamic_slice). A start that would put the box
/// partly outside is clamped; it is no fault, and a negative one does not count from the end.
struct DynamicSlice {
  std::vector<std::int64_t> sizes{};

  static constexpr auto name = "dynamic_slice";
  static constexpr auto summary = "box of a fixed size at a place that is an operand";
  static constexpr auto formula = "y[j..] = x[s + j..], s = clamp(starts, 0, extent − size) on each axis";
  static constexpr int tier = 3;
  static constexpr std::array inputs = {Input{"x", dtypes::any, "[r extents]"}, Input{"starts", dtypes::X, "[r]"}};
  static constexpr std::array outputs = {Output{"y", "as x [sizes]"}};
  static constexpr std::array<std::string_view, 1> checks = {
      "starts and sizes must have an entry for each axis of x, and sizes lie within its extents"};
  static constexpr auto fields = std::tuple{
      Field{"sizes", &DynamicSlice::sizes, "extents of the box", Presence::required},
  };

  TensorTypes infer(Types in) const {
    const Shape& x = in[0].shape;
    check(*this, 1, sizes.size() == x.size() && in[1].shape == Shape{x.rank()}, "x is ", in[0], ", starts are ", in[1],
          ", sizes has ", sizes.size(), " entries");
    for (std::size_t k = 0; k < x.size(); ++k)
      check(*this, 1, 0 <= sizes[k] && sizes[k] <= x[k], "x is ", in[0], ", size ", k, " is ", sizes[k]);
    return {{in[0].dtype, Shape(sizes)}};
  }
  ErrorClass error_class() const { return ErrorClass::bits; }
  Cost cost(Types, Types) const { return {}; }
  Loops loops(Types in, Types) const { return {.operands = {{}, kernels::start_within(in[0].shape)}}; }
  bool operator==(const DynamicSlice&) const = default;
};

}  // namespace plumb::ir::ops
