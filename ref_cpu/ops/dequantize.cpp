// Packed codes as numbers, row by row.
#include "ir/ops/dequantize.hpp"

#include <algorithm>
#include <vector>

#include "ir/convert.hpp"
#include "ref_cpu/packed/rows.hpp"
#include "ref_cpu/parallel.hpp"
#include "ref_cpu/scratch.hpp"

namespace plumb::ref_cpu {

void run(const ir::ops::Dequantize& op, Call& call) {
  const packed::Rows rows(op.packing(), call, 0);
  const std::int64_t length = rows.length();
  const bool is_wide = op.has_scales && call.in(1).dtype() == ir::DType::f64;
  ir::visit_float(op.dtype, [&]<class T>(T) {
    T* const y = call.out(0).as<T>().data();
    parallel_for(rows.count(), std::max<std::int64_t>(1, (1 << 14) / (length + 1)),
                 [&](std::int64_t row, std::int64_t end) {
                   const auto read_as = [&]<class C>(C) {
                     if constexpr (std::is_same_v<C, T>) {
                       for (; row < end; ++row) rows.read(row, y + row * length);
                     } else {
                       ScratchRoom<C> values(static_cast<std::size_t>(length));
                       for (; row < end; ++row) {
                         rows.read(row, values.data());
                         std::ranges::transform(values, y + row * length, [](C x) { return ir::convert_value<T>(x); });
                       }
                     }
                   };
                   if (is_wide || std::is_same_v<T, double>)
                     read_as(double());
                   else
                     read_as(float());
                 });
  });
}

}  // namespace plumb::ref_cpu
