// A sum runs over channels.
#include "ir/ops/lrn.hpp"

#include "ir/adversarial/use.hpp"

namespace plumb::ir::adversarial {

void describe(const ops::Lrn&, Types, std::size_t, Use& use) { use.axes = {1}; }

}  // namespace plumb::ir::adversarial
