// An oracle's view of the node that it is asked about.
// Optimised: it loops over elements or terms.
#include "parity/element/call.hpp"

#include "parity/element/stored.hpp"

namespace plumb::parity::element {
namespace {

/// Whether numbers of a dtype are numbers of f32, whose products are numbers of f64.
bool is_narrow(ir::DType dtype) {
  return dtype == ir::DType::f16 || dtype == ir::DType::bf16 || dtype == ir::DType::f32;
}

/// A stretch of what is given.
std::vector<float> numbers_of(const ir::TensorView& given, const Stretch& of, std::int64_t count) {
  std::vector<float> numbers(static_cast<std::size_t>(count));
  const auto fill = [&](const auto& number) {
    for (std::int64_t k = 0; k < count; ++k) numbers[static_cast<std::size_t>(k)] = number(of.first + k * of.step);
  };
  if (given.dtype() == ir::DType::f32)
    fill([stored = given.as<float>().data()](std::int64_t i) { return stored[i]; });
  else
    fill([&](std::int64_t i) { return static_cast<float>(number_of(given, i).re.value); });
  return numbers;
}

}  // namespace

Call::Call(std::span<const Operand> operands, const ir::TensorType& out, std::size_t output, Position at)
    : operands_(operands), out_(out), output_(output), at_(std::move(at)) {}

Number Call::number(std::size_t operand, std::span<const std::int64_t> at) const {
  return operands_[operand].element(index_of(at, in(operand)));
}

std::int64_t Call::whole(std::size_t operand, std::span<const std::int64_t> at) const {
  return element::whole(number(operand, at));
}

std::int64_t Call::stretched_index(std::size_t operand, std::span<const std::int64_t> at) const {
  const ir::Shape& shape = in(operand);
  std::int64_t index = 0;
  for (std::size_t axis = 0; axis < shape.size(); ++axis)
    index = index * shape[axis] + (shape[axis] == 1 ? 0 : at[at.size() - shape.size() + axis]);
  return index;
}

void Call::add_products(Sum& sum, std::size_t a, const Stretch& of_a, std::size_t b, const Stretch& of_b,
                        std::int64_t count) const {
  const Operand &left = operands_[a], &right = operands_[b];
  const bool are_given = left.given != nullptr && right.given != nullptr;
  if (are_given && is_narrow(left.type->dtype) && is_narrow(right.type->dtype)) {
    left.look(count);
    right.look(count);
    return sum.add_products(numbers_of(*left.given, of_a, count), numbers_of(*right.given, of_b, count));
  }
  for (std::int64_t k = 0; k < count; ++k) {
    const Real one = left.element(of_a.first + k * of_a.step).re;
    sum.add(one, right.element(of_b.first + k * of_b.step).re);
  }
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

}  // namespace plumb::parity::element
