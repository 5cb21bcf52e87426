// x where j - i is on the kept side of the diagonal, else 0.
#include "ir/ops/trilu.hpp"

#include "parity/element/call.hpp"

namespace plumb::parity::element {

Number element(const ir::ops::Trilu& op, const Call& call) {
  const std::size_t rank = call.at().size();
  const std::int64_t i = call.at(rank - 2), j = call.at(rank - 1);
  const bool is_kept = op.upper ? j - i >= op.diagonal : j - i <= op.diagonal;
  return is_kept ? call.number(0, call.at()) : Number();
}

}  // namespace plumb::parity::element
