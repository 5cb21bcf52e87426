#pragma once

#include <functional>
#include <vector>

#include "ir/tensor.hpp"

namespace plumb::testing {

/// Every code of f16 or bf16: zeros, subnormals, infinities and NaN included.
ir::Tensor all_codes(ir::DType dtype);

/// Floats where elementwise functions go wrong (ops.md 1.11, ops.md 3), of either sign and
/// with their neighbours, then `count` codes evenly over all floats.
std::vector<float> float_samples(std::size_t count);

/// The samples that `keep` says, as f32.
ir::Tensor f32_samples(
    std::size_t count, const std::function<bool(float)>& keep = [](float) { return true; });

/// Both ends of an integer dtype's range, zero and small numbers of either sign.
ir::Tensor integer_samples(ir::DType dtype);

/// a, b of the same dtype as every pair of their elements: [n, 1] beside [1, m].
struct Pairs {
  ir::Tensor a, b;
};
Pairs all_pairs(const ir::Tensor& a, const ir::Tensor& b);

}  // namespace plumb::testing
