#pragma once

#include "ref_cpu/bounded_product.hpp"

namespace plumb::ref_cpu::gemm {

/// The kernel that run() of ref_cpu/bounded_product.hpp calls.
void run(const BoundedProduct& product, Call& call);

}  // namespace plumb::ref_cpu::gemm
