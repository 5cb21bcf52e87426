#pragma once

#include <vector>

#include "ir/dtype.hpp"
#include "ir/sums.hpp"
#include "ref_cpu/gemm/gemm.hpp"

namespace plumb::ref_cpu::gemm {

/// Terms that are added one after the other before their sum meets the sums of those before them.
inline constexpr std::int64_t product_chunk = 256;

/// y = a b of f32, on the calling thread and overwriting y, which overlaps neither a nor b. Any order of additions is
/// as good as any other to somebody who needs the numbers; to somebody who judges them it has to be known. Here it is
/// the same for every shape, place and length of vectors: each sum is a chain of chunks, each a chain of
/// product_chunk terms.
void multiply_floats(const Matrix<const float>& a, const Matrix<const float>& b, const Matrix<float>& y);

/// How multiply_floats adds, for executors to publish.
ir::Sum sum_of_floats();

/// The sums of an op whose every element is one of these, with a bias behind it or without; nothing for dtypes
/// that are not added in f32.
std::vector<ir::Sum> sums_of_products(ir::DType dtype, bool has_bias = false);

/// Whether products of f32 are rounded together with their addition, here and in TileProduct, or before it.
ir::SumUnit unit_of_floats();

}  // namespace plumb::ref_cpu::gemm
