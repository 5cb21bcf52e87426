#pragma once

// Ops that C declares (plumbline.h).

#include "ir/register_op.hpp"
#include "library/plumbline.h"

namespace plumb::library {

/// The op of a struct of C, whose callbacks and `user` must live as long as the process. Throws Error, with the name of
/// the field, where one is missing.
ir::NewOp new_op_of(const plumb_op_v1* op);

}  // namespace plumb::library
