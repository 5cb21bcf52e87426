#pragma once

#include "ir/kernels/index_map.hpp"
#include "ir/op.hpp"

namespace plumb::ir::ops {

/// Circular shifts (ops.md 4, numpy.roll).
struct Roll {
  std::vector<std::int64_t> shifts, axes;

  static constexpr auto name = "roll";
  static constexpr auto summary = "circular shift along axes";
  static constexpr auto formula = "y[.. i ..] = x[.. (i - shift) mod n ..] along each axis given";
  static constexpr int tier = 2;
  static constexpr std::array inputs = {Input{"x", dtypes::any, "[..]"}};
  static constexpr std::array outputs = {Output{"y", "as x"}};
  static constexpr std::array<std::string_view, 1> checks = {"shifts and axes must be as many"};
  static constexpr auto fields = std::tuple{
      Field{"shifts", &Roll::shifts, "positions by which elements move up, may be negative", Presence::required},
      Field{"axes", &Roll::axes, "the axes shifted; those that come twice add up", Presence::required},
  };

  TensorTypes infer(Types in) const {
    check(*this, 1, shifts.size() == axes.size(), shifts.size(), " shifts, ", axes.size(), " axes");
    for (const std::int64_t axis : axes) in[0].shape.axis(axis);
    return {in[0]};
  }
  kernels::IndexMap map(const TensorType& x) const {
    const auto strides = x.shape.strides();
    kernels::IndexMap map{.width = info(x.dtype).bytes, .beyond = kernels::Beyond::wrap, .axes = {}};
    for (std::size_t k = 0; k < strides.size(); ++k) map.axes.push_back({x.shape[k], x.shape[k], 0, strides[k]});
    for (std::size_t i = 0; i < axes.size(); ++i) {
      auto& [extent, size, shift, stride] = map.axes[x.shape.axis(axes[i])];
      if (size > 0) shift = (shift - shifts[i] % size) % size;
    }
    return map;
  }
  ErrorClass error_class() const { return ErrorClass::bits; }
  Cost cost(Types, Types) const { return {}; }
  bool operator==(const Roll&) const = default;
};

}  // namespace plumb::ir::ops
