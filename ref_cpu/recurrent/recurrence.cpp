// Lengths of sequences, held to the number of steps.
#include "ref_cpu/recurrent/recurrence.hpp"

namespace plumb::ref_cpu::recurrent {

std::vector<std::int64_t> sequence_lengths(const ir::kernels::RecurrentExtents& n, std::optional<std::size_t> operand,
                                           const Call& call) {
  std::vector<std::int64_t> lengths(static_cast<std::size_t>(n.batch), n.steps);
  if (!operand) return lengths;
  ir::visit_index(call.in(*operand).dtype(), [&]<class X>(X) {
    const auto given = call.in(*operand).as<X>();
    for (std::size_t b = 0; b < lengths.size(); ++b) {
      lengths[b] = given[b];
      ir::require(0 <= lengths[b] && lengths[b] <= n.steps, "lengths[", b, "] is ", lengths[b], ", outside [0, ",
                  n.steps, "]");
    }
  });
  return lengths;
}

}  // namespace plumb::ref_cpu::recurrent
