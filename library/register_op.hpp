#pragma once

// Ops of a program's own, tried before they are registered.

#include "ir/register_op.hpp"

namespace plumb::library {

/// ir::register_op(), which it does once the op's `cpu`, if it has one, computes in f64 what its body says: on numbers
/// of the types that the body is written for, and within the limits of the body's nodes. Throws Error, naming the op
/// and an element that is off.
void register_tried_op(const ir::NewOp& op);

}  // namespace plumb::library
