#pragma once

#include "ir/kernels/op_loops.hpp"
#include "ir/op.hpp"

namespace plumb::ir::ops {

/// An op that only tests/new_op adds.
struct Toy {
  static constexpr auto name = "toy";
  static constexpr auto summary = "twice x";
  static constexpr auto formula = "y = 2·x";
  static constexpr int tier = 1;
  static constexpr std::array inputs = {Input{"x", DType::f32, "[..]"}};
  static constexpr std::array outputs = {Output{"y", "as x"}};
  static constexpr std::array<std::string_view, 0> checks = {};
  static constexpr auto fields = std::tuple{};

  TensorTypes infer(Types in) const { return {in[0]}; }
  ErrorClass error_class() const { return ErrorClass::rounded; }
  Loops loops(Types in, Types out) const {
    return {.loops = kernels::elementwise(in, out[0].shape), .operands = {{.degree = Degree::homogeneous}}};
  }
  bool operator==(const Toy&) const = default;
};

}  // namespace plumb::ir::ops
