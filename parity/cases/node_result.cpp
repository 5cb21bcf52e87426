// How the output of a node is called: by the label, with a number from the second output on.
#include "parity/cases/node_result.hpp"

namespace plumb::parity::cases {

std::string NodeResult::name() const { return output == 0 ? label : ir::cat(label, ':', output); }

}  // namespace plumb::parity::cases
