// Exponents are scores.
#include "ir/ops/softmax.hpp"

#include "ir/adversarial/use.hpp"

namespace plumb::ir::adversarial {

void describe(const ops::Softmax&, Types, std::size_t, Use& use) { use.role = Role::scores; }

}  // namespace plumb::ir::adversarial
