#include "parity/bounds/bounded_matmul.hpp"

#include "ir/schema.hpp"

template const plumb::ir::OpSchema& plumb::ir::schema<plumb::parity::bounds::BoundedMatmul>();
