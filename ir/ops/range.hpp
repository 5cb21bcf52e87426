#pragma once

#include <cmath>

#include "ir/op.hpp"

namespace plumb::ir::ops {

/// Numbers at equal distances (ops.md 2, ONNX Range).
struct Range {
  double start = 0;
  double delta = 1;
  std::int64_t count = 0;
  DType dtype = DType::f32;

  static constexpr auto name = "range";
  static constexpr auto summary = "numbers at equal distances";
  static constexpr auto formula = "y[i] = start + i·delta, in f64 (i64 for integers, wrapping) and rounded once";
  static constexpr int tier = 2;
  static constexpr bool makes_values = true;
  static constexpr std::array<Input, 0> inputs = {};
  static constexpr std::array outputs = {Output{"y", "`dtype` [count]"}};
  static constexpr std::array<std::string_view, 2> checks = {
      "count must be at least 0", "dtype must be of reals or integers, start and delta those of integers integral"};
  static constexpr auto fields = std::tuple{
      Field{"start", &Range::start, "y[0]", Presence::required},
      Field{"delta", &Range::delta, "from one element to the next", Presence::required},
      Field{"count", &Range::count, "how many elements", Presence::required},
      Field{"dtype", &Range::dtype, "dtype of y"},
  };

  TensorTypes infer(Types) const {
    check(*this, 1, count >= 0, "count is ", count);
    check(*this, 2, dtypes::N.contains(dtype), "dtype is ", dtype);
    check(*this, 2, is_float(dtype) || (fits_integer(start) && fits_integer(delta)), "start is ", start, ", delta is ",
          delta);
    return {{dtype, {count}}};
  }

  /// The elements' bytes: the same table for every executor.
  Bytes values() const;

  ErrorClass error_class() const { return ErrorClass::bits; }
  Cost cost(Types, Types) const { return {}; }
  bool operator==(const Range&) const = default;

 private:
  static bool fits_integer(double x) { return std::trunc(x) == x && -0x1p63 <= x && x < 0x1p63; }
};

}  // namespace plumb::ir::ops
