#pragma once

#include <string>

namespace plumb::testing {

/// A graph file of 100 nodes on small f32 tensors, ten blocks of ten: products, convolutions, softmax, layer and rms
/// norms, elementwise functions, reshapes, transpositions and residuals, one after the other, to one result.
std::string mixed_graph();

}  // namespace plumb::testing
