// Declares the broadcast functions of two tensors, with the dtypes that each function takes.
#pragma once

#include "ir/kernels/op_loops.hpp"
#include "ir/op.hpp"

namespace plumb::ir::ops {

enum class BinaryFunction {
  add,
  subtract,
  multiply,
  divide,
  maximum,
  minimum,
  power,
  mod,
  fmod,
  atan2,
  bit_and,
  bit_or,
  bit_xor,
  shift_left,
  shift_right,
  logical_and,
  logical_or,
  logical_xor
};

constexpr auto enum_names(BinaryFunction) {
  return std::array<std::string_view, 18>{"add",         "subtract",   "multiply",   "divide",     "maximum",
                                          "minimum",     "power",      "mod",        "fmod",       "atan2",
                                          "bit_and",     "bit_or",     "bit_xor",    "shift_left", "shift_right",
                                          "logical_and", "logical_or", "logical_xor"};
}

/// The dtypes that a function of `binary` takes (the table of ops.md 3).
constexpr DTypes dtypes_of(BinaryFunction function) {
  switch (function) {
    case BinaryFunction::add:
    case BinaryFunction::subtract:
    case BinaryFunction::multiply:
    case BinaryFunction::divide:
      return dtypes::N | dtypes::Z;
    case BinaryFunction::maximum:
    case BinaryFunction::minimum:
    case BinaryFunction::power:
    case BinaryFunction::mod:
    case BinaryFunction::fmod:
      return dtypes::N;
    case BinaryFunction::atan2:
      return dtypes::R;
    case BinaryFunction::bit_and:
    case BinaryFunction::bit_or:
    case BinaryFunction::bit_xor:
    case BinaryFunction::shift_left:
    case BinaryFunction::shift_right:
      return dtypes::I;
    default:
      return dtypes::B;
  }
}

/// A function of two tensors, broadcast (ops.md 3).
///
///   rounds  add, subtract, multiply of reals once; divide, power and atan2 within the
///           ulps of docs/accuracy.md; fmod is exact, mod rounds once
///
/// Integers wrap; x / 0 and x mod 0 are 0; a shift by the width or more, or by a
/// negative amount, leaves the sign only. maximum and minimum propagate NaN. mod has
/// the divisor's sign, fmod the dividend's; atan2 is the angle of (x = b, y = a).
struct Binary {
  BinaryFunction function = BinaryFunction::add;

  static constexpr auto name = "binary";
  static constexpr auto summary = "a function of two tensors, broadcast";
  static constexpr auto formula = "y = function(a, b)";
  static constexpr int tier = 1;
  static constexpr std::array inputs = {Input{"a", dtypes::any, "[..]"}, Input{"b", dtypes::any, "[..]", "a"}};
  static constexpr std::array outputs = {Output{"y", "as a, broadcast shape"}};
  static constexpr std::array<std::string_view, 2> checks = {"shapes must broadcast",
                                                             "a and b must have a dtype of the function"};
  static constexpr auto fields = std::tuple{
      Field{"function", &Binary::function, "what is computed", Presence::required},
  };

  TensorTypes infer(Types in) const {
    const DTypes takes = dtypes_of(function);
    check(*this, 1, broadcastable(in[0].shape, in[1].shape), "a is ", in[0], ", b is ", in[1]);
    check(*this, 2, takes.contains(in[0].dtype), enum_name(function), " takes ", takes, ", a is ", in[0]);
    return {{in[0].dtype, broadcast(in[0].shape, in[1].shape)}};
  }
  ErrorClass error_class() const {
    switch (function) {
      case BinaryFunction::add:
      case BinaryFunction::subtract:
      case BinaryFunction::multiply:
      case BinaryFunction::mod:
        return ErrorClass::rounded;
      case BinaryFunction::divide:
      case BinaryFunction::power:
      case BinaryFunction::atan2:
        return ErrorClass::ulp;
      case BinaryFunction::maximum:
      case BinaryFunction::minimum:
      case BinaryFunction::fmod:
        return ErrorClass::exact;
      default:
        return ErrorClass::bits;
    }
  }
  Loops loops(Types in, Types out) const { return {.loops = kernels::elementwise(in, out[0].shape)}; }
  bool operator==(const Binary&) const = default;
};

}  // namespace plumb::ir::ops
