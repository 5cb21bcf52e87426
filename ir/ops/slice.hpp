#pragma once

#include "ir/kernels/strided_copy.hpp"
#include "ir/op.hpp"

namespace plumb::ir::ops {

/// A strided box of a tensor (ops.md 4). Nothing is clamped.
struct Slice {
  std::vector<std::int64_t> axes, starts, sizes, steps;

  static constexpr auto name = "slice";
  static constexpr auto summary = "strided box";
  static constexpr auto formula =
      "y[.., j, ..] = x[.., start + j·step, ..] along each axis given, whole axes elsewhere";
  static constexpr int tier = 1;
  static constexpr std::array inputs = {Input{"x", dtypes::any, "[..]"}};
  static constexpr std::array outputs = {Output{"y", "as x [.., `sizes`, ..]"}};
  static constexpr std::array<std::string_view, 3> checks = {
      "axes must be distinct, and starts, sizes and steps as many", "steps must not be 0 and sizes must be at least 0",
      "the first and the last element taken must lie inside x"};
  static constexpr auto fields = std::tuple{
      Field{"axes", &Slice::axes, "the axes cut; negative counts from the end", Presence::required},
      Field{"starts", &Slice::starts, "first position taken, from the axis' start", Presence::required},
      Field{"sizes", &Slice::sizes, "positions taken", Presence::required},
      Field{"steps", &Slice::steps, "from one position to the next, may be negative; left out: all 1"},
  };

  std::int64_t step(std::size_t i) const { return steps.empty() ? 1 : steps[i]; }

  TensorTypes infer(Types in) const {
    check(*this, 1, starts.size() == axes.size() && sizes.size() == axes.size(), axes.size(), " axes, ", starts.size(),
          " starts, ", sizes.size(), " sizes");
    check(*this, 1, steps.empty() || steps.size() == axes.size(), axes.size(), " axes, ", steps.size(), " steps");
    Shape y = in[0].shape;
    std::vector<bool> cut(y.size(), false);
    for (std::size_t i = 0; i < axes.size(); ++i) {
      const std::size_t axis = y.axis(axes[i]);
      check(*this, 1, !cut[axis], "axis ", axes[i], " comes twice");
      check(*this, 2, step(i) != 0 && sizes[i] >= 0, "axis ", axes[i], " has step ", step(i), ", size ", sizes[i]);
      check(*this, 3, inside(i, y[axis]), "axis ", axes[i], " of ", in[0], " has start ", starts[i], ", size ",
            sizes[i], ", step ", step(i));
      cut[axis] = true;
      y[axis] = sizes[i];
    }
    return {{in[0].dtype, std::move(y)}};
  }
  kernels::StridedCopy copy(const TensorType& x, const Shape& y) const {
    auto strides = x.shape.strides();
    std::int64_t from = 0;
    for (std::size_t i = 0; i < axes.size(); ++i) {
      auto& stride = strides[x.shape.axis(axes[i])];
      from += starts[i] * stride;
      stride *= sizes[i] > 1 ? step(i) : 0;  // a step that is not taken may be of any size
    }
    return kernels::read_strided(x.dtype, y, strides, from);
  }
  ErrorClass error_class() const { return ErrorClass::bits; }
  Cost cost(Types, Types) const { return {}; }
  bool operator==(const Slice&) const = default;

 private:
  /// Whether the positions of entry `i` exist on an axis of this extent; in terms that cannot overflow.
  bool inside(std::size_t i, std::int64_t extent) const {
    if (sizes[i] == 0) return true;
    if (starts[i] < 0 || starts[i] >= extent) return false;
    const auto further = step(i) > 0 ? (extent - 1 - starts[i]) / step(i) : -(starts[i] / step(i));
    return sizes[i] - 1 <= further;
  }
};

}  // namespace plumb::ir::ops
