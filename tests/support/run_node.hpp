#pragma once

#include <functional>
#include <string>
#include <vector>

#include "ir/executor.hpp"

namespace plumb::tests {

/// A graph of one node, labelled "y": its operands are inputs "x0", "x1", ..., its
/// outputs are the results.
ir::Graph one_node(ir::Op op, const std::vector<ir::TensorType>& operands);

/// The outputs of one op on these operands.
std::vector<ir::Tensor> run_node(ir::Executor& executor, ir::Op op, const std::vector<ir::Tensor>& operands);

/// Random bytes, every NaN among them; a bool tensor gets 0 and 1.
ir::Tensor noise(const ir::TensorType& type, unsigned seed = 1);

/// What the Error says that `act` throws, "" when it throws none.
std::string message_of(const std::function<void()>& act);

}  // namespace plumb::tests
