#include "ir/ops/where.hpp"

#include "ref_cpu/kernels/elementwise.hpp"

namespace plumb::ref_cpu {
namespace {

/// Reads the bytes as elements of another dtype of equal width.
template <class Byte>
ir::BasicView<Byte> seen_as(ir::DType dtype, const ir::BasicView<Byte>& view) {
  return {{dtype, view.shape()}, view.bytes()};
}

/// Selection moves bits: one kernel per width, T standing for all dtypes as wide.
template <class T>
void select(Call& call) {
  constexpr ir::DType dtype = ir::dtype_of<T>;
  Call bits{{call.in(0), seen_as(dtype, call.in(1)), seen_as(dtype, call.in(2))}, {seen_as(dtype, call.out(0))}};
  kernels::elementwise<T, bool, T, T>(bits, [](bool cond, T a, T b) { return cond ? a : b; });
}

}  // namespace

void run(const ir::ops::Where&, Call& call) {
  switch (ir::info(call.out(0).dtype()).bytes) {
    case 1:
      return select<std::uint8_t>(call);
    case 2:
      return select<std::int16_t>(call);
    case 4:
      return select<std::int32_t>(call);
    case 8:
      return select<std::int64_t>(call);
    default:
      return select<std::complex<double>>(call);
  }
}

}  // namespace plumb::ref_cpu
