// The greatest, mean, sum or norm of a window's taps inside the image, or the place of the greatest.
#include "ir/ops/pool.hpp"

#include <limits>
#include <optional>

#include "parity/element/call.hpp"

namespace plumb::parity::element {
namespace {

using ir::ops::PoolFunction;

struct Tap {
  Real value;
  std::int64_t index;  ///< in the whole of x
};

struct Window {
  std::vector<Tap> inside;
  std::int64_t padded = 0;  ///< taps in the image or in its declared padding
};

Window window_of(const ir::ops::Pool& op, const Call& call) {
  const ir::Shape& x = call.in(0);
  const std::size_t axes = op.kernel_shape.size();
  Window window;
  for_each(op.kernel_shape, [&](const Position& tap) {
    Position in_x = {call.at(0), call.at(1)};
    bool is_inside = true, is_padded = true;
    for (std::size_t i = 0; i < axes; ++i) {
      const std::int64_t place =
          call.at(2 + i) * entry(op.strides, i, 1) - entry(op.pads, i, 0) + tap[i] * entry(op.dilations, i, 1);
      is_inside &= place >= 0 && place < x[2 + i];
      is_padded &= place < x[2 + i] + entry(op.pads, axes + i, 0);
      in_x.push_back(place);
    }
    window.padded += is_padded ? 1 : 0;
    if (is_inside) window.inside.push_back({call.real(0, in_x), index_of(in_x, x)});
  });
  return window;
}

/// The first of the greatest, or the first NaN.
std::optional<Tap> greatest_of(const std::vector<Tap>& taps) {
  std::optional<Tap> greatest;
  for (const Tap& tap : taps)
    if (!greatest || comes_before(greatest->value, tap.value)) greatest = tap;
  return greatest;
}

long double lowest_of(ir::DType dtype) {
  if (dtype == ir::DType::u8) return 0;
  return dtype == ir::DType::i8 ? -128 : -std::numeric_limits<long double>::infinity();
}

/// (Σ |x|^p)^(1/p), the largest taken out: powers of it may be beyond any range.
Real norm_of(const std::vector<Tap>& taps, std::int64_t p) {
  const auto power = [](long double b, long double e) { return std::pow(b, e); };
  Real top(0);
  for (const Tap& tap : taps) top = maximum(top, abs(tap.value));
  if (top.value == 0 || !std::isfinite(top.value)) return top;
  Sum sum;
  for (const Tap& tap : taps) sum.add(apply(power, abs(tap.value) / top, Real(p), library_ulps));
  return top * apply(power, sum.total(), Real(1) / Real(p), library_ulps);
}

}  // namespace

Number element(const ir::ops::Pool& op, const Call& call) {
  const Window window = window_of(op, call);
  if (op.function == PoolFunction::max) {
    const auto greatest = greatest_of(window.inside);
    if (call.output() == 1) return {Real(greatest ? greatest->index : -1)};
    return greatest ? greatest->value : Real(lowest_of(call.dtype_in(0)));
  }
  if (op.function == PoolFunction::lp) return window.inside.empty() ? Real() : norm_of(window.inside, op.p);
  Sum sum;
  for (const Tap& tap : window.inside) sum.add(tap.value);
  const std::int64_t counted = op.count_include_pad ? window.padded : sum.count();
  return op.function == PoolFunction::sum || counted == 0 ? sum.total() : sum.total() / Real(counted);
}

}  // namespace plumb::parity::element
