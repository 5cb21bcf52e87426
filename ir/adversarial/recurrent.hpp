#pragma once

#include "ir/adversarial/use.hpp"
#include "ir/kernels/recurrent.hpp"

namespace plumb::ir::adversarial {

/// How an operand of rnn, gru or lstm is used: x leads along its elements, rows of w and r follow, lengths are at most
/// the number of steps, and all else is beside.
template <class T>
void describe_recurrent(const T& op, Types in, std::size_t operand, Use& use) {
  if (operand == kernels::recurrent_operands(op).lengths) {
    use.role = Role::index;
    use.low = 0, use.high = in[0].shape[0] + 1;
    return;
  }
  use.axes = {in[operand].shape.size() - 1};
  use.role = operand == 0 ? Role::leads : operand < 3 ? Role::follows : Role::beside;
}

}  // namespace plumb::ir::adversarial
