// Ops that a caller of the ABI registers.
#include "library/abi/errors.hpp"
#include "library/foreign_op.hpp"
#include "library/register_op.hpp"

using namespace plumb;

plumb_error* plumb_register_op(const plumb_op_v1* op) {
  return library::abi::guarded([&] { library::register_tried_op(library::new_op_of(op)); });
}
