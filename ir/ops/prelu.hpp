#pragma once

#include "ir/kernels/op_loops.hpp"
#include "ir/op.hpp"

namespace plumb::ir::ops {

/// A slope below zero that is an operand (ops.md 3, ONNX PRelu-16).
struct Prelu {
  static constexpr auto name = "prelu";
  static constexpr auto summary = "x, or slope·x where x is negative";
  static constexpr auto formula = "y = x where x >= 0, else slope·x; NaN stays NaN, integers wrap";
  static constexpr int tier = 2;
  static constexpr std::array inputs = {Input{"x", dtypes::N, "[..]"}, Input{"slope", dtypes::N, "[..]", "x"}};
  static constexpr std::array outputs = {Output{"y", "as x"}};
  static constexpr std::array<std::string_view, 1> checks = {"slope must broadcast to the shape of x"};
  static constexpr std::tuple<> fields = {};

  TensorTypes infer(Types in) const {
    check(*this, 1, broadcasts_to(in[1].shape, in[0].shape), "x is ", in[0], ", slope is ", in[1]);
    return {in[0]};
  }
  ErrorClass error_class() const { return ErrorClass::rounded; }
  Loops loops(Types in, Types out) const {
    return {.loops = kernels::elementwise(in, out[0].shape), .operands = {{.degree = Degree::homogeneous}}};
  }
  bool operator==(const Prelu&) const = default;
};

}  // namespace plumb::ir::ops
