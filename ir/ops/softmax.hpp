#pragma once

#include "ir/kernels/op_loops.hpp"
#include "ir/op.hpp"

namespace plumb::ir::ops {

/// Exponentials of every line along one axis, scaled to sum to 1 (ops.md 7, ONNX Softmax-13).
struct Softmax {
  std::int64_t axis = -1;

  static constexpr auto name = "softmax";
  static constexpr auto summary = "exponentials of a line, scaled to sum to 1";
  static constexpr auto formula =
      "y = exp(x - m) / Σ exp(x - m), m the maximum of the line; -inf gives 0; NaN or +inf in a line, or nothing but "
      "-inf, "
      "gives NaN on the whole line";
  static constexpr int tier = 1;
  static constexpr std::array inputs = {Input{"x", dtypes::R, "[..]"}};
  static constexpr std::array outputs = {Output{"y", "as x"}};
  static constexpr std::array<std::string_view, 0> checks = {};
  static constexpr auto fields = std::tuple{
      Field{"axis", &Softmax::axis, "the lines' axis; negative counts from the end"},
  };

  TensorTypes infer(Types in) const {
    in[0].shape.axis(axis);
    return {in[0]};
  }
  ErrorClass error_class() const { return ErrorClass::comp; }
  Cost cost(Types in, Types) const {
    return {4.0 * static_cast<double>(in[0].shape.elements()), in[0].shape[in[0].shape.axis(axis)]};
  }
  bool saturates() const { return true; }
  Loops loops(Types in, Types) const {
    return {.loops = kernels::lines(in, axis, Reduction::other),
            .operands = {{Role::score}},
            .rounds = "exponentials and a division are rounded"};
  }
  bool operator==(const Softmax&) const = default;
};

}  // namespace plumb::ir::ops
