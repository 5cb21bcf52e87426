// Starts are whole numbers of any size; those beyond either end of the widest axis are clamped.
#include "ir/ops/dynamic_slice.hpp"

#include "ir/adversarial/use.hpp"

namespace plumb::ir::adversarial {

void describe(const ops::DynamicSlice&, Types in, std::size_t operand, Use& use) {
  if (operand != 1) return;
  use.role = Role::index;
  use.high = 2;
  for (const std::int64_t extent : in[0].shape) use.high = std::max(use.high, extent + 1);
  use.low = -use.high;
}

}  // namespace plumb::ir::adversarial
