#pragma once

#include <array>
#include <tuple>

#include "ref_cpu/kernel.hpp"

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
template <class Operand>
inline constexpr bool is_stretched = false;
template <class T>
inline constexpr bool is_stretched<Stretched<T>> = true;

/// A part of one row of the result and of each operand: where it begins, and whether there is an element of the operand
/// for each of the result's, or one for all.
struct Stretch {
  static constexpr std::size_t most = 3;

  std::byte* y = nullptr;
  std::size_t n = 0;
  std::array<const std::byte*, most> x = {};
  std::array<bool, most> dense = {};
};

/// Computes the elements of a stretch, of which an operand is dense, by the function that `f` points to.
using StretchFunction = void (*)(const void* f, const Stretch& stretch);

/// Calls `compute` for stretches that cover the result, in parallel. `types` are those of result and operands. It is
/// one function for all of the kernels, whose own code is then only the loops over a stretch: compilers take long
/// enough.
void for_each_stretch(Call& call, std::span<const ir::DType> types, StretchFunction compute, const void* f);

/// Each operand becomes Dense or Stretched in turn, at least one of them Dense, so that the loop over the stretch is
/// one that compilers turn into vector code.
template <class Y, class F, class... X, class... Operand>
void row(const F& f, const Stretch& stretch, std::tuple<const X*...> x, Operand... operand) {
  constexpr std::size_t k = sizeof...(Operand);
  if constexpr (k == sizeof...(X)) {
    Y* const y = reinterpret_cast<Y*>(stretch.y);
    for (std::size_t i = 0, n = stretch.n; i < n; ++i) y[i] = static_cast<Y>(f(operand(i)...));
  } else {
    using T = std::remove_cvref_t<decltype(*std::get<k>(x))>;
    constexpr bool is_last_to_be_dense = k + 1 == sizeof...(X) && (is_stretched<Operand> && ...);
    if (is_last_to_be_dense || stretch.dense[k])
      detail::row<Y>(f, stretch, x, operand..., detail::Dense<T>{std::get<k>(x)});
    else if constexpr (!is_last_to_be_dense)
      detail::row<Y>(f, stretch, x, operand..., detail::Stretched<T>{static_cast<ir::compute_t<T>>(*std::get<k>(x))});
  }
}

}  // namespace detail

/// y = f(x...) for every element of the node's result, whose operands broadcast. Y
/// and X are their element types; f gets and gives the types they are computed in.
template <class Y, class... X, class F>
void elementwise(Call& call, const F& f) {
  static_assert(sizeof...(X) <= detail::Stretch::most);
  constexpr std::array types = {ir::dtype_of<Y>, ir::dtype_of<X>...};
  constexpr auto compute = [](const void* function, const detail::Stretch& stretch) {
    const auto x = [&]<std::size_t... k>(std::index_sequence<k...>) {
      return std::tuple<const X*...>(reinterpret_cast<const X*>(stretch.x[k])...);
    }
    (std::index_sequence_for<X...>());
    detail::row<Y>(*static_cast<const F*>(function), stretch, x);
  };
  detail::for_each_stretch(call, types, compute, &f);
}

}  // namespace plumb::ref_cpu::kernels
