#pragma once

#include "ir/op.hpp"

namespace plumb::ir::ops {

/// New shape, same elements in the same row-major order (ops.md 4).
struct Reshape {
  std::vector<std::int64_t> shape;

  static constexpr auto name = "reshape";
  static constexpr auto summary = "new shape, same elements";
  static constexpr auto formula = "y = x in row-major order; an extent of -1 is what the others leave";
  static constexpr int tier = 1;
  static constexpr std::array inputs = {Input{"x", dtypes::any, "[..]"}};
  static constexpr std::array outputs = {Output{"y", "as x [`shape`]"}};
  static constexpr std::array<std::string_view, 2> checks = {"shape must hold extents >= 0 and at most one -1",
                                                             "shape must hold as many elements as x"};
  static constexpr auto fields = std::tuple{
      Field{"shape", &Reshape::shape, "shape of y; one extent may be -1", Presence::required},
  };

  TensorTypes infer(Types in) const {
    Shape y(shape), known;
    std::size_t open = y.size();
    for (std::size_t i = 0; i < y.size(); ++i) {
      check(*this, 1, y[i] >= 0 || (y[i] == -1 && open == y.size()), "shape is ", y);
      if (y[i] == -1)
        open = i;
      else
        known.push_back(y[i]);
    }
    const auto elements = in[0].shape.elements(), others = known.elements();
    if (open < y.size()) {
      check(*this, 2, others > 0 && elements % others == 0, "x is ", in[0], ", shape is ", y);
      y[open] = elements / others;
    }
    check(*this, 2, y.elements() == elements, "x is ", in[0], ", shape is ", y);
    return {{in[0].dtype, std::move(y)}};
  }
  ErrorClass error_class() const { return ErrorClass::bits; }
  Cost cost(Types, Types) const { return {}; }
  bool operator==(const Reshape&) const = default;
};

}  // namespace plumb::ir::ops
