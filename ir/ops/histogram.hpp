#pragma once

#include <cmath>

#include "ir/op.hpp"

namespace plumb::ir::ops {

/// How many elements lie in each of `bins` equal parts of [min, max] (ops.md 5, numpy.histogram with range).
struct Histogram {
  std::int64_t bins = 0;
  double min = 0, max = 0;
  DType index_dtype = DType::i64;

  static constexpr auto name = "histogram";
  static constexpr auto summary = "how many elements lie in each part of an interval";
  static constexpr auto formula =
      "y[i] = how many x have i as the largest i < bins with e_i <= x <= max, e_i = min + i·((max − min)/bins) in f64, "
      "each operation rounded; x = max counts in the last bin, others outside and NaN nowhere";
  static constexpr int tier = 3;
  static constexpr std::array inputs = {Input{"x", dtypes::R | dtypes::I, "[..]"}};
  static constexpr std::array outputs = {Output{"y", "`index_dtype` [bins]"}};
  static constexpr std::array<std::string_view, 2> checks = {
      "bins must be at least 1, min and max finite with min < max", "index_dtype must be an index type"};
  static constexpr auto fields = std::tuple{
      Field{"bins", &Histogram::bins, "how many parts", Presence::required},
      Field{"min", &Histogram::min, "start of the first part", Presence::required},
      Field{"max", &Histogram::max, "end of the last part, which belongs to it", Presence::required},
      Field{"index_dtype", &Histogram::index_dtype, "dtype of y, whose range counts beyond it wrap around"},
  };

  TensorTypes infer(Types in) const {
    const double first = real_of(in[0].dtype, min), last = real_of(in[0].dtype, max);
    check(*this, 1, bins >= 1 && std::isfinite(first) && std::isfinite(last) && first < last, "bins is ", bins,
          ", min is ", first, ", max is ", last);
    check(*this, 2, dtypes::X.contains(index_dtype), "index_dtype is ", index_dtype);
    return {{index_dtype, {bins}}};
  }

  /// A real attribute as the op computes with it, for elements of dtype `x` (ops.md 1.3).
  static double real_of(DType x, double attribute) {
    return is_float(x) && x != DType::f64 ? static_cast<double>(static_cast<float>(attribute)) : attribute;
  }
  /// Where the bins start, ascending and none beyond max, and max itself behind them, for elements of dtype `x`.
  std::vector<double> edges(DType x) const;

  ErrorClass error_class() const { return ErrorClass::bits; }
  Cost cost(Types, Types) const { return {}; }
  bool operator==(const Histogram&) const = default;
};

}  // namespace plumb::ir::ops
