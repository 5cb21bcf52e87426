// Declares arg-max and arg-min, with NaN the most extreme and ties to the first or the last.
#pragma once

#include "ir/op.hpp"

namespace plumb::ir::ops {

enum class ArgReduceFunction { max, min };

constexpr auto enum_names(ArgReduceFunction) { return std::array<std::string_view, 2>{"max", "min"}; }

/// Where along an axis the extreme is (ops.md 5).
struct ArgReduce {
  ArgReduceFunction function = ArgReduceFunction::max;
  std::int64_t axis = 0;
  bool keep_dims = true;
  bool select_last = false;
  DType index_dtype = DType::i64;

  static constexpr auto name = "arg_reduce";
  static constexpr auto summary = "index of the extreme";
  static constexpr auto formula =
      "y = the k of the largest or smallest x[k] along `axis`; of several the first, or the last. A NaN is more "
      "extreme than any number, -0 is +0";
  static constexpr int tier = 2;
  static constexpr std::array inputs = {Input{"x", dtypes::N, "[..]"}};
  static constexpr std::array outputs = {Output{"y", "`index_dtype` [..], `axis` removed or 1"}};
  static constexpr std::array<std::string_view, 2> checks = {"the axis must have elements",
                                                             "index_dtype must be i32 or i64"};
  static constexpr auto fields = std::tuple{
      Field{"function", &ArgReduce::function, "which extreme"},
      Field{"axis", &ArgReduce::axis, "the axis that y counts along; negative counts from the end"},
      Field{"keep_dims", &ArgReduce::keep_dims, "the axis stays, with extent 1"},
      Field{"select_last", &ArgReduce::select_last, "the last of equal extremes, not the first"},
      Field{"index_dtype", &ArgReduce::index_dtype, "dtype of y"},
  };

  TensorTypes infer(Types in) const {
    const Shape& x = in[0].shape;
    const std::size_t a = x.axis(axis);
    check(*this, 1, x[a] >= 1, "x is ", in[0], ", axis is ", axis);
    check(*this, 2, dtypes::X.contains(index_dtype), "got ", index_dtype);
    Shape y = x;
    const auto gone = y.begin() + static_cast<std::ptrdiff_t>(a);
    if (keep_dims)
      *gone = 1;
    else
      y.erase(gone);
    return {{index_dtype, std::move(y)}};
  }
  ErrorClass error_class() const { return ErrorClass::bits; }
  Cost cost(Types in, Types) const { return {static_cast<double>(in[0].shape.elements()), 0}; }
  bool operator==(const ArgReduce&) const = default;
};

}  // namespace plumb::ir::ops
