// Products with the packed weights of experts: their loops do not say that they are products.
#include "ir/ops/dequant_grouped_matmul.hpp"

#include "parity/checks/relations/symmetry.hpp"

namespace plumb::parity::checks::relations {

void amend(const ir::ops::DequantGroupedMatmul&, ir::Types, ir::Types, Symmetries& made) {
  made.tiled = true;  // how many rows an expert has decides how its tiles add
}

}  // namespace plumb::parity::checks::relations
