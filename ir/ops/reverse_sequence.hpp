#pragma once

#include "ir/kernels/op_loops.hpp"
#include "ir/op.hpp"

namespace plumb::ir::ops {

/// Sequences of different lengths run backwards (ops.md 4, ONNX ReverseSequence-10).
struct ReverseSequence {
  std::int64_t batch_axis = 1;
  std::int64_t time_axis = 0;

  static constexpr auto name = "reverse_sequence";
  static constexpr auto summary = "sequences of different lengths run backwards";
  static constexpr auto formula =
      "y[.. t .. b ..] = x[.. lengths[b] - 1 - t .. b ..] where t < lengths[b], else x[.. t .. b ..], t along "
      "`time_axis`, b along `batch_axis`";
  static constexpr int tier = 2;
  static constexpr std::array inputs = {Input{"x", dtypes::any, "[..]"}, Input{"lengths", dtypes::X, "[batch]"}};
  static constexpr std::array outputs = {Output{"y", "as x"}};
  static constexpr std::array<std::string_view, 2> checks = {"x must be of rank 2 at least and the axes must differ",
                                                             "lengths must have the extent of the batch axis"};
  static constexpr auto fields = std::tuple{
      Field{"batch_axis", &ReverseSequence::batch_axis, "the axis that counts sequences; negative counts from the end"},
      Field{"time_axis", &ReverseSequence::time_axis, "the axis along which they run; negative counts from the end"},
  };

  TensorTypes infer(Types in) const {
    const Shape& x = in[0].shape;
    check(*this, 1, x.rank() >= 2 && x.axis(batch_axis) != x.axis(time_axis), "x is ", in[0], ", the axes are ",
          batch_axis, " and ", time_axis);
    check(*this, 2, in[1].shape == Shape{x[x.axis(batch_axis)]}, "x is ", in[0], ", lengths are ", in[1]);
    return {in[0]};
  }
  ErrorClass error_class() const { return ErrorClass::bits; }
  Cost cost(Types, Types) const { return {}; }
  Loops loops(Types in, Types) const {
    return {.operands = {{}, {.role = Role::index, .low = 0, .high = in[0].shape[in[0].shape.axis(time_axis)] + 1}}};
  }
  bool operator==(const ReverseSequence&) const = default;
};

}  // namespace plumb::ir::ops
