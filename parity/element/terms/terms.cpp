// Finds how elements of an op are sums of terms, and converts between flat indices and positions.
// Optimised: it loops over elements or terms.
#include "parity/element/terms/terms.hpp"

#include <algorithm>

#include "parity/element/terms/op_table.hpp"
#include "parity/element/terms/recorded.hpp"

namespace plumb::parity::element::terms {
namespace {

using MakeWalker = std::optional<Walker> (*)(const ir::Op&, std::span<const Operand>, const ir::Shape&);

const ir::OpTable<MakeWalker>& table() {
  static const auto all = Ops::table<MakeWalker>([]<class T>() -> MakeWalker {
    return [](const ir::Op& op, std::span<const Operand> operands, const ir::Shape& y) {
      return walker(op.as<T>(), operands, y);
    };
  });
  return all;
}

}  // namespace

std::vector<double> ElementSum::values() const {
  std::vector<double> products(terms.size());
  std::ranges::transform(terms, products.begin(), &Product::value);
  return products;
}

std::vector<double> Prefix::terms() const {
  std::vector<double> numbers(static_cast<std::size_t>(count));
  for (std::int64_t k = 0; k < count; ++k) numbers[static_cast<std::size_t>(k)] = term(k);
  return numbers;
}

std::optional<Walker> find_walker(const ir::Op& op, std::span<const Operand> operands, const ir::Shape& y) {
  const auto found = table().find(&op.schema());
  return found == table().end() ? recorded_walker(op, operands, y) : found->second(op, operands, y);
}

std::vector<const ir::OpSchema*> walked_ops() { return Ops::schemas(); }

std::vector<std::int64_t> position_of(std::int64_t index, const ir::Shape& shape) {
  std::vector<std::int64_t> position(shape.size());
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    position[axis] = index % shape[axis];
    index /= shape[axis];
  }
  return position;
}

std::int64_t index_of(std::span<const std::int64_t> position, const ir::Shape& shape) {
  std::int64_t index = 0;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) index = index * shape[axis] + position[axis];
  return index;
}

bool step(std::vector<std::int64_t>& position, std::span<const std::int64_t> extents) {
  for (std::size_t axis = position.size(); axis-- > 0;) {
    if (++position[axis] < extents[axis]) return true;
    position[axis] = 0;
  }
  return false;
}

}  // namespace plumb::parity::element::terms
