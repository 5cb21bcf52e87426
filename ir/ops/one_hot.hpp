#pragma once

#include "ir/kernels/op_loops.hpp"
#include "ir/op.hpp"

namespace plumb::ir::ops {

/// Indices as lines of which one element is on (ops.md 4, ONNX OneHot-11).
struct OneHot {
  std::int64_t depth = 1;
  std::int64_t axis = -1;

  static constexpr auto name = "one_hot";
  static constexpr auto summary = "indices as lines of which one element is on";
  static constexpr auto formula =
      "y[.. k ..] = values[1] where k = indices[.. ..], else values[0], k along `axis`; a negative index counts from "
      "the end, one outside [-depth, depth) is nowhere";
  static constexpr int tier = 2;
  static constexpr std::array inputs = {Input{"indices", dtypes::X, "[..]"}, Input{"values", dtypes::any, "[2]"}};
  static constexpr std::array outputs = {Output{"y", "as values, shape of indices with `depth` inserted at `axis`"}};
  static constexpr std::array<std::string_view, 2> checks = {"depth must be at least 1",
                                                             "values must hold two elements: off, on"};
  static constexpr auto fields = std::tuple{
      Field{"depth", &OneHot::depth, "length of the lines", Presence::required},
      Field{"axis", &OneHot::axis, "the axis of y along which they lie; negative counts from the end"},
  };

  TensorTypes infer(Types in) const {
    check(*this, 1, depth >= 1, "depth is ", depth);
    check(*this, 2, in[1].shape == Shape{2}, "values are ", in[1]);
    Shape y = in[0].shape;
    y.push_back(depth);
    const auto at = static_cast<std::ptrdiff_t>(y.axis(axis));
    y.pop_back();
    y.insert(y.begin() + at, depth);
    return {{in[1].dtype, std::move(y)}};
  }
  ErrorClass error_class() const { return ErrorClass::bits; }
  Cost cost(Types, Types) const { return {}; }
  Loops loops(Types, Types) const { return {.operands = {kernels::index_along(depth)}}; }
  bool operator==(const OneHot&) const = default;
};

}  // namespace plumb::ir::ops
