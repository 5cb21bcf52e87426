#pragma once

#include "gpu_vulkan/product.hpp"

namespace plumb::gpu_vulkan {

/// Whether the product was a row, a column, or a few rows of a large matrix, and got its kernel.
bool lower_vector_product(const Product& product, const ProductSlots& slots, Lowering& node);

}  // namespace plumb::gpu_vulkan
