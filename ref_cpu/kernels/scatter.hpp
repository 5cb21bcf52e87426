#pragma once

#include <cstring>

#include "ir/kernels/scatter.hpp"
#include "ref_cpu/kernel.hpp"
#include "ref_cpu/kernels/begin_as.hpp"
#include "ref_cpu/kernels/integers.hpp"
#include "ref_cpu/parallel.hpp"
#include "ref_cpu/scratch.hpp"

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

/// y[target] = f(y[target], update) for everything that each(apply) applies: apply(target, update), by their numbers,
/// which may run in parallel for different targets. Results are held in the compute type and rounded once; elements
/// that are no target keep their bits.
template <class T, class Each, class F>
void reduce_into(std::span<T> y, std::span<const T> updates, const Each& each, const F& f) {
  using C = ir::compute_t<T>;
  if constexpr (std::is_same_v<T, C>) {
    each([&](std::size_t target, std::size_t update) { y[target] = f(y[target], updates[update]); });
  } else {
    // Pages that nobody touches are not there: a few updates of a large tensor take the time of the updates.
    ScratchRoom<C> held(y.size());
    each([&](std::size_t target, std::size_t) { held[target] = static_cast<C>(y[target]); });
    each([&](std::size_t target, std::size_t update) {
      held[target] = f(held[target], static_cast<C>(updates[update]));
    });
    each([&](std::size_t target, std::size_t) { y[target] = static_cast<T>(held[target]); });
  }
}

/// Operands x, indices, updates: what `each` applies, by a reduction or as it is.
template <class Each>
void scatter(ir::kernels::ScatterReduction reduction, Call& call, const Each& each) {
  const ir::TensorView &x = call.in(0), &updates = call.in(2);
  const ir::MutableView& y = call.out(0);
  begin_as(x, y);
  if (reduction == ir::kernels::ScatterReduction::none) {
    const std::size_t width = ir::info(x.dtype()).bytes;
    return each([&](std::size_t target, std::size_t update) {
      std::memcpy(y.bytes().data() + target * width, updates.bytes().data() + update * width, width);
    });
  }
  ir::visit_number(x.dtype(), [&]<class T>(T) {
    using C = ir::compute_t<T>;
    with_reduction<C>(reduction, [&](const auto& f) { reduce_into(y.as<T>(), updates.as<T>(), each, f); });
  });
}

}  // namespace plumb::ref_cpu::kernels
