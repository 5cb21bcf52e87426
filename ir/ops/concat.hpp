#pragma once

#include "ir/op.hpp"

namespace plumb::ir::ops {

/// Tensors joined along an axis they already have (ops.md 4).
struct Concat {
  std::int64_t axis = 0;

  static constexpr auto name = "concat";
  static constexpr auto summary = "join along an axis";
  static constexpr auto formula = "y = x1, then x2, .. along axis";
  static constexpr int tier = 1;
  static constexpr std::array inputs = {Input{.name = "x", .dtypes = dtypes::any, .shape = "[..]", .repeated = true}};
  static constexpr std::array outputs = {Output{"y", "as x [.., Σ extents, ..]"}};
  static constexpr std::array<std::string_view, 2> checks = {
      "there must be at least one input", "inputs must have equal ranks and extents except along axis"};
  static constexpr auto fields = std::tuple{
      Field{"axis", &Concat::axis, "joined axis; negative counts from the end", Presence::required},
  };

  TensorTypes infer(Types in) const {
    check(*this, 1, !in.empty(), "got none");
    const std::size_t joined = in[0].shape.axis(axis);
    Shape y = in[0].shape;
    y[joined] = 0;
    for (const TensorType& x : in) {
      bool fits = x.shape.size() == y.size();
      for (std::size_t i = 0; fits && i < y.size(); ++i) fits = i == joined || x.shape[i] == y[i];
      check(*this, 2, fits, "axis is ", axis, ", the first is ", in[0], ", another is ", x);
      require(!__builtin_add_overflow(y[joined], x.shape[joined], &y[joined]), "the joined axis is too long");
    }
    return {{in[0].dtype, std::move(y)}};
  }
  ErrorClass error_class() const { return ErrorClass::bits; }
  Cost cost(Types, Types) const { return {}; }
  bool operator==(const Concat&) const = default;
};

}  // namespace plumb::ir::ops
