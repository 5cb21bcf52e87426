// Declares rows written into a cache, each element of a batch at a place of its own.
#pragma once

#include "ir/kernels/op_loops.hpp"
#include "ir/op.hpp"

namespace plumb::ir::ops {

enum class TensorScatterMode { linear, circular };

constexpr auto enum_names(TensorScatterMode) { return std::array<std::string_view, 2>{"linear", "circular"}; }

/// Rows written into a cache, as the keys and values of a decoder's step are (ops.md 4, ONNX TensorScatter-24).
struct TensorScatter {
  std::int64_t axis = -2;
  TensorScatterMode mode = TensorScatterMode::linear;
  bool has_write_indices = false;

  static constexpr auto name = "tensor_scatter";
  static constexpr auto summary = "rows written into a cache";
  static constexpr auto formula =
      "y = cache, then y[b, .., w_b + t, ..] = update[b, .., t, ..]; circular: modulo S; linear: a row outside [0, S) "
      "is a fault";
  static constexpr int tier = 3;
  static constexpr std::array inputs = {Input{"cache", dtypes::any, "[B, .., S, ..]"},
                                        Input{"update", dtypes::any, "[B, .., s, ..]", "cache"},
                                        Input{"write_indices", dtypes::X, "[B]", {}, "has_write_indices"}};
  static constexpr std::array outputs = {Output{"y", "as cache"}};
  static constexpr std::array<std::string_view, 2> checks = {
      "cache must have rank 2 at least, axis must not be the batch, and update must have the extents of cache, but for "
      "s <= S along axis",
      "write_indices must have an entry for each element of the batch"};
  static constexpr auto fields = std::tuple{
      Field{"axis", &TensorScatter::axis, "the axis of rows; negative counts from the end"},
      Field{"mode", &TensorScatter::mode, "what becomes of rows beyond the end: a fault, or they start over"},
      Field{"has_write_indices", &TensorScatter::has_write_indices, "where each update starts; without it at row 0"},
  };

  TensorTypes infer(Types in) const {
    const Shape &cache = in[0].shape, &update = in[1].shape;
    check(*this, 1, cache.rank() >= 2 && cache.axis(axis) != 0, "cache is ", in[0], ", axis is ", axis);
    const std::size_t a = cache.axis(axis);
    check(*this, 1, update.size() == cache.size(), "cache is ", in[0], ", update is ", in[1]);
    for (std::size_t k = 0; k < cache.size(); ++k)
      check(*this, 1, k == a ? update[k] <= cache[k] : update[k] == cache[k], "cache is ", in[0], ", update is ", in[1],
            ", axis is ", axis);
    if (has_write_indices)
      check(*this, 2, in[2].shape == Shape{cache[0]}, "cache is ", in[0], ", write_indices are ", in[2]);
    return {in[0]};
  }
  ErrorClass error_class() const { return ErrorClass::bits; }
  Cost cost(Types, Types) const { return {}; }
  Loops loops(Types in, Types) const {
    const std::size_t rows_axis = in[0].shape.axis(axis);
    const std::int64_t rows = in[0].shape[rows_axis];
    OperandUse start{.role = Role::index, .low = 0, .high = rows - in[1].shape[rows_axis] + 1};
    if (mode == TensorScatterMode::circular) {
      start.low = -2 * rows;
      start.high = 2 * rows + 1;
    }
    return {.operands = {{}, {}, start}};
  }
  bool operator==(const TensorScatter&) const = default;
};

}  // namespace plumb::ir::ops
