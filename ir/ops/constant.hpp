#pragma once

#include "ir/op.hpp"

namespace plumb::ir::ops {

/// A tensor stored in the graph (ops.md 2): bytes, little-endian, row-major.
struct Constant {
  DType dtype = DType::f32;
  std::vector<std::int64_t> shape;
  Bytes data;

  static constexpr auto name = "constant";
  static constexpr auto summary = "a tensor stored in the graph";
  static constexpr auto formula = "y = data, little-endian and row-major";
  static constexpr int tier = 1;
  static constexpr bool makes_values = true;
  static constexpr std::array<Input, 0> inputs = {};
  static constexpr std::array outputs = {Output{"y", "`dtype` [`shape`]"}};
  static constexpr std::array<std::string_view, 2> checks = {"data must have exactly elements x width bytes",
                                                             "bool bytes must be 0 or 1"};
  static constexpr auto fields = std::tuple{
      Field{"dtype", &Constant::dtype, "dtype of y", Presence::required},
      Field{"shape", &Constant::shape, "shape of y", Presence::required},
      Field{"data", &Constant::data, "the elements' bytes; JSON may give `values` instead", Presence::required},
  };

  TensorTypes infer(Types) const {
    const TensorType type{dtype, Shape(shape)};
    check_type(type);
    check(*this, 1, data.size() == type.bytes(), type, " wants ", type.bytes(), " bytes, got ", data.size());
    if (dtype == DType::boolean)
      for (const std::byte byte : data) check(*this, 2, byte <= std::byte{1}, "got ", std::to_integer<int>(byte));
    return {type};
  }
  ErrorClass error_class() const { return ErrorClass::bits; }
  bool operator==(const Constant&) const = default;
};

}  // namespace plumb::ir::ops
