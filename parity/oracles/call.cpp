// What an oracle sees of the node that it is asked about.
#include "parity/oracles/call.hpp"

namespace plumb::parity::oracles {

Call::Call(std::span<const Operand> operands, const ir::TensorType& out, std::size_t output, Position at)
    : operands_(operands), out_(out), output_(output), at_(std::move(at)) {}

Number Call::number(std::size_t operand, std::span<const std::int64_t> at) const {
  return operands_[operand].element(index_of(at, in(operand)));
}

std::int64_t Call::whole(std::size_t operand, std::span<const std::int64_t> at) const {
  return oracles::whole(number(operand, at));
}

Number Call::stretched(std::size_t operand, std::span<const std::int64_t> at) const {
  const ir::Shape& shape = in(operand);
  std::int64_t index = 0;
  for (std::size_t axis = 0; axis < shape.size(); ++axis)
    index = index * shape[axis] + (shape[axis] == 1 ? 0 : at[at.size() - shape.size() + axis]);
  return operands_[operand].element(index);
}

std::int64_t Call::index(std::size_t operand, std::span<const std::int64_t> at, std::int64_t extent) const {
  const std::int64_t given = whole(operand, at);
  if (given < -extent || given >= extent) throw NoAnswer{};
  return given < 0 ? given + extent : given;
}

long double Call::attribute(double x) const {
  bool is_narrow = false;
  for (const Operand& operand : operands_) switch (operand.type->dtype) {
      case ir::DType::f16:
      case ir::DType::bf16:
      case ir::DType::f32:
      case ir::DType::c64:
        is_narrow = true;
        break;
      default:
        break;
    }
  return is_narrow ? static_cast<double>(static_cast<float>(x)) : x;
}

Position position_of(std::int64_t index, const ir::Shape& shape) {
  Position at(shape.size());
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    at[axis] = index % shape[axis];
    index /= shape[axis];
  }
  return at;
}

std::int64_t index_of(std::span<const std::int64_t> at, const ir::Shape& shape) {
  std::int64_t index = 0;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) index = index * shape[axis] + at[axis];
  return index;
}

std::int64_t whole(Number x) {
  if (x.re.off > 0) throw NoAnswer{};
  return static_cast<std::int64_t>(x.re.value);
}

}  // namespace plumb::parity::oracles
