// Causal convolution channel by channel, tap after tap over pieces of the line, in the compute type and rounded once.
#include "ir/ops/causal_conv.hpp"

#include <algorithm>

#include "ref_cpu/kernel.hpp"
#include "ref_cpu/kernels/computed.hpp"
#include "ref_cpu/kernels/vector_math.hpp"
#include "ref_cpu/parallel.hpp"
#include "ref_cpu/published_sums.hpp"
#include "ref_cpu/scratch.hpp"

namespace plumb::ref_cpu {
namespace {

using ir::ops::CausalActivation;
using ir::ops::CausalConv;

/// The samples of each channel: the state, or zeros, and the chunk behind it.
template <class T>
struct Seen {
  const T *x, *state;
  std::int64_t before, length;

  void widen(std::int64_t line, ir::compute_t<T>* z) const {
    using C = ir::compute_t<T>;
    const auto wide = [](T one) { return static_cast<C>(one); };
    if (state != nullptr)
      std::transform(state + line * before, state + (line + 1) * before, z, wide);
    else
      std::fill_n(z, before, C{0});
    std::transform(x + line * length, x + (line + 1) * length, z + before, wide);
  }

  /// Every bit of it: a NaN that is widened and rounded may come back as another. There may be nothing to keep.
  void keep(std::int64_t line, T* next) const {
    const std::int64_t old = std::max<std::int64_t>(before - length, 0), recent = before - old;
    if (state != nullptr)
      std::copy_n(state + line * before + before - old, old, next);
    else
      std::fill_n(next, old, T{});
    std::copy_n(x + (line + 1) * length - recent, recent, next + old);
  }
};

/// Σ_j w[j]·z[t + j] for all t, a piece at a time that stays in the nearest cache.
template <class C>
void add_taps(const C* z, const C* w, std::int64_t taps, std::int64_t length, C* sums) {
  constexpr std::int64_t piece = 1024;
  for (std::int64_t begin = 0; begin < length; begin += piece) {
    const std::int64_t count = std::min(piece, length - begin);
    C* const sum = sums + begin;
    std::fill_n(sum, count, C{0});
    for (std::int64_t j = 0; j < taps; ++j) {
      const C* const met = z + begin + j;
      const C weight = w[j];
      for (std::int64_t t = 0; t < count; ++t) sum[t] += weight * met[t];
    }
  }
}

template <class T>
void finish(const CausalConv& op, const ir::compute_t<T>* sums, ir::compute_t<T> bias, std::int64_t length, T* y) {
  if (op.activation == CausalActivation::silu)
    std::transform(sums, sums + length, y,
                   [bias](auto sum) { return static_cast<T>(kernels::gated(sum + bias, sum + bias)); });
  else
    std::transform(sums, sums + length, y, [bias](auto sum) { return static_cast<T>(sum + bias); });
}

}  // namespace

void run(const CausalConv& op, Call& call) {
  const ir::Shape& shape = call.in(0).shape();
  const std::int64_t channels = shape[1], length = shape[2], taps = call.in(1).shape().back();
  ir::visit_float(call.in(0).dtype(), [&]<class T>(T) {
    using C = ir::compute_t<T>;
    const kernels::Computed<T> w(call.in(1));
    const T* const bias = op.has_bias ? call.in(2).as<T>().data() : nullptr;
    const Seen<T> seen{call.in(0).as<T>().data(), op.has_state ? call.in(op.state_operand()).as<T>().data() : nullptr,
                       taps - 1, length};
    T *const y = call.out(0).as<T>().data(), *const next = call.out(1).as<T>().data();
    const std::int64_t grain = std::max<std::int64_t>(1, (1 << 16) / ((length + 1) * taps));
    parallel_for(shape[0] * channels, grain, [&](std::int64_t line, std::int64_t end) {
      ScratchVector<C> z(static_cast<std::size_t>(length + taps - 1)), sums(static_cast<std::size_t>(length));
      for (; line < end; ++line) {
        seen.widen(line, z.data());
        add_taps(z.data(), w.data() + line % channels * taps, taps, length, sums.data());
        finish(op, sums.data(), bias != nullptr ? static_cast<C>(bias[line % channels]) : C{0}, length,
               y + line * length);
        seen.keep(line, next + line * (taps - 1));
      }
    });
  });
}

std::vector<ir::Sum> published_sums(const CausalConv& op, ir::Types in) {
  if (!adds_in_f32(in[0].dtype)) return {};
  ir::Sum sum{.unit = ir::SumUnit::separate, .levels = {{}}};
  if (op.has_bias) sum.epilogue.push_back(ir::SumStep::bias);
  if (op.activation == CausalActivation::silu) sum.epilogue.push_back(ir::SumStep::silu);
  return {sum};
}

}  // namespace plumb::ref_cpu
