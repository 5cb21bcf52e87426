#include "ir/ops/rope.hpp"

#include "ref_cpu/kernel.hpp"
#include "ref_cpu/kernels/unfused.hpp"
#include "ref_cpu/parallel.hpp"
#include "ref_cpu/scratch.hpp"

namespace plumb::ref_cpu {
namespace {

/// The table row of every token, batch after batch. Throws Error at the first
/// position that has none.
ScratchVector<std::int64_t> rows_of(const ir::ops::Rope& op, const Call& call) {
  const ir::Shape &x = call.in(0).shape(), &table = call.in(1).shape();
  const std::int64_t batches = x[0], sequence = op.sequence(x);
  ScratchVector<std::int64_t> rows;
  rows.reserve(static_cast<std::size_t>(batches * sequence));
  if (!op.has_positions) {
    const std::int64_t per_batch = table.rank() == 3 ? sequence : 0;
    for (std::int64_t b = 0; b < batches; ++b)
      for (std::int64_t s = 0; s < sequence; ++s) rows.push_back(op.offset + b * per_batch + s);
    return rows;
  }
  const ir::TensorView& positions = call.in(3);
  ir::visit_index(positions.dtype(), [&]<class T>(T) {
    const auto given = positions.as<T>();
    for (std::size_t i = 0; i < static_cast<std::size_t>(batches * sequence); ++i) {
      const std::size_t at = i % given.size();  // [S] serves every batch
      ir::require(0 <= given[at] && given[at] < table[0], "positions[", at, "] is ", given[at], ", outside [0, ",
                  table[0], ")");
      rows.push_back(given[at]);
    }
  });
  return rows;
}

/// One head: pairs begin `step` elements apart, the second of a pair is `apart` from the
/// first. The step is a constant so that halves become vector code.
template <std::size_t step, class T>
void rotate(const T* x, T* y, const T* cos, const T* sin, std::size_t pairs, std::size_t apart, bool inverse) {
  using C = ir::compute_t<T>;
  const C sign = inverse ? C(-1) : C(1);
  for (std::size_t i = 0; i < pairs; ++i) {
    const C first(x[i * step]), second(x[i * step + apart]), c(cos[i]), s = sign * C(sin[i]);
    y[i * step] = T(kernels::unfused_product(first, c) - kernels::unfused_product(second, s));
    y[i * step + apart] = T(kernels::unfused_product(first, s) + kernels::unfused_product(second, c));
  }
}

}  // namespace

void run(const ir::ops::Rope& op, Call& call) {
  const ir::Shape& shape = call.in(0).shape();
  const auto rows = rows_of(op, call);
  const std::int64_t sequence = op.sequence(shape), heads = op.heads(shape);
  const auto depth = static_cast<std::size_t>(shape[3]), pairs = static_cast<std::size_t>(op.rotated(shape) / 2);

  ir::visit_float(call.in(0).dtype(), [&]<class T>(T) {
    const T *x = call.in(0).as<T>().data(), *cos = call.in(1).as<T>().data(), *sin = call.in(2).as<T>().data();
    T* y = call.out(0).as<T>().data();
    parallel_for(shape[0] * heads * sequence, 64, [&](std::int64_t line, const std::int64_t end) {
      for (; line < end; ++line) {
        const std::int64_t batch = line / (heads * sequence);
        const std::int64_t s = op.layout == ir::ops::RopeLayout::bhsd ? line % sequence : line / heads % sequence;
        const std::size_t row = static_cast<std::size_t>(rows[static_cast<std::size_t>(batch * sequence + s)]) * pairs;
        const std::size_t head = static_cast<std::size_t>(line) * depth;
        if (op.interleaved)
          rotate<2>(x + head, y + head, cos + row, sin + row, pairs, 1, op.inverse);
        else
          rotate<1>(x + head, y + head, cos + row, sin + row, pairs, pairs, op.inverse);
        std::copy(x + head + 2 * pairs, x + head + depth, y + head + 2 * pairs);
      }
    });
  });
}

}  // namespace plumb::ref_cpu
