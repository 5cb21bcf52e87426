#include "ir/ops/toy.hpp"

#include "parity/element/call.hpp"

namespace plumb::parity::element {

Number element(const ir::ops::Toy&, const Call& call) { return Number(Real(2)) * call.number(0, call.at()); }

}  // namespace plumb::parity::element
