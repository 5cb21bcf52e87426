#pragma once

#include "ir/bounded_matmul.hpp"
#include "ref_cpu/kernel.hpp"

namespace plumb::ref_cpu::gemm {

void run(const ir::BoundedMatmul&, Call&);

}  // namespace plumb::ref_cpu::gemm
