#include "ir/ops/affine_grid.hpp"

#include "ref_cpu/kernel.hpp"
#include "ref_cpu/parallel.hpp"
#include "ref_cpu/scratch.hpp"

namespace plumb::ref_cpu {
namespace {

/// The coordinates of an axis, each rounded once: no difference of what was rounded before.
template <class C>
ScratchVector<C> coordinates(std::int64_t extent, bool align_corners) {
  ScratchVector<C> all(static_cast<std::size_t>(extent));
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto twice = 2 * static_cast<std::int64_t>(i), last = extent - 1;
    all[i] = !align_corners ? static_cast<C>(twice - last) / static_cast<C>(extent)
             : extent == 1  ? C{-1}
                            : static_cast<C>(twice - last) / static_cast<C>(last);
  }
  return all;
}

}  // namespace

void run(const ir::ops::AffineGrid& op, Call& call) {
  const ir::Shape& grid = call.out(0).shape();
  const std::size_t rank = op.output_shape.size();
  ir::visit_float(call.in(0).dtype(), [&]<class T>(T) {
    using C = ir::compute_t<T>;
    const T* const theta = call.in(0).as<T>().data();
    T* const y = call.out(0).as<T>().data();
    ScratchVector<ScratchVector<C>> along;  // the innermost axis first
    along.reserve(rank);
    for (std::size_t k = rank; k-- > 0;) along.push_back(coordinates<C>(op.output_shape[k], op.align_corners));
    const std::int64_t points = grid.elements() / grid[0] / grid.back();
    parallel_for(grid[0] * points, 1 << 13, [&](std::int64_t begin, std::int64_t end) {
      for (; begin < end; ++begin) {
        std::array<C, 4> v{};
        std::int64_t rest = begin % points;
        for (std::size_t k = 0; k < rank; ++k) {
          const auto extent = static_cast<std::int64_t>(along[k].size());
          v[k] = along[k][static_cast<std::size_t>(rest % extent)];
          rest /= extent;
        }
        v[rank] = 1;
        const T* const map = theta + static_cast<std::size_t>(begin / points) * rank * (rank + 1);
        for (std::size_t j = 0; j < rank; ++j) {
          C sum = 0;
          for (std::size_t k = 0; k <= rank; ++k) sum += static_cast<C>(map[j * (rank + 1) + k]) * v[k];
          y[static_cast<std::size_t>(begin) * rank + j] = static_cast<T>(sum);
        }
      }
    });
  });
}

}  // namespace plumb::ref_cpu
