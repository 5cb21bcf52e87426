#pragma once

#include "ir/kernels/op_loops.hpp"
#include "ir/op.hpp"

namespace plumb::ir::ops {

/// Single elements by index along one axis (ops.md 4, ONNX GatherElements-13).
struct GatherElements {
  std::int64_t axis = 0;

  static constexpr auto name = "gather_elements";
  static constexpr auto summary = "single elements by index along one axis";
  static constexpr auto formula =
      "y[.. i ..] = x[.. indices[.. i ..] at `axis` ..]; a negative index counts from the end of the axis";
  static constexpr int tier = 2;
  static constexpr std::array inputs = {Input{"x", dtypes::any, "[..]"}, Input{"indices", dtypes::X, "[..]"}};
  static constexpr std::array outputs = {Output{"y", "as x, shape of indices"}};
  static constexpr std::array<std::string_view, 2> checks = {
      "x and indices must have the same rank, of at least 1",
      "an extent of indices must not exceed that of x on another axis than `axis`"};
  static constexpr auto fields = std::tuple{
      Field{"axis", &GatherElements::axis, "the axis of x that indices count along; negative counts from the end"},
  };

  TensorTypes infer(Types in) const {
    const Shape &x = in[0].shape, &q = in[1].shape;
    check(*this, 1, x.rank() >= 1 && x.rank() == q.rank(), "x is ", in[0], ", indices are ", in[1]);
    const std::size_t a = x.axis(axis);
    for (std::size_t k = 0; k < x.size(); ++k)
      check(*this, 2, k == a || q[k] <= x[k], "axis ", k, ", x is ", in[0], ", indices are ", in[1]);
    return {{in[0].dtype, q}};
  }
  ErrorClass error_class() const { return ErrorClass::bits; }
  Cost cost(Types, Types) const { return {}; }
  Loops loops(Types in, Types) const {
    return {.operands = {{}, kernels::index_along(in[0].shape[in[0].shape.axis(axis)])}};
  }
  bool operator==(const GatherElements&) const = default;
};

}  // namespace plumb::ir::ops
