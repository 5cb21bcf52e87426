#pragma once

#include "ir/op.hpp"

namespace plumb::ir::ops {

/// Lines with a single 1, at their maximum (ops.md 7).
struct Hardmax {
  std::int64_t axis = -1;

  static constexpr auto name = "hardmax";
  static constexpr auto summary = "1 at the first maximum of a line, 0 elsewhere";
  static constexpr auto formula =
      "y[k] = 1 at the first of the largest x[k] along `axis`, else 0; a NaN is larger than any number, -0 is +0";
  static constexpr int tier = 2;
  static constexpr std::array inputs = {Input{"x", dtypes::N, "[..]"}};
  static constexpr std::array outputs = {Output{"y", "as x"}};
  static constexpr std::array<std::string_view, 0> checks = {};
  static constexpr auto fields = std::tuple{
      Field{"axis", &Hardmax::axis, "the lines' axis; negative counts from the end"},
  };

  TensorTypes infer(Types in) const {
    in[0].shape.axis(axis);
    return {in[0]};
  }
  ErrorClass error_class() const { return ErrorClass::bits; }
  bool operator==(const Hardmax&) const = default;
};

}  // namespace plumb::ir::ops
