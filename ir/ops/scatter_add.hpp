#pragma once

#include "ir/kernels/op_loops.hpp"
#include "ir/op.hpp"

namespace plumb::ir::ops {

/// Rows summed into a table: the adjoint of gather (ops.md 4).
struct ScatterAdd {
  std::int64_t axis = 0;
  std::int64_t size = 0;

  static constexpr auto name = "scatter_add";
  static constexpr auto summary = "rows summed into a table";
  static constexpr auto formula =
      "y = 0, then y[a.., indices[i..], b..] += updates[a.., i.., b..]; a negative index counts from the end of the "
      "axis";
  static constexpr int tier = 2;
  static constexpr std::array inputs = {Input{"updates", dtypes::N, "[a.., i.., b..]"},
                                        Input{"indices", dtypes::X, "[i..]"}};
  static constexpr std::array outputs = {Output{"y", "as updates [a.., size, b..]"}};
  static constexpr std::array<std::string_view, 2> checks = {"updates must have the extents of indices from `axis` on",
                                                             "size must be at least 0"};
  static constexpr auto fields = std::tuple{
      Field{"axis", &ScatterAdd::axis, "the axis of y that indices count along; negative counts from its end"},
      Field{"size", &ScatterAdd::size, "extent of that axis", Presence::required},
  };

  /// Where the indices' axes start in updates. Throws Error for an axis out of range.
  std::size_t first_axis(const Shape& updates, const Shape& indices) const {
    const Shape y(std::vector<std::int64_t>(updates.size() < indices.size() ? 0 : updates.size() - indices.size() + 1));
    return y.axis(axis);
  }

  TensorTypes infer(Types in) const {
    const Shape &updates = in[0].shape, &q = in[1].shape;
    check(*this, 1, updates.size() >= q.size(), "updates are ", in[0], ", indices are ", in[1]);
    const std::size_t a = first_axis(updates, q);
    const auto from = updates.begin() + static_cast<std::ptrdiff_t>(a);
    check(*this, 1, std::equal(q.begin(), q.end(), from), "updates are ", in[0], ", indices are ", in[1], ", axis is ",
          axis);
    check(*this, 2, size >= 0, "got ", size);
    Shape y = updates.leading(a);
    y.push_back(size);
    y.insert(y.end(), from + q.rank(), updates.end());
    return {{in[0].dtype, std::move(y)}};
  }
  ErrorClass error_class() const { return ErrorClass::dot; }
  Cost cost(Types in, Types) const { return {static_cast<double>(in[0].shape.elements()), in[1].shape.elements()}; }
  Loops loops(Types in, Types) const {
    const std::size_t first = first_axis(in[0].shape, in[1].shape);
    Loops made{.operands = {kernels::linear_data, kernels::index_along(size)}};
    for (std::size_t a = 0; a < first; ++a) made.loops.push_back(kernels::along(in, a));
    for (std::size_t a = 0; a < in[1].shape.size(); ++a) made.loops.push_back(kernels::summed({first + a, a}));
    return made;
  }
  bool operator==(const ScatterAdd&) const = default;
};

}  // namespace plumb::ir::ops
