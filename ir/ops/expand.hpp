#pragma once

#include "ir/kernels/strided_copy.hpp"
#include "ir/op.hpp"

namespace plumb::ir::ops {

/// Broadcasting to a given shape (ops.md 4, numpy.broadcast_to).
struct Expand {
  std::vector<std::int64_t> shape;

  static constexpr auto name = "expand";
  static constexpr auto summary = "broadcast to a shape";
  static constexpr auto formula =
      "y[.., j, ..] = x[.., j or 0, ..], 0 on axes of extent 1; missing leading axes count as 1";
  static constexpr int tier = 1;
  static constexpr std::array inputs = {Input{"x", dtypes::any, "[..]"}};
  static constexpr std::array outputs = {Output{"y", "as x [`shape`]"}};
  static constexpr std::array<std::string_view, 1> checks = {"x must broadcast to shape"};
  static constexpr auto fields = std::tuple{
      Field{"shape", &Expand::shape, "shape of y", Presence::required},
  };

  TensorTypes infer(Types in) const {
    Shape y(shape);
    check(*this, 1, broadcasts_to(in[0].shape, y), "x is ", in[0], ", shape is ", y);
    return {{in[0].dtype, std::move(y)}};
  }
  kernels::StridedCopy copy(const TensorType& x, const Shape& y) const {
    return kernels::read_strided(x.dtype, y, broadcast_strides(x.shape, y));
  }
  ErrorClass error_class() const { return ErrorClass::bits; }
  Cost cost(Types, Types) const { return {}; }
  bool operator==(const Expand&) const = default;
};

}  // namespace plumb::ir::ops
