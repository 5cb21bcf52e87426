// Power and filters, which are never negative, of a band.
#include "ir/ops/log_mel.hpp"

#include "ir/adversarial/use.hpp"

namespace plumb::ir::adversarial {

void describe(const ops::LogMel&, Types in, std::size_t operand, Use& use) {
  use.role = operand == 0 ? Role::leads : Role::follows;
  use.axes = {in[operand].shape.size() - 1};
}

}  // namespace plumb::ir::adversarial
