#include "tests/support/noise.hpp"

#include <random>

namespace plumb::tests {

ir::Tensor noise(const ir::TensorType& type, unsigned seed) {
  std::mt19937 bits(seed);
  ir::Tensor tensor(type);
  const unsigned mask = type.dtype == ir::DType::boolean ? 1 : 255;
  for (std::byte& byte : tensor.bytes()) byte = static_cast<std::byte>(bits() >> 11 & mask);
  return tensor;
}

std::string message_of(const std::function<void()>& act) {
  try {
    act();
  } catch (const ir::Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace plumb::tests
