#pragma once

#include "ir/kernels/op_loops.hpp"
#include "ir/op.hpp"

namespace plumb::ir::ops {

/// Product and sum with one rounding, broadcast (ops.md 3).
struct Fma {
  static constexpr auto name = "fma";
  static constexpr auto summary = "product and sum with one rounding, broadcast";
  static constexpr auto formula = "y = a·b + c, rounded once";
  static constexpr int tier = 2;
  static constexpr std::array inputs = {Input{"a", dtypes::R, "[..]"}, Input{"b", dtypes::R, "[..]", "a"},
                                        Input{"c", dtypes::R, "[..]", "a"}};
  static constexpr std::array outputs = {Output{"y", "as a, broadcast shape"}};
  static constexpr std::array<std::string_view, 1> checks = {"shapes must broadcast"};
  static constexpr std::tuple<> fields = {};

  TensorTypes infer(Types in) const {
    Shape y = in[0].shape;
    for (const TensorType& other : in.subspan(1)) {
      check(*this, 1, broadcastable(y, other.shape), "a is ", in[0], ", b is ", in[1], ", c is ", in[2]);
      y = broadcast(y, other.shape);
    }
    return {{in[0].dtype, std::move(y)}};
  }
  ErrorClass error_class() const { return ErrorClass::rounded; }
  Cost cost(Types, Types out) const { return {2.0 * static_cast<double>(out[0].shape.elements()), 0}; }
  Loops loops(Types in, Types out) const {
    return {.loops = kernels::elementwise(in, out[0].shape),
            .operands = {kernels::linear_data, kernels::linear_factor, {Role::addend}}};
  }
  bool operator==(const Fma&) const = default;
};

}  // namespace plumb::ir::ops
