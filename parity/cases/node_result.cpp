#include "parity/cases/node_result.hpp"

namespace plumb::parity::cases {

std::string NodeResult::name() const { return output == 0 ? label : ir::cat(label, ':', output); }

}  // namespace plumb::parity::cases
