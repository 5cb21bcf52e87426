// Declares quantising and dequantising in reals.
#pragma once

#include <limits>

#include "ir/kernels/op_loops.hpp"
#include "ir/op.hpp"

namespace plumb::ir::ops {

/// The reals that codes of x stand for (ops.md 12). A NaN has the code of 0.
struct FakeQuantize {
  std::int64_t axis = 1;
  std::int64_t q_min = -128;
  std::int64_t q_max = 127;
  bool has_zero_point = false;

  static constexpr auto name = "fake_quantize";
  static constexpr auto summary = "quantise and dequantise in reals";
  static constexpr auto formula =
      "y = (code - zero_point)·scale, code = clamp(RNE(x/scale) + zero_point, q_min, q_max), that of NaN "
      "clamp(zero_point, q_min, q_max); the difference is exact, the product rounded once";
  static constexpr int tier = 3;
  static constexpr std::array inputs = {Input{"x", dtypes::R, "[..]"}, Input{"scale", dtypes::R, "[] or [C]", "x"},
                                        Input{"zero_point", {DType::i32}, "as scale", {}, "has_zero_point"}};
  static constexpr std::array outputs = {Output{"y", "as x"}};
  static constexpr std::array<std::string_view, 4> checks = {
      "q_min must be below q_max", "scale must have rank 0 or be as long as the axis of x",
      "zero_point must have the shape of scale", "q_min and q_max must be numbers of i32"};
  static constexpr auto fields = std::tuple{
      Field{"axis", &FakeQuantize::axis, "the axis that a scale of rank 1 goes along; negative counts from the end"},
      Field{"q_min", &FakeQuantize::q_min, "smallest code"},
      Field{"q_max", &FakeQuantize::q_max, "largest code"},
      Field{"has_zero_point", &FakeQuantize::has_zero_point, "whether there is a zero_point"},
  };

  /// The shape of scale and zero_point as they broadcast to x.
  Shape along_axis(const Shape& x, const Shape& scale) const {
    if (scale.rank() == 0) return {};
    Shape made(x.size() - x.axis(axis), 1);
    made[0] = scale[0];
    return made;
  }

  TensorTypes infer(Types in) const {
    const Shape &x = in[0].shape, &scale = in[1].shape;
    check(*this, 1, q_min < q_max, "q_min is ", q_min, ", q_max is ", q_max);
    constexpr std::int64_t least = std::numeric_limits<std::int32_t>::min(),
                           most = std::numeric_limits<std::int32_t>::max();
    check(*this, 4, q_min >= least && q_max <= most, "q_min is ", q_min, ", q_max is ", q_max);
    check(*this, 2, scale.rank() == 0 || (scale.rank() == 1 && scale[0] == x[x.axis(axis)]), "scale is ", in[1],
          ", axis is ", axis, ", x is ", in[0]);
    if (has_zero_point) check(*this, 3, in[2].shape == scale, "scale is ", in[1], ", zero_point is ", in[2]);
    return {in[0]};
  }
  ErrorClass error_class() const { return ErrorClass::discrete; }
  Loops loops(Types in, Types) const {
    Loops made{.operands = {{}, {Role::parameter}, {Role::parameter}}, .rounds = "quotients are rounded"};
    const Shape& x = in[0].shape;
    for (std::size_t a = 0; a < x.size(); ++a) {
      const Axis of_scale = in[1].shape.rank() == 1 && a == x.axis(axis) ? Axis(0) : Axis();
      made.loops.push_back(kernels::along(in, a, {of_scale, of_scale}));
    }
    return made;
  }
  bool operator==(const FakeQuantize&) const = default;
};

}  // namespace plumb::ir::ops
