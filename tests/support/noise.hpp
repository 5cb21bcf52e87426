#pragma once

#include <functional>
#include <string>
#include <vector>

#include "ir/executor.hpp"

namespace plumb::tests {

/// Random bytes, every NaN among them; a bool tensor gets 0 and 1.
ir::Tensor noise(const ir::TensorType& type, unsigned seed = 1);

/// The message of the Error that `act` throws, "" when it throws none.
std::string message_of(const std::function<void()>& act);

}  // namespace plumb::tests
