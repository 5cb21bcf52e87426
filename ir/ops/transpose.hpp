#pragma once

#include "ir/kernels/strided_copy.hpp"
#include "ir/op.hpp"

namespace plumb::ir::ops {

/// Axes in another order (ops.md 4).
struct Transpose {
  std::vector<std::int64_t> permutation;

  static constexpr auto name = "transpose";
  static constexpr auto summary = "permute axes";
  static constexpr auto formula = "axis k of y is axis permutation[k] of x";
  static constexpr int tier = 1;
  static constexpr std::array inputs = {Input{"x", dtypes::any, "[..]"}};
  static constexpr std::array outputs = {Output{"y", "as x [x.shape[`permutation`]..]"}};
  static constexpr std::array<std::string_view, 1> checks = {"permutation must hold each axis of x once"};
  static constexpr auto fields = std::tuple{
      Field{"permutation", &Transpose::permutation, "the axis of x that each axis of y is; none counts from the end",
            Presence::required},
  };

  TensorTypes infer(Types in) const {
    const Shape& x = in[0].shape;
    const Shape given(permutation);
    check(*this, 1, given.size() == x.size(), "x is ", in[0], ", permutation is ", given);
    std::vector<bool> seen(x.size(), false);
    Shape y;
    for (const auto axis : permutation) {
      check(*this, 1, 0 <= axis && axis < x.rank() && !seen[static_cast<std::size_t>(axis)], "x is ", in[0],
            ", permutation is ", given);
      seen[static_cast<std::size_t>(axis)] = true;
      y.push_back(x[static_cast<std::size_t>(axis)]);
    }
    return {{in[0].dtype, std::move(y)}};
  }
  kernels::StridedCopy copy(const TensorType& x, const Shape& y) const {
    const auto own = x.shape.strides();
    std::vector<std::int64_t> strides;
    for (const auto axis : permutation) strides.push_back(own[static_cast<std::size_t>(axis)]);
    return kernels::read_strided(x.dtype, y, strides);
  }
  ErrorClass error_class() const { return ErrorClass::bits; }
  Cost cost(Types, Types) const { return {}; }
  bool operator==(const Transpose&) const = default;
};

}  // namespace plumb::ir::ops
