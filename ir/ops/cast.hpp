#pragma once

#include "ir/kernels/op_loops.hpp"
#include "ir/op.hpp"

namespace plumb::ir::ops {

/// Value conversion (ops.md 2).
struct Cast {
  DType to = DType::f32;

  static constexpr auto name = "cast";
  static constexpr auto summary = "value conversion";
  static constexpr auto formula =
      "y = x in dtype `to`: integers wrap, floats round once to nearest even, float to integer truncates and "
      "saturates, "
      "NaN becomes 0";
  static constexpr int tier = 1;
  static constexpr std::array inputs = {Input{"x", dtypes::any, "[..]"}};
  static constexpr std::array outputs = {Output{"y", "`to` [..]"}};
  static constexpr std::array<std::string_view, 1> checks = {"a complex x must stay complex"};
  static constexpr auto fields = std::tuple{
      Field{"to", &Cast::to, "dtype of y", Presence::required},
  };

  TensorTypes infer(Types in) const {
    check(*this, 1, !is_complex(in[0].dtype) || is_complex(to), "x is ", in[0], ", to is ", to);
    return {{to, in[0].shape}};
  }
  ErrorClass error_class() const { return ErrorClass::bits; }
  Loops loops(Types in, Types out) const { return {.loops = kernels::elementwise(in, out[0].shape)}; }
  bool operator==(const Cast&) const = default;
};

}  // namespace plumb::ir::ops
