#pragma once

#include <array>
#include <tuple>

#include "ir/kernels/broadcast.hpp"
#include "ref_cpu/kernel.hpp"
#include "ref_cpu/parallel.hpp"

namespace plumb::ref_cpu::kernels {
namespace detail {

/// An operand along a row: an element for each of the result's, or one for all.
template <class T>
struct Dense {
  const T* x;
  ir::compute_t<T> operator()(std::size_t i) const { return static_cast<ir::compute_t<T>>(x[i]); }
};
template <class T>
struct Stretched {
  ir::compute_t<T> x;
  ir::compute_t<T> operator()(std::size_t) const { return x; }
};

/// One row of the result. Each operand becomes Dense or Stretched in turn, so that
/// the loop over the row is one that compilers turn into vector code.
template <class Y, class F, class... X, class... Operand>
void row(const F& f, Y* y, std::size_t n, const std::tuple<const X*...>& x, const std::vector<std::int64_t>& strides,
         Operand... operand) {
  constexpr std::size_t k = sizeof...(Operand);
  if constexpr (k == sizeof...(X)) {
    for (std::size_t i = 0; i < n; ++i) y[i] = static_cast<Y>(f(operand(i)...));
  } else {
    using T = std::remove_cvref_t<decltype(*std::get<k>(x))>;
    if (strides[k] != 0)
      detail::row(f, y, n, x, strides, operand..., detail::Dense<T>{std::get<k>(x)});
    else
      detail::row(f, y, n, x, strides, operand...,
                  detail::Stretched<T>{static_cast<ir::compute_t<T>>(*std::get<k>(x))});
  }
}

/// Where row number `line` of the result begins in each operand.
template <std::size_t n>
std::array<std::int64_t, n> row_offsets(const ir::kernels::BroadcastLoops& loops, std::int64_t line) {
  std::array<std::int64_t, n> offsets{};
  for (std::size_t axis = loops.axes.size() - 1; axis-- > 0;) {
    const auto& [extent, strides] = loops.axes[axis];
    for (std::size_t k = 0; k < n; ++k) offsets[k] += line % extent * strides[k];
    line /= extent;
  }
  return offsets;
}

}  // namespace detail

/// y = f(x...) for every element of the node's result, whose operands broadcast. Y
/// and X are their element types; f gets and gives the types they are computed in.
template <class Y, class... X, class F>
void elementwise(Call& call, const F& f) {
  constexpr std::size_t n = sizeof...(X);
  std::vector<ir::Shape> shapes;
  for (std::size_t k = 0; k < n; ++k) shapes.push_back(call.in(k).shape());
  const auto loops = ir::kernels::broadcast_loops(call.out(0).shape(), shapes);
  const auto indices = std::make_index_sequence<n>();
  const auto x = [&]<std::size_t... k>(std::index_sequence<k...>) {
    return std::tuple<const X*...>(call.in(k).template as<X>().data()...);
  }
  (indices);
  Y* const y = call.out(0).as<Y>().data();
  const std::int64_t length = loops.row().extent;
  parallel_for(call.out(0).elements(), 1 << 14, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin, count = 0; i < end; i += count) {
      const std::int64_t within = i % length;
      count = std::min(length - within, end - i);
      auto offsets = detail::row_offsets<n>(loops, i / length);
      for (std::size_t k = 0; k < n; ++k) offsets[k] += within * loops.row().strides[k];
      const auto from = [&]<std::size_t... k>(std::index_sequence<k...>) {
        return std::tuple<const X*...>(std::get<k>(x) + offsets[k]...);
      }
      (indices);
      detail::row(f, y + i, static_cast<std::size_t>(count), from, loops.row().strides);
    }
  });
}

}  // namespace plumb::ref_cpu::kernels
