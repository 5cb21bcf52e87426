// The schema of the product that brings its own limits, an op of graphs that evaluate limits only.
#include "parity/bounds/bounded_matmul.hpp"

#include "ir/schema.hpp"

template const plumb::ir::OpSchema& plumb::ir::schema<plumb::parity::bounds::BoundedMatmul>();
