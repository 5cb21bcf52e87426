// Hands products with parts of packed weights to the code that was compiled for this processor.
#include "ref_cpu/panel_product.hpp"

#include "ref_cpu/kernel_table.hpp"

namespace plumb::ref_cpu {

void run(const PanelProduct& product, Call& call) { chosen_kernels().panel_product(product, call); }

}  // namespace plumb::ref_cpu
