#pragma once

#include "ir/op.hpp"

namespace plumb::ir::ops {

/// A tensor cut along an axis into consecutive parts (ops.md 4, ONNX Split-18).
struct Split {
  std::int64_t axis = 0;
  std::vector<std::int64_t> sizes;

  static constexpr auto name = "split";
  static constexpr auto summary = "cut along an axis";
  static constexpr auto formula = "y1, y2, .. are consecutive parts of x along axis, `sizes` long";
  static constexpr int tier = 1;
  static constexpr std::array inputs = {Input{"x", dtypes::any, "[..]"}};
  static constexpr std::array outputs = {Output{"y1 .. ym", "as x [.., `sizes`[i], ..]"}};
  static constexpr std::array<std::string_view, 1> checks = {
      "sizes must be at least one, each at least 0, and sum to the extent"};
  static constexpr auto fields = std::tuple{
      Field{"axis", &Split::axis, "cut axis; negative counts from the end"},
      Field{"sizes", &Split::sizes, "extent of each part along the axis", Presence::required},
  };

  TensorTypes infer(Types in) const {
    const std::size_t cut = in[0].shape.axis(axis);
    std::int64_t rest = in[0].shape[cut];
    TensorTypes parts;
    for (const auto size : sizes) {
      check(*this, 1, 0 <= size && size <= rest, "x is ", in[0], ", axis is ", axis, ", sizes are ", Shape(sizes));
      rest -= size;
      parts.push_back(in[0]);
      parts.back().shape[cut] = size;
    }
    check(*this, 1, !sizes.empty() && rest == 0, "x is ", in[0], ", axis is ", axis, ", sizes are ", Shape(sizes));
    return parts;
  }
  ErrorClass error_class() const { return ErrorClass::bits; }
  Cost cost(Types, Types) const { return {}; }
  bool operator==(const Split&) const = default;
};

}  // namespace plumb::ir::ops
