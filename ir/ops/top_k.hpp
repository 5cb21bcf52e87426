#pragma once

#include "ir/op.hpp"

namespace plumb::ir::ops {

/// The k largest or smallest elements of lines (ops.md 5, ONNX TopK-11).
struct TopK {
  std::int64_t k = 1;
  std::int64_t axis = -1;
  bool largest = true;
  bool sorted = true;
  DType index_dtype = DType::i64;

  static constexpr auto name = "top_k";
  static constexpr auto summary = "the k largest or smallest elements along one axis";
  static constexpr auto formula =
      "values[i] = x[indices[i]], the first k in order along `axis`: NaN before +inf when the largest are wanted, "
      "after "
      "it otherwise, -0 is +0, the lower index first of equals. Not sorted, they come by index";
  static constexpr int tier = 2;
  static constexpr std::array inputs = {Input{"x", dtypes::N, "[.., n, ..]"}};
  static constexpr std::array outputs = {Output{"values", "as x [.., k, ..]"},
                                         Output{"indices", "`index_dtype` [.., k, ..]"}};
  static constexpr std::array<std::string_view, 2> checks = {"k must be at least 0 and at most the extent of the axis",
                                                             "index_dtype must be i32 or i64"};
  static constexpr auto fields = std::tuple{
      Field{"k", &TopK::k, "how many elements of every line", Presence::required},
      Field{"axis", &TopK::axis, "the lines' axis; negative counts from the end"},
      Field{"largest", &TopK::largest, "the largest, not the smallest"},
      Field{"sorted", &TopK::sorted, "in order of their values, not of their indices"},
      Field{"index_dtype", &TopK::index_dtype, "dtype of indices"},
  };

  TensorTypes infer(Types in) const {
    Shape y = in[0].shape;
    const std::size_t a = y.axis(axis);
    check(*this, 1, 0 <= k && k <= y[a], "k is ", k, ", x is ", in[0], ", axis is ", axis);
    check(*this, 2, dtypes::X.contains(index_dtype), "got ", index_dtype);
    y[a] = k;
    return {{in[0].dtype, y}, {index_dtype, y}};
  }
  ErrorClass error_class() const { return ErrorClass::bits; }
  Cost cost(Types in, Types) const { return {static_cast<double>(in[0].shape.elements()), 0}; }
  bool operator==(const TopK&) const = default;
};

}  // namespace plumb::ir::ops
