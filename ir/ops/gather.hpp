#pragma once

#include "ir/kernels/op_loops.hpp"
#include "ir/op.hpp"

namespace plumb::ir::ops {

/// Rows of a tensor by index (ops.md 4, ONNX Gather-13). Types say nothing about
/// values: an index outside [-n, n) is a fault of the run, constant or not.
struct Gather {
  std::int64_t axis = 0;

  static constexpr auto name = "gather";
  static constexpr auto summary = "rows by index";
  static constexpr auto formula = "y[a, i, b] = x[a, indices[i], b]; a negative index counts from the end of the axis";
  static constexpr int tier = 1;
  static constexpr std::array inputs = {Input{"x", dtypes::any, "[.., n, ..]"}, Input{"indices", dtypes::X, "[q..]"}};
  static constexpr std::array outputs = {Output{"y", "as x [.., q.., ..]"}};
  static constexpr std::array<std::string_view, 2> checks = {"x must have an axis",
                                                             "the axis must have rows where there are indices"};
  static constexpr auto fields = std::tuple{
      Field{"axis", &Gather::axis, "the axis of x that indices count along; negative counts from the end"},
  };

  TensorTypes infer(Types in) const {
    const Shape &x = in[0].shape, &q = in[1].shape;
    check(*this, 1, x.rank() >= 1, "x is ", in[0]);
    const std::size_t a = x.axis(axis);
    check(*this, 2, x[a] >= 1 || q.elements() == 0, "x is ", in[0], ", axis is ", axis, ", indices are ", in[1]);
    Shape y = x.leading(a);
    y.insert(y.end(), q.begin(), q.end());
    y.insert(y.end(), x.begin() + static_cast<std::ptrdiff_t>(a) + 1, x.end());
    return {{in[0].dtype, std::move(y)}};
  }
  ErrorClass error_class() const { return ErrorClass::bits; }
  Cost cost(Types, Types) const { return {}; }
  Loops loops(Types in, Types) const {
    return {.operands = {{}, kernels::index_along(in[0].shape[in[0].shape.axis(axis)])}};
  }
  bool operator==(const Gather&) const = default;
};

}  // namespace plumb::ir::ops
