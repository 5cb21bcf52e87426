// The samples of a line, and the filter that they meet.
#include "ir/ops/convolve.hpp"

#include "ir/adversarial/use.hpp"

namespace plumb::ir::adversarial {

void describe(const ops::Convolve&, Types in, std::size_t operand, Use& use) {
  use.role = operand == 0 ? Role::leads : Role::follows;
  use.axes = {in[operand].shape.size() - 1};
}

}  // namespace plumb::ir::adversarial
