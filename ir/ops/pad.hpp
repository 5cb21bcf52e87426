// Declares padding and cropping in NumPy's and ONNX's four modes, as an index map.
#pragma once

#include "ir/kernels/index_map.hpp"
#include "ir/op.hpp"

namespace plumb::ir::ops {

enum class PadMode { constant, reflect, edge, wrap };

constexpr auto enum_names(PadMode) { return std::array<std::string_view, 4>{"constant", "reflect", "edge", "wrap"}; }

/// Longer or shorter axes (ops.md 4, ONNX Pad-25, numpy.pad).
struct Pad {
  std::vector<std::int64_t> pads;
  PadMode mode = PadMode::constant;
  bool has_value = false;

  static constexpr auto name = "pad";
  static constexpr auto summary = "longer axes, filled in one of four ways; negative pads crop";
  static constexpr auto formula =
      "y[.. i ..] = x[.. i - begin ..] after negative pads have cropped x; beyond its ends constant gives value (0 or "
      "false without), reflect x mirrored with period 2(n - 1), edge the nearest element, wrap x with period n";
  static constexpr int tier = 2;
  static constexpr std::array inputs = {Input{"x", dtypes::any, "[..]"},
                                        Input{"value", dtypes::any, "[]", "x", "has_value"}};
  static constexpr std::array outputs = {Output{"y", "as x, extents begin + n + end"}};
  static constexpr std::array<std::string_view, 4> checks = {
      "pads must hold a begin for every axis of x, then an end for every axis",
      "pads must not crop more than x has, and leave extents that fit in 63 bits",
      "an axis with a positive pad must keep 2 elements after cropping to be mirrored, 1 for edge and wrap",
      "value must be of rank 0"};
  static constexpr auto fields = std::tuple{
      Field{"pads", &Pad::pads, "begin of every axis, then end of every axis; negative crops", Presence::required},
      Field{"mode", &Pad::mode, "what the positions hold that are added"},
      Field{"has_value", &Pad::has_value, "value is given; modes other than constant do not read it"},
  };

  TensorTypes infer(Types in) const {
    const Shape& x = in[0].shape;
    check(*this, 1, pads.size() == 2 * x.size(), pads.size(), " pads for ", in[0]);
    check(*this, 4, !has_value || in[1].shape.rank() == 0, "value is ", has_value ? in[1] : in[0]);
    Shape y;
    for (std::size_t k = 0; k < x.size(); ++k) {
      const std::int64_t begin = pads[k], end = pads[k + x.size()];
      const auto found = [&](int number, bool holds) {
        check(*this, number, holds, "axis ", k, " of ", in[0], " has pads ", begin, " and ", end);
      };
      found(2, begin >= -x[k] && end >= -x[k] && kept(x, k) >= 0);
      const std::int64_t least = mode == PadMode::constant ? 0 : mode == PadMode::reflect ? 2 : 1;
      found(3, (begin <= 0 && end <= 0) || kept(x, k) >= least);
      std::int64_t extent = kept(x, k);
      found(2, !__builtin_add_overflow(extent, std::max<std::int64_t>(begin, 0), &extent) &&
                   !__builtin_add_overflow(extent, std::max<std::int64_t>(end, 0), &extent));
      y.push_back(extent);
    }
    return {{in[0].dtype, std::move(y)}};
  }
  kernels::IndexMap map(const TensorType& x, const Shape& y) const {
    constexpr std::array beyond = {kernels::Beyond::fill, kernels::Beyond::reflect, kernels::Beyond::clamp,
                                   kernels::Beyond::wrap};
    const auto strides = x.shape.strides();
    kernels::IndexMap map{.width = info(x.dtype).bytes, .beyond = beyond[static_cast<std::size_t>(mode)], .axes = {}};
    for (std::size_t k = 0; k < y.size(); ++k) {
      map.axes.push_back({y[k], kept(x.shape, k), std::min<std::int64_t>(-pads[k], 0), strides[k]});
      map.from += std::max<std::int64_t>(-pads[k], 0) * strides[k];
    }
    return map;
  }
  ErrorClass error_class() const { return ErrorClass::bits; }
  Cost cost(Types, Types) const { return {}; }
  bool operator==(const Pad&) const = default;

 private:
  /// The extent of axis k after cropping.
  std::int64_t kept(const Shape& x, std::size_t k) const {
    return x[k] + std::min<std::int64_t>(pads[k], 0) + std::min<std::int64_t>(pads[k + x.size()], 0);
  }
};

}  // namespace plumb::ir::ops
