#pragma once

#include <cstring>

#include "ir/kernels/scatter.hpp"
#include "ir/raw/copy_bytes.hpp"
#include "ref_cpu/kernel.hpp"
#include "ref_cpu/kernels/integers.hpp"
#include "ref_cpu/parallel.hpp"

namespace plumb::ref_cpu::kernels {

/// use(f) with f(element, update), both in the compute type C.
template <class C, class Use>
void with_reduction(ir::kernels::ScatterReduction reduction, const Use& use) {
  using Reduction = ir::kernels::ScatterReduction;
  switch (reduction) {
    case Reduction::add:
      if constexpr (std::is_integral_v<C>)
        return use(wrapping_add<C>);
      else
        return use([](C a, C b) { return a + b; });
    case Reduction::multiply:
      if constexpr (std::is_integral_v<C>)
        return use(wrapping_multiply<C>);
      else
        return use([](C a, C b) { return a * b; });
    case Reduction::maximum:  // NaN propagates
      return use([](C a, C b) { return a > b || a != a ? a : b; });
    case Reduction::minimum:
      return use([](C a, C b) { return a < b || a != a ? a : b; });
    default:
      ir::fail("nothing is reduced");
  }
}

/// y = start(e) for every element e, then y[target] = f(y[target], update) for everything that
/// each(apply) applies: apply(target, update), by their numbers, which may run in parallel
/// for different targets. Results are held in the compute type and rounded once.
template <class T, class Start, class Each, class F>
void reduce_into(std::span<T> y, std::span<const T> updates, const Start& start, const Each& each, const F& f) {
  using C = ir::compute_t<T>;
  const auto count = static_cast<std::int64_t>(y.size());
  constexpr std::int64_t grain = 1 << 15;
  std::vector<C> own(std::is_same_v<T, C> ? 0 : y.size());
  C* held = own.data();
  if constexpr (std::is_same_v<T, C>) held = y.data();
  parallel_for(count, grain, [&](std::int64_t e, std::int64_t end) {
    for (; e < end; ++e) held[e] = start(static_cast<std::size_t>(e));
  });
  each(
      [&](std::size_t target, std::size_t update) { held[target] = f(held[target], static_cast<C>(updates[update])); });
  if constexpr (!std::is_same_v<T, C>)
    parallel_for(count, grain, [&](std::int64_t e, std::int64_t end) {
      for (; e < end; ++e) y[static_cast<std::size_t>(e)] = static_cast<T>(held[e]);
    });
}

/// Operands x, indices, updates: what `each` applies, by a reduction or as it is.
template <class Each>
void scatter(ir::kernels::ScatterReduction reduction, Call& call, const Each& each) {
  const ir::TensorView &x = call.in(0), &updates = call.in(2);
  const ir::MutableView& y = call.out(0);
  if (reduction == ir::kernels::ScatterReduction::none) {
    ir::raw::copy_bytes(x.bytes(), y.bytes());
    const std::size_t width = ir::info(x.dtype()).bytes;
    return each([&](std::size_t target, std::size_t update) {
      std::memcpy(y.bytes().data() + target * width, updates.bytes().data() + update * width, width);
    });
  }
  ir::visit_number(x.dtype(), [&]<class T>(T) {
    using C = ir::compute_t<T>;
    with_reduction<C>(reduction, [&](const auto& f) {
      const auto from = x.as<T>();
      reduce_into(
          y.as<T>(), updates.as<T>(), [&](std::size_t e) { return static_cast<C>(from[e]); }, each, f);
    });
  });
}

}  // namespace plumb::ref_cpu::kernels
