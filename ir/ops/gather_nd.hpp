#pragma once

#include "ir/kernels/op_loops.hpp"
#include "ir/op.hpp"

namespace plumb::ir::ops {

/// Slices by tuples of indices (ops.md 4, ONNX GatherND-13).
struct GatherNd {
  std::int64_t batch_dims = 0;

  static constexpr auto name = "gather_nd";
  static constexpr auto summary = "slices by tuples of indices";
  static constexpr auto formula =
      "y[b.., i.., j..] = x[b.., indices[b.., i.., 0], .., indices[b.., i.., m-1], j..]; a negative index counts from "
      "the end of its axis";
  static constexpr int tier = 2;
  static constexpr std::array inputs = {Input{"x", dtypes::any, "[b.., m axes.., j..]"},
                                        Input{"indices", dtypes::X, "[b.., i.., m]"}};
  static constexpr std::array outputs = {Output{"y", "as x [b.., i.., j..]"}};
  static constexpr std::array<std::string_view, 3> checks = {
      "batch_dims must be at least 0 and less than either rank", "the leading `batch_dims` extents must be equal",
      "the last extent of indices must be at least 1 and at most the rank of x without batch_dims"};
  static constexpr auto fields = std::tuple{
      Field{"batch_dims", &GatherNd::batch_dims, "leading axes that x and indices have in common"},
  };

  TensorTypes infer(Types in) const {
    const Shape &x = in[0].shape, &q = in[1].shape;
    check(*this, 1, 0 <= batch_dims && batch_dims < std::min(x.rank(), q.rank()), "batch_dims is ", batch_dims,
          ", x is ", in[0], ", indices are ", in[1]);
    const auto b = static_cast<std::size_t>(batch_dims);
    check(*this, 2, x.leading(b) == q.leading(b), "batch_dims is ", batch_dims, ", x is ", in[0], ", indices are ",
          in[1]);
    const std::int64_t m = q.back();
    check(*this, 3, 1 <= m && m <= x.rank() - batch_dims, "batch_dims is ", batch_dims, ", x is ", in[0],
          ", indices are ", in[1]);
    Shape y = q.leading(q.size() - 1);
    y.insert(y.end(), x.begin() + batch_dims + m, x.end());
    return {{in[0].dtype, std::move(y)}};
  }
  ErrorClass error_class() const { return ErrorClass::bits; }
  Cost cost(Types, Types) const { return {}; }
  Loops loops(Types in, Types) const {
    // All indices of a tuple are in the range of the shortest of its axes.
    const auto first = in[0].shape.begin() + batch_dims;
    return {.operands = {{}, kernels::index_along(*std::min_element(first, first + in[1].shape.back()))}};
  }
  bool operator==(const GatherNd&) const = default;
};

}  // namespace plumb::ir::ops
