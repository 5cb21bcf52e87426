#pragma once

#include "gpu_vulkan/lower.hpp"

namespace plumb::gpu_vulkan {

/// A batch of matrix products, y = alpha a b + beta c, as the shaders matmul and
/// matmul_cooperative compute it. Strides are in elements, 0 on stretched axes.
struct Product {
  std::int64_t m = 0, n = 0, k = 0;
  bool transpose_a = false, transpose_b = false;
  ir::Shape batch;                                 ///< at most 6 axes
  std::vector<std::int64_t> a_strides, b_strides;  ///< of the batch axes
  double alpha = 1, beta = 1;
  bool has_c = false;  ///< operand 2, added without batch axes
  std::array<std::int64_t, 2> c_strides{};
};

/// Chooses a kernel for the product of operands 0 and 1 of the node.
void lower_product(const Product& product, Lowering& node);

}  // namespace plumb::gpu_vulkan
