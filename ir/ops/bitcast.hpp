#pragma once

#include "ir/op.hpp"

namespace plumb::ir::ops {

/// Reads the bits of x as another type (ops.md 2, ONNX BitCast). It has no truth in wider numbers:
/// the pass widen refuses it where it touches a float.
struct Bitcast {
  DType to = DType::i32;

  static constexpr auto name = "bitcast";
  static constexpr auto summary = "the same bits as another type";
  static constexpr auto formula = "y = the bits of x, little-endian";
  static constexpr int tier = 2;
  static constexpr std::array inputs = {Input{"x", dtypes::any, "[..]"}};
  static constexpr std::array outputs = {Output{"y", "`to` [shape of x]"}};
  static constexpr std::array<std::string_view, 2> checks = {"x and `to` must have elements of the same width",
                                                             "x and `to` must not be bool"};
  static constexpr auto fields = std::tuple{
      Field{"to", &Bitcast::to, "dtype of y", Presence::required},
  };

  TensorTypes infer(Types in) const {
    check(*this, 1, info(in[0].dtype).bytes == info(to).bytes, "x is ", in[0], ", to is ", to);
    check(*this, 2, in[0].dtype != DType::boolean && to != DType::boolean, "x is ", in[0], ", to is ", to);
    return {{to, in[0].shape}};
  }
  ErrorClass error_class() const { return ErrorClass::bits; }
  Cost cost(Types, Types) const { return {}; }
  bool operator==(const Bitcast&) const = default;
};

}  // namespace plumb::ir::ops
