// Hands products that make their own limits to the code that was compiled for this processor.
#include "ref_cpu/bounded_product.hpp"

#include "ref_cpu/kernel_table.hpp"

namespace plumb::ref_cpu {

void run(const BoundedProduct& product, Call& call) { chosen_kernels().bounded_product(product, call); }

}  // namespace plumb::ref_cpu
