#pragma once

#include "ir/kernels/op_loops.hpp"
#include "ir/op.hpp"

namespace plumb::ir::ops {

/// Puts what a max pool found back where it was found, zeros elsewhere (ops.md 9, ONNX MaxUnpool-22).
struct MaxUnpool {
  std::vector<std::int64_t> inferred_shape{}, output_shape{};

  static constexpr auto name = "max_unpool";
  static constexpr auto summary = "maxima back where they were found";
  static constexpr auto formula =
      "y = 0, then in row-major order of x the element of y at the position that `indices` has in [N, C, inferred..] "
      "is "
      "x; the last wins";
  static constexpr int tier = 2;
  static constexpr std::array inputs = {Input{"x", dtypes::R, "[N, C, O..]"}, Input{"indices", DType::i64, "as x"}};
  static constexpr std::array outputs = {Output{"y", "as x [N, C, output..]"}};
  static constexpr std::array<std::string_view, 1> checks = {
      "x must have rank 3 to 5, indices its shape, inferred_shape its spatial axes, at least 0, and output_shape none "
      "or as many, at least as large"};
  static constexpr auto fields = std::tuple{
      Field{"inferred_shape", &MaxUnpool::inferred_shape, "spatial extents that the indices refer to",
            Presence::required},
      Field{"output_shape", &MaxUnpool::output_shape, "spatial extents of y; empty means inferred_shape"},
  };

  /// The tensor that the indices count in.
  Shape indexed(const Shape& x) const {
    Shape all = x.leading(2);
    all.insert(all.end(), inferred_shape.begin(), inferred_shape.end());
    return all;
  }

  TensorTypes infer(Types in) const {
    const auto& x = in[0].shape;
    check(*this, 1,
          x.rank() >= 3 && x.rank() <= 5 && in[1].shape == x && inferred_shape.size() + 2 == x.size() &&
              (output_shape.empty() || output_shape.size() == inferred_shape.size()),
          "x is ", in[0], ", indices are ", in[1], ", inferred_shape has ", inferred_shape.size(),
          " entries, output_shape ", output_shape.size());
    Shape y = x.leading(2);
    for (std::size_t i = 0; i < inferred_shape.size(); ++i) {
      const std::int64_t extent = output_shape.empty() ? inferred_shape[i] : output_shape[i];
      check(*this, 1, inferred_shape[i] >= 0 && extent >= inferred_shape[i], "on spatial axis ", i,
            " inferred_shape is ", inferred_shape[i], ", output_shape ", extent);
      y.push_back(extent);
    }
    return {{in[0].dtype, std::move(y)}};
  }
  ErrorClass error_class() const { return ErrorClass::bits; }
  Cost cost(Types, Types) const { return {0, 0}; }
  Loops loops(Types in, Types) const {
    return {.operands = {{}, {.role = Role::index, .low = 0, .high = indexed(in[0].shape).elements()}}};
  }
  bool operator==(const MaxUnpool&) const = default;
};

}  // namespace plumb::ir::ops
