// Even and odd numbers of points.
#include "ir/ops/irfft.hpp"

#include "parity/studies/fuzz/attributes.hpp"

namespace plumb::parity::studies::fuzz {

void amend(ir::ops::Irfft& op, Chooser& choose) {
  if (choose.once_in(2)) op.n = choose.number({2, 3, 7, 16, 33, 64, 100});
}

}  // namespace plumb::parity::studies::fuzz
