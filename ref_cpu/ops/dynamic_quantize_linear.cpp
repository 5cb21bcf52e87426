// The range of x in stretches, whose order says nothing, then codes over the scale as it is stored.
#include "ir/ops/dynamic_quantize_linear.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>

#include "ref_cpu/kernel.hpp"
#include "ref_cpu/parallel.hpp"

namespace plumb::ref_cpu {
namespace {

template <class C>
struct FoundRange {
  C low = 0, high = 0;
  bool has_nan = false;

  void take(C x) {
    low = std::min(low, x);
    high = std::max(high, x);
    has_nan |= std::isnan(x);
  }
  C scale() const {
    if (has_nan) return std::numeric_limits<C>::quiet_NaN();
    return high == low ? C{1} : (high - low) / 255;
  }
};

/// The code of a quotient; of a NaN, which 0 over a scale that is rounded to 0 is as well, the zero point.
template <class C>
std::uint8_t found_code(C quotient, C zero) {
  if (std::isnan(quotient)) return static_cast<std::uint8_t>(zero);
  return static_cast<std::uint8_t>(std::clamp(std::nearbyint(quotient) + zero, C{0}, C{255}));
}

}  // namespace

void run(const ir::ops::DynamicQuantizeLinear&, Call& call) {
  ir::visit_float(call.in(0).dtype(), [&]<class X>(X) {
    using C = ir::compute_t<X>;
    const auto x = call.in(0).as<X>();
    const std::int64_t count = call.in(0).elements();
    FoundRange<C> range;
    std::mutex joining;
    parallel_for(count, 1 << 15, [&](std::int64_t begin, std::int64_t end) {
      FoundRange<C> here;
      for (std::int64_t i = begin; i < end; ++i) here.take(static_cast<C>(x[static_cast<std::size_t>(i)]));
      const std::lock_guard lock(joining);
      range.take(here.low);
      range.take(here.high);
      range.has_nan |= here.has_nan;
    });
    const C scale = range.scale();
    const std::uint8_t zero = std::isfinite(scale) ? found_code<C>(-range.low / scale, 0) : std::uint8_t{0};
    call.out(1).template as<C>()[0] = scale;
    call.out(2).template as<std::uint8_t>()[0] = zero;
    const auto y = call.out(0).template as<std::uint8_t>();
    parallel_for(count, 1 << 15, [&](std::int64_t begin, std::int64_t end) {
      for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i)
        y[i] = found_code<C>(static_cast<C>(x[i]) / scale, zero);
    });
  });
}

}  // namespace plumb::ref_cpu
