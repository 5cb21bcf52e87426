// Codes of 2, 4 and 8 bits.
#include "ir/ops/fake_quantize.hpp"

#include "parity/studies/fuzz/attributes.hpp"

namespace plumb::parity::studies::fuzz {

void amend(ir::ops::FakeQuantize& op, Chooser& choose) {
  const std::int64_t half = choose.number({2, 8, 128});
  op.q_min = choose.once_in(2) ? -half : 0;
  op.q_max = op.q_min + 2 * half - 1;
}

}  // namespace plumb::parity::studies::fuzz
