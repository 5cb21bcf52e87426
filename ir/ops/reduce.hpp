// Declares reductions over axes, with what each function gives for an empty set.
#pragma once

#include <algorithm>

#include "ir/kernels/op_loops.hpp"
#include "ir/op.hpp"
#include "ir/sums.hpp"

namespace plumb::ir::ops {

enum class ReduceFunction { sum, mean, product, max, min, l1, sum_square, l2, log_sum, log_sum_exp };

constexpr auto enum_names(ReduceFunction) {
  return std::array<std::string_view, 10>{"sum", "mean",       "product", "max",     "min",
                                          "l1",  "sum_square", "l2",      "log_sum", "log_sum_exp"};
}

/// The sum that a function makes; it must be one that adds.
inline SumName sum_name(ReduceFunction function) { return enum_value<SumName>(enum_name(function)).value(); }

/// The dtypes a function is defined on.
constexpr DTypes reducible(ReduceFunction function) {
  switch (function) {
    case ReduceFunction::sum:
      return dtypes::N | dtypes::Z;
    case ReduceFunction::mean:
      return dtypes::R | dtypes::Z;
    case ReduceFunction::product:
    case ReduceFunction::l1:
    case ReduceFunction::sum_square:
      return dtypes::N;
    case ReduceFunction::max:
    case ReduceFunction::min:
      return dtypes::N | dtypes::B;
    default:
      return dtypes::R;
  }
}

/// One value for every set of elements that differ along some axes only (ops.md 5).
struct Reduce {
  ReduceFunction function = ReduceFunction::sum;
  std::vector<std::int64_t> axes;
  bool keep_dims = true;

  static constexpr auto name = "reduce";
  static constexpr auto summary = "sum, mean, extremes, norms and logarithmic sums over axes";
  static constexpr auto formula =
      "y = f over the elements along `axes`; NaN propagates, integers wrap in their own dtype, max and min of bool are "
      "any "
      "and all. Of an empty set: sum, l1, sum_square, l2 give 0, product 1, mean NaN, max and min the lowest and the "
      "largest value, log_sum and log_sum_exp -inf";
  static constexpr int tier = 1;
  static constexpr std::array inputs = {Input{"x", dtypes::any, "[..]"}};
  static constexpr std::array outputs = {Output{"y", "as x, `axes` removed or 1"}};
  static constexpr std::array<std::string_view, 2> checks = {"axes must be distinct",
                                                             "x must be of a dtype that the function is defined on"};
  static constexpr auto fields = std::tuple{
      Field{"function", &Reduce::function, "what is computed", Presence::required},
      Field{"axes", &Reduce::axes, "reduced axes; none reduces nothing", Presence::required},
      Field{"keep_dims", &Reduce::keep_dims, "reduced axes stay, with extent 1"},
  };

  /// For each axis of x, whether it is reduced. Throws Error for an axis out of range.
  std::vector<bool> reduced(const Shape& x) const {
    std::vector<bool> reduced(x.size(), false);
    for (const auto axis : axes) reduced[x.axis(axis)] = true;
    return reduced;
  }

  TensorTypes infer(Types in) const {
    const auto& x = in[0].shape;
    const auto gone = reduced(x);
    check(*this, 1, static_cast<std::size_t>(std::ranges::count(gone, true)) == axes.size(), "got ", Shape(axes),
          " of ", in[0]);
    check(*this, 2, reducible(function).contains(in[0].dtype), enum_name(function), " takes ", reducible(function),
          ", x is ", in[0]);
    Shape y;
    for (std::size_t i = 0; i < x.size(); ++i)
      if (!gone[i])
        y.push_back(x[i]);
      else if (keep_dims)
        y.push_back(1);
    return {{in[0].dtype, std::move(y)}};
  }
  ErrorClass error_class() const {
    switch (function) {
      case ReduceFunction::max:
      case ReduceFunction::min:
        return ErrorClass::exact;
      case ReduceFunction::product:
      case ReduceFunction::log_sum:
      case ReduceFunction::log_sum_exp:
        return ErrorClass::comp;
      default:
        return ErrorClass::dot;
    }
  }
  Cost cost(Types in, Types out) const {
    const auto terms = in[0].shape.elements(), results = out[0].shape.elements();
    return {static_cast<double>(terms), results > 0 ? terms / results : 0};
  }
  Loops loops(Types in, Types) const {
    using enum ReduceFunction;
    const bool is_linear = function == sum || function == mean;
    const bool has_size = function == max || function == min || function == l1;
    const bool adds = is_linear || function == l1 || function == l2 || function == sum_square || function == log_sum;
    Loops made{.operands = {{.degree = is_linear ? Degree::linear : has_size ? Degree::homogeneous : Degree::none}}};
    std::size_t place = 0;
    const std::vector<bool> gone = reduced(in[0].shape);
    for (std::size_t a = 0; a < gone.size(); ++a) {
      made.loops.push_back(gone[a] ? kernels::summed({a}) : Loop{.out = place, .in = {a}});
      if (gone[a] && !adds) made.loops.back().reduction = Reduction::other;
      place += !gone[a] || keep_dims;
    }
    return made;
  }
  bool operator==(const Reduce&) const = default;
};

}  // namespace plumb::ir::ops
