// Rotary embeddings of the cells of a grid, by tables of cosines and sines that are made in f64.
#include "ir/ops/axial_rope_2d.hpp"

#include <array>
#include <cmath>

#include "ref_cpu/kernel.hpp"
#include "ref_cpu/kernels/unfused.hpp"
#include "ref_cpu/parallel.hpp"

namespace plumb::ref_cpu {
namespace {

/// Cosines and sines of `count` places, D/4 each.
template <class C>
struct Turns {
  std::vector<C> cos, sin;

  Turns(std::int64_t count, std::int64_t head_dim, double theta) {
    std::vector<double> frequencies;
    for (std::int64_t i = 0; i < head_dim / 4; ++i)
      frequencies.push_back(std::pow(theta, -4.0 * static_cast<double>(i) / static_cast<double>(head_dim)));
    for (std::int64_t p = 0; p < count; ++p)
      for (const double frequency : frequencies) {
        const double angle = static_cast<double>(p) * frequency;
        cos.push_back(static_cast<C>(std::cos(angle)));
        sin.push_back(static_cast<C>(std::sin(angle)));
      }
  }
};

/// Half a head by the turns of place p.
template <class T, class C>
void rotate(const T* x, T* y, const Turns<C>& turns, std::int64_t p, std::size_t pairs) {
  const std::size_t first_turn = static_cast<std::size_t>(p) * pairs;
  for (std::size_t i = 0; i < pairs; ++i) {
    const C first(x[2 * i]), second(x[2 * i + 1]), c = turns.cos[first_turn + i], s = turns.sin[first_turn + i];
    y[2 * i] = T(kernels::unfused_product(first, c) - kernels::unfused_product(second, s));
    y[2 * i + 1] = T(kernels::unfused_product(first, s) + kernels::unfused_product(second, c));
  }
}

}  // namespace

void run(const ir::ops::AxialRope2d& op, Call& call) {
  const ir::Shape& shape = call.in(0).shape();
  const std::int64_t sequence = shape[1], heads = shape[2] / op.head_dim;
  const auto depth = static_cast<std::size_t>(op.head_dim);
  ir::visit_float(call.in(0).dtype(), [&]<class T>(T) {
    using C = ir::compute_t<T>;
    const double theta = static_cast<double>(static_cast<C>(op.theta));
    const auto& by_axis = call.kept([&] {
      return std::array{Turns<C>(op.columns(shape), op.head_dim, theta), Turns<C>(op.rows(shape), op.head_dim, theta)};
    });
    const T* const x = call.in(0).as<T>().data();
    T* const y = call.out(0).as<T>().data();
    parallel_for(shape[0] * sequence * heads, 64, [&](std::int64_t head, const std::int64_t end) {
      for (; head < end; ++head) {
        const std::int64_t cell = head / heads % sequence / op.repeat;
        const std::size_t at = static_cast<std::size_t>(head) * depth, middle = at + depth / 2;
        rotate(x + at, y + at, by_axis[0], cell % op.width, depth / 4);
        rotate(x + middle, y + middle, by_axis[1], cell / op.width, depth / 4);
      }
    });
  });
}

}  // namespace plumb::ref_cpu
