// Declares running sums, products and extremes along an axis, exclusive or reversed.
#pragma once

#include "ir/kernels/op_loops.hpp"
#include "ir/op.hpp"

namespace plumb::ir::ops {

enum class CumulativeFunction { sum, product, max, min };

constexpr auto enum_names(CumulativeFunction) {
  return std::array<std::string_view, 4>{"sum", "product", "max", "min"};
}

/// Running sums, products and extremes along one axis (ops.md 5; of sums ONNX CumSum).
struct Cumulative {
  CumulativeFunction function = CumulativeFunction::sum;
  std::int64_t axis = -1;
  bool exclusive = false;
  bool reverse = false;

  static constexpr auto name = "cumulative";
  static constexpr auto summary = "running sum, product or extreme along one axis";
  static constexpr auto formula =
      "y[k] = x[0] ∘ ... ∘ x[k]; exclusive leaves x[k] out and starts with 0, 1, the lowest or the largest value "
      "(±inf of floats); reverse runs from the end. NaN propagates, integers wrap";
  static constexpr int tier = 2;
  static constexpr std::array inputs = {Input{"x", dtypes::N | dtypes::Z, "[..]"}};
  static constexpr std::array outputs = {Output{"y", "as x"}};
  static constexpr std::array<std::string_view, 1> checks = {"a complex x must be summed or multiplied"};
  static constexpr auto fields = std::tuple{
      Field{"function", &Cumulative::function, "what runs"},
      Field{"axis", &Cumulative::axis, "the axis it runs along; negative counts from the end"},
      Field{"exclusive", &Cumulative::exclusive, "y[k] is of the elements before x[k]"},
      Field{"reverse", &Cumulative::reverse, "it runs from the end of the axis"},
  };

  TensorTypes infer(Types in) const {
    in[0].shape.axis(axis);
    const bool ordered = function == CumulativeFunction::max || function == CumulativeFunction::min;
    check(*this, 1, !is_complex(in[0].dtype) || !ordered, "x is ", in[0], ", function is ", enum_name(function));
    return {in[0]};
  }
  ErrorClass error_class() const {
    if (function == CumulativeFunction::sum) return ErrorClass::dot;
    return function == CumulativeFunction::product ? ErrorClass::comp : ErrorClass::exact;
  }
  Cost cost(Types in, Types) const {
    return {static_cast<double>(in[0].shape.elements()), in[0].shape[in[0].shape.axis(axis)]};
  }
  Loops loops(Types in, Types) const {
    const bool is_sum = function == CumulativeFunction::sum, is_product = function == CumulativeFunction::product;
    Loops made{.loops = kernels::ordered_lines(in, axis, is_sum ? Reduction::sum : Reduction::other)};
    if (is_product) made.rounds = kernels::partial_products;
    if (!is_product) made.operands = {{.degree = is_sum ? Degree::linear : Degree::homogeneous}};
    return made;
  }
  bool operator==(const Cumulative&) const = default;
};

}  // namespace plumb::ir::ops
