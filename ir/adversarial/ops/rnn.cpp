// The steps of x lead, and lengths stay within their number.
#include "ir/ops/rnn.hpp"

#include "ir/adversarial/recurrent.hpp"

namespace plumb::ir::adversarial {

void describe(const ops::Rnn& op, Types in, std::size_t operand, Use& use) { describe_recurrent(op, in, operand, use); }

}  // namespace plumb::ir::adversarial
