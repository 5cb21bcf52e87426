// Triangular masks row by row: the row is copied, then its part beyond the diagonal set to zero bytes.
#include "ir/ops/trilu.hpp"

#include <algorithm>

#include "ref_cpu/kernel.hpp"
#include "ref_cpu/parallel.hpp"

namespace plumb::ref_cpu {

void run(const ir::ops::Trilu& op, Call& call) {
  const ir::Shape& shape = call.in(0).shape();
  const std::int64_t rows = shape[shape.size() - 2], columns = shape.back();
  const std::int64_t diagonal = op.diagonal_within(rows, columns);
  const std::size_t width = ir::info(call.in(0).dtype()).bytes, row_bytes = static_cast<std::size_t>(columns) * width;
  const std::byte* x = call.in(0).bytes().data();
  std::byte* y = call.out(0).bytes().data();
  parallel_for(shape.elements() / columns, 64, [&](std::int64_t row, std::int64_t end) {
    for (; row < end; ++row) {
      const std::int64_t first = std::clamp(row % rows + diagonal + (op.upper ? 0 : 1), std::int64_t{0}, columns);
      const std::size_t start = static_cast<std::size_t>(row) * row_bytes;
      const std::size_t cut = start + static_cast<std::size_t>(first) * width, stop = start + row_bytes;
      std::copy(x + start, x + stop, y + start);
      op.upper ? std::fill(y + start, y + cut, std::byte{}) : std::fill(y + cut, y + stop, std::byte{});
    }
  });
}

}  // namespace plumb::ref_cpu
