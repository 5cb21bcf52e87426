// Exactness of irfft: sums of parts where a line has 1, 2 or 4 points.
#include "ir/ops/irfft.hpp"

#include "parity/checks/exact/make_rule.hpp"

namespace plumb::parity::checks::exact {

Rule rule(const ir::ops::Irfft& op, ir::Types in, ir::Types) { return fourier(op.points(in), op.scale(in)); }

}  // namespace plumb::parity::checks::exact
