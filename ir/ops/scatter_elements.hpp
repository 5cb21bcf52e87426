#pragma once

#include "ir/kernels/op_loops.hpp"
#include "ir/kernels/scatter.hpp"

namespace plumb::ir::ops {

/// Single elements put at indices along one axis (ops.md 4, ONNX ScatterElements-18).
struct ScatterElements {
  std::int64_t axis = 0;
  kernels::ScatterReduction reduction = kernels::ScatterReduction::none;

  static constexpr auto name = "scatter_elements";
  static constexpr auto summary = "single elements put at indices along one axis";
  static constexpr auto formula =
      "y = x, then for every i in row-major order y[.. indices[.. i ..] at `axis` ..] = f(that, updates[.. i ..]): of "
      "equal targets the last wins where `reduction` is none. A negative index counts from the end of the axis";
  static constexpr int tier = 2;
  static constexpr std::array inputs = {Input{"x", dtypes::any, "[..]"}, Input{"indices", dtypes::X, "[..]"},
                                        Input{"updates", dtypes::any, "shape of indices", "x"}};
  static constexpr std::array outputs = {Output{"y", "as x"}};
  static constexpr std::array<std::string_view, 3> checks = {
      "x, indices and updates must have the same rank, and indices the shape of updates",
      "an extent of indices must not exceed that of x on another axis than `axis`",
      "x must be an integer or float tensor where updates are reduced"};
  static constexpr auto fields = std::tuple{
      Field{"axis", &ScatterElements::axis, "the axis of x that indices count along; negative counts from the end"},
      Field{"reduction", &ScatterElements::reduction, "f: an update replaces the element, or is combined with it"},
  };

  TensorTypes infer(Types in) const {
    const Shape &x = in[0].shape, &q = in[1].shape;
    check(*this, 1, x.rank() == q.rank() && q == in[2].shape, "x is ", in[0], ", indices are ", in[1], ", updates are ",
          in[2]);
    const std::size_t a = x.axis(axis);
    for (std::size_t k = 0; k < x.size(); ++k)
      check(*this, 2, k == a || q[k] <= x[k], "axis ", k, ", x is ", in[0], ", indices are ", in[1]);
    check(*this, 3, reduction == kernels::ScatterReduction::none || dtypes::N.contains(in[0].dtype), "x is ", in[0],
          ", reduction is ", enum_name(reduction));
    return {in[0]};
  }
  ErrorClass error_class() const { return kernels::error_class_of(reduction); }
  Cost cost(Types in, Types) const {
    const std::int64_t most = in[1].shape[in[1].shape.axis(axis)];  // updates per target at most
    return {static_cast<double>(in[2].shape.elements()), reduction == kernels::ScatterReduction::none ? 0 : most + 1};
  }
  Loops loops(Types in, Types) const {
    const std::size_t along = in[0].shape.axis(axis);
    Loops made{.operands = {{}, kernels::index_along(in[0].shape[along]), kernels::updates_of(reduction)}};
    if (reduction == kernels::ScatterReduction::add) made.loops.push_back(kernels::summed({Axis(), along, along}));
    return made;
  }
  bool operator==(const ScatterElements&) const = default;
};

}  // namespace plumb::ir::ops
