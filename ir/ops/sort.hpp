#pragma once

#include "ir/op.hpp"

namespace plumb::ir::ops {

/// Lines in order, and where their elements were (ops.md 5).
struct Sort {
  std::int64_t axis = -1;
  bool descending = false;
  DType index_dtype = DType::i64;

  static constexpr auto name = "sort";
  static constexpr auto summary = "stable sort along one axis";
  static constexpr auto formula =
      "values = x in order along `axis`, values[k] = x[indices[k]]; -inf < finite < +inf < NaN, -0 is +0. Equal "
      "elements keep their order in both directions";
  static constexpr int tier = 2;
  static constexpr std::array inputs = {Input{"x", dtypes::N | dtypes::B, "[..]"}};
  static constexpr std::array outputs = {Output{"values", "as x"}, Output{"indices", "`index_dtype`, shape of x"}};
  static constexpr std::array<std::string_view, 1> checks = {"index_dtype must be i32 or i64"};
  static constexpr auto fields = std::tuple{
      Field{"axis", &Sort::axis, "the lines' axis; negative counts from the end"},
      Field{"descending", &Sort::descending, "the largest, and NaN, first"},
      Field{"index_dtype", &Sort::index_dtype, "dtype of indices"},
  };

  TensorTypes infer(Types in) const {
    in[0].shape.axis(axis);
    check(*this, 1, dtypes::X.contains(index_dtype), "got ", index_dtype);
    return {in[0], {index_dtype, in[0].shape}};
  }
  ErrorClass error_class() const { return ErrorClass::bits; }
  bool operator==(const Sort&) const = default;
};

}  // namespace plumb::ir::ops
