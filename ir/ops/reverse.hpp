#pragma once

#include "ir/kernels/strided_copy.hpp"
#include "ir/op.hpp"

namespace plumb::ir::ops {

/// Axes run backwards (ops.md 4).
struct Reverse {
  std::vector<std::int64_t> axes;

  static constexpr auto name = "reverse";
  static constexpr auto summary = "axes run backwards";
  static constexpr auto formula = "y[.. i ..] = x[.. n - 1 - i ..] along each axis given";
  static constexpr int tier = 2;
  static constexpr std::array inputs = {Input{"x", dtypes::any, "[..]"}};
  static constexpr std::array outputs = {Output{"y", "as x"}};
  static constexpr std::array<std::string_view, 1> checks = {"axes must be distinct"};
  static constexpr auto fields = std::tuple{
      Field{"axes", &Reverse::axes, "the axes reversed; negative counts from the end", Presence::required},
  };

  TensorTypes infer(Types in) const {
    std::vector<bool> reversed(in[0].shape.size(), false);
    for (const std::int64_t axis : axes) {
      const std::size_t k = in[0].shape.axis(axis);
      check(*this, 1, !reversed[k], "axis ", axis, " comes twice");
      reversed[k] = true;
    }
    return {in[0]};
  }
  kernels::StridedCopy copy(const TensorType& x) const {
    auto strides = x.shape.strides();
    std::int64_t from = 0;
    for (const std::int64_t axis : axes) {
      const std::size_t k = x.shape.axis(axis);
      from += (x.shape[k] - 1) * strides[k];
      strides[k] = -strides[k];
    }
    return kernels::read_strided(x.dtype, x.shape, strides, from);
  }
  ErrorClass error_class() const { return ErrorClass::bits; }
  Cost cost(Types, Types) const { return {}; }
  bool operator==(const Reverse&) const = default;
};

}  // namespace plumb::ir::ops
