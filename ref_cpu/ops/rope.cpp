#include "ir/ops/rope.hpp"

#include "ref_cpu/kernel.hpp"
#include "ref_cpu/parallel.hpp"

namespace plumb::ref_cpu {
namespace {

/// The table row of every token, batch after batch. Throws Error at the first
/// position that has none.
std::vector<std::int64_t> rows_of(const ir::ops::Rope& op, const Call& call) {
  const ir::Shape &x = call.in(0).shape(), &table = call.in(1).shape();
  const std::int64_t batches = x[0], sequence = op.sequence(x);
  std::vector<std::int64_t> rows;
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

}  // namespace

void run(const ir::ops::Rope& op, Call& call) {
  const ir::Shape& shape = call.in(0).shape();
  const auto rows = rows_of(op, call);
  const std::int64_t sequence = op.sequence(shape), heads = op.heads(shape);
  const auto depth = static_cast<std::size_t>(shape[3]), half = static_cast<std::size_t>(op.rotated(shape) / 2);
  const std::size_t apart = op.interleaved ? 1 : half, step = op.interleaved ? 2 : 1;

  ir::visit_float(call.in(0).dtype(), [&]<class T>(T) {
    using C = ir::compute_t<T>;
    const auto x = call.in(0).as<T>(), cos = call.in(1).as<T>(), sin = call.in(2).as<T>();
    const auto y = call.out(0).as<T>();
    parallel_for(shape[0] * shape[1] * shape[2], 64, [&](std::int64_t line, const std::int64_t end) {
      for (; line < end; ++line) {
        const std::int64_t batch = line / (heads * sequence);
        const std::int64_t s = op.layout == ir::ops::RopeLayout::bhsd ? line % sequence : line / heads % sequence;
        const std::size_t row = static_cast<std::size_t>(rows[static_cast<std::size_t>(batch * sequence + s)]) * half;
        const std::size_t head = static_cast<std::size_t>(line) * depth;
        for (std::size_t i = 0; i < half; ++i) {
          const std::size_t at = head + i * step;
          const C first(x[at]), second(x[at + apart]), c(cos[row + i]), s_i(sin[row + i]),
              turn = op.inverse ? -s_i : s_i;
          y[at] = T(first * c - second * turn);
          y[at + apart] = T(first * turn + second * c);
        }
        std::copy(&x[head] + 2 * half, &x[head] + depth, &y[head] + 2 * half);
      }
    });
  });
}

}  // namespace plumb::ref_cpu
