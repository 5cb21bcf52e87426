#pragma once

#include "ir/kernels/index_map.hpp"
#include "ir/op.hpp"

namespace plumb::ir::ops {

/// Whole tensors side by side (ops.md 4, ONNX Tile, numpy.tile).
struct Tile {
  std::vector<std::int64_t> repeats;

  static constexpr auto name = "tile";
  static constexpr auto summary = "x repeated along each axis";
  static constexpr auto formula = "y[.. i ..] = x[.. i mod n ..] on every axis, of extent n in x";
  static constexpr int tier = 2;
  static constexpr std::array inputs = {Input{"x", dtypes::any, "[..]"}};
  static constexpr std::array outputs = {Output{"y", "as x, each extent times its repeats"}};
  static constexpr std::array<std::string_view, 1> checks = {"repeats must hold a number >= 0 for every axis of x"};
  static constexpr auto fields = std::tuple{
      Field{"repeats", &Tile::repeats, "how often x stands along each axis", Presence::required},
  };

  TensorTypes infer(Types in) const {
    Shape y = in[0].shape;
    check(*this, 1, repeats.size() == y.size(), repeats.size(), " repeats for ", in[0]);
    for (std::size_t k = 0; k < y.size(); ++k) {
      check(*this, 1, repeats[k] >= 0, "axis ", k, " has ", repeats[k]);
      y[k] = Shape{y[k], repeats[k]}.elements();  // which refuses what does not fit
    }
    return {{in[0].dtype, std::move(y)}};
  }
  kernels::IndexMap map(const TensorType& x, const Shape& y) const {
    const auto strides = x.shape.strides();
    kernels::IndexMap map{.width = info(x.dtype).bytes, .beyond = kernels::Beyond::wrap, .axes = {}};
    for (std::size_t k = 0; k < y.size(); ++k) map.axes.push_back({y[k], x.shape[k], 0, strides[k]});
    return map;
  }
  ErrorClass error_class() const { return ErrorClass::bits; }
  Cost cost(Types, Types) const { return {}; }
  bool operator==(const Tile&) const = default;
};

}  // namespace plumb::ir::ops
