#include "ir/bounded_matmul.hpp"

#include "ir/schema.hpp"

template const plumb::ir::OpSchema& plumb::ir::schema<plumb::ir::BoundedMatmul>();
