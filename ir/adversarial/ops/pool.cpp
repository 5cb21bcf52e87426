// A window runs over positions.
#include "ir/ops/pool.hpp"

#include "ir/adversarial/use.hpp"

namespace plumb::ir::adversarial {

void describe(const ops::Pool&, Types in, std::size_t, Use& use) { use.axes = axes_from(2, in[0].shape.size()); }

}  // namespace plumb::ir::adversarial
