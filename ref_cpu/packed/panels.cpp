// Rounds weights to the floats that products take them for.
#include "ref_cpu/packed/panels.hpp"

namespace plumb::ref_cpu::packed {

void round_weights(ir::kernels::packed::WeightDtype to, std::span<float> weights) {
  if (to == ir::kernels::packed::WeightDtype::f16)
    for (float& w : weights) w = static_cast<float>(ir::f16(w));
  if (to == ir::kernels::packed::WeightDtype::bf16)
    for (float& w : weights) w = static_cast<float>(ir::bf16(w));
}

}  // namespace plumb::ref_cpu::packed
