// Every state is an output, so that each step is held to the one before it as the candidate made it.
#include "ir/ops/gru.hpp"

#include "parity/judges/recurrent/recurrent_node.hpp"

namespace plumb::parity::judges {

std::optional<Judge> judge_of(const ir::ops::Gru& op) {
  return Judge([op](const Question& question) { return judge_steps(op, question); });
}

}  // namespace plumb::parity::judges
