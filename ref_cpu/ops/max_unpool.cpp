#include "ir/ops/max_unpool.hpp"

#include "ref_cpu/kernel.hpp"
#include "ref_cpu/parallel.hpp"

namespace plumb::ref_cpu {
namespace {

/// Where an element of a tensor of shape `from` is in one of shape `to`, larger on some axes.
std::int64_t moved(std::int64_t position, const ir::Shape& from, const ir::Shape& to) {
  std::int64_t at = 0, stride = 1;
  for (std::size_t a = from.size(); a-- > 0;) {
    at += position % from[a] * stride;
    position /= from[a];
    stride *= to[a];
  }
  return at;
}

}  // namespace

void run(const ir::ops::MaxUnpool& op, Call& call) {
  const ir::Shape &x_shape = call.in(0).shape(), &y_shape = call.out(0).shape();
  const ir::Shape indexed = op.indexed(x_shape);
  const std::int64_t positions = indexed.elements();
  const auto indices = call.in(1).as<std::int64_t>();
  ir::visit_float(call.in(0).dtype(), [&]<class T>(T) {
    const auto x = call.in(0).as<T>();
    const auto y = call.out(0).as<T>();
    parallel_for(y_shape.elements(), 1 << 16,
                 [&](std::int64_t begin, std::int64_t end) { std::fill(y.begin() + begin, y.begin() + end, T{}); });
    for (std::size_t i = 0; i < x.size(); ++i) {
      const std::int64_t index = indices[i];
      ir::require(-positions <= index && index < positions, "indices[", i, "] is ", index, ", outside [", -positions,
                  ", ", positions, ")");
      y[static_cast<std::size_t>(moved(index < 0 ? index + positions : index, indexed, y_shape))] = x[i];
    }
  });
}

}  // namespace plumb::ref_cpu
