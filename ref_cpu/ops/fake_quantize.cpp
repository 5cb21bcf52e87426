// Quantising and dequantising element by element. Codes are clamped without their zero point, so that no code is too
// large for the compute type.
#include "ir/ops/fake_quantize.hpp"

#include <cmath>

#include "ref_cpu/kernel.hpp"
#include "ref_cpu/parallel.hpp"
#include "ref_cpu/scratch.hpp"

namespace plumb::ref_cpu {
namespace {

/// The scale of a channel, and the ends of its codes less the zero point.
template <class C>
struct Channel {
  C scale, least, most;

  C real(C x) const {
    const C whole = std::nearbyint(x / scale), code = std::isnan(whole) ? C{0} : whole;
    return (code < least ? least : code > most ? most : code) * scale;
  }
};

}  // namespace

void run(const ir::ops::FakeQuantize& op, Call& call) {
  const ir::Shape& shape = call.in(0).shape();
  const auto inner = call.in(1).shape().empty() ? std::int64_t{1} : ir::along(shape, op.axis).inner;
  ir::visit_float(call.in(0).dtype(), [&]<class T>(T) {
    using C = ir::compute_t<T>;
    const auto scales = call.in(1).as<T>();
    ScratchVector<Channel<C>> channels;
    channels.reserve(scales.size());
    for (std::size_t c = 0; c < scales.size(); ++c) {
      const std::int64_t zero = op.has_zero_point ? call.in(2).as<std::int32_t>()[c] : 0;
      channels.push_back({static_cast<C>(scales[c]), static_cast<C>(op.q_min - zero), static_cast<C>(op.q_max - zero)});
    }
    const auto x = call.in(0).as<T>();
    const auto y = call.out(0).as<T>();
    parallel_for(shape.elements(), 1 << 14, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        const auto at = static_cast<std::size_t>(i);
        const auto channel = static_cast<std::size_t>(i / inner) % channels.size();
        y[at] = static_cast<T>(channels[channel].real(static_cast<C>(x[at])));
      }
    });
  });
}

}  // namespace plumb::ref_cpu
