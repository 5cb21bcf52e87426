#pragma once

#include "ir/kernels/strided_copy.hpp"
#include "ir/op.hpp"

namespace plumb::ir::ops {

/// Overlapping windows of every line, as rows (ops.md 4). Samples behind the last whole window are dropped.
struct Frame {
  std::int64_t size = 0, hop = 0;

  static constexpr auto name = "frame";
  static constexpr auto summary = "overlapping windows of a line, as rows";
  static constexpr auto formula = "y[.., f, i] = x[.., f·hop + i], F = 1 + floor((L − size)/hop)";
  static constexpr int tier = 3;
  static constexpr std::array inputs = {Input{"x", dtypes::any, "[.., L]"}};
  static constexpr std::array outputs = {Output{"y", "as x [.., F, size]"}};
  static constexpr std::array<std::string_view, 1> checks = {
      "x must have an axis, with 1 <= size <= its last extent, and hop must be at least 1"};
  static constexpr auto fields = std::tuple{
      Field{"size", &Frame::size, "samples of a window", Presence::required},
      Field{"hop", &Frame::hop, "samples from the start of one window to the start of the next", Presence::required},
  };

  TensorTypes infer(Types in) const {
    Shape y = in[0].shape;
    check(*this, 1, y.rank() >= 1 && 1 <= size && size <= y.back() && hop >= 1, "x is ", in[0], ", size is ", size,
          ", hop is ", hop);
    y.back() = 1 + (y.back() - size) / hop;
    y.push_back(size);
    return {{in[0].dtype, std::move(y)}};
  }
  kernels::StridedCopy copy(const TensorType& x, const Shape& y) const {
    auto strides = x.shape.strides();
    strides.back() = y[y.size() - 2] > 1 ? hop : 0;  // a hop that is not taken may be of any size
    strides.push_back(1);
    return kernels::read_strided(x.dtype, y, strides);
  }
  ErrorClass error_class() const { return ErrorClass::bits; }
  Cost cost(Types, Types) const { return {}; }
  bool operator==(const Frame&) const = default;
};

}  // namespace plumb::ir::ops
