// Sequences and optionals whose lengths and presence are known while the model is read: their tensors are taken apart,
// so that no op sees them.

#include <algorithm>

#include "ir/formats/onnx/node_reader.hpp"
#include "ir/ops/concat.hpp"
#include "ir/ops/split.hpp"

namespace plumb::ir::from_onnx {
namespace {

/// `x` with an axis of extent 1 at `axis`, or without the one that is there.
Ref with_axis(NodeReader& node, Ref x, std::int64_t axis) {
  Shape shape = node.shape(x);
  const auto rank = shape.rank() + 1, at = axis < 0 ? axis + rank : axis;
  require(0 <= at && at < rank, "axis ", axis, " is outside rank ", rank);
  shape.insert(shape.begin() + at, 1);
  return node.reshape(x, shape);
}

Ref without_axis(NodeReader& node, Ref x, std::size_t axis) {
  Shape shape = node.shape(x);
  shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(axis));
  return node.reshape(x, shape);
}

/// A position among `count`, of which `count` itself is one where something is inserted.
std::ptrdiff_t position_in(NodeReader& node, std::size_t i, std::size_t count, bool at_end) {
  const auto given = node.known_ints(i, "the position in a sequence");
  require(given.size() == 1, "the position must be one number, got ", given.size());
  const auto n = static_cast<std::int64_t>(count), at = given[0] < 0 ? given[0] + n : given[0];
  require(0 <= at && at < n + (at_end ? 1 : 0), "position ", given[0], " is outside a sequence of ", n);
  return static_cast<std::ptrdiff_t>(at);
}

/// Extents along the axis: 1 each without `split`, `split` each and a rest where it is one number.
std::vector<std::int64_t> part_sizes(NodeReader& node, std::int64_t extent) {
  if (!node.has(1)) return std::vector<std::int64_t>(static_cast<std::size_t>(extent), 1);
  const auto given = node.known_ints(1, "split");
  if (node.shape(node.in(1)).rank() == 1) return given;
  require(given.size() == 1 && given[0] >= 1, "split must be a list or one number, 1 at least");
  std::vector<std::int64_t> sizes;
  for (std::int64_t rest = extent; rest > 0; rest -= sizes.back()) sizes.push_back(std::min(given[0], rest));
  return sizes;
}

void split_to_sequence(NodeReader& node) {
  const Ref x = node.in(0);
  const Shape shape = node.shape(x);
  const std::size_t axis = shape.axis(node.integer("axis", 0));
  const auto sizes = part_sizes(node, shape[axis]);
  if (sizes.empty()) return node.out(0, node.sequence({}));
  auto parts = node.add_all(ops::Split{static_cast<std::int64_t>(axis), sizes}, {x});
  const bool keeps_axis = node.has(1) || node.integer("keepdims", 1) != 0;
  if (!keeps_axis)
    for (Ref& part : parts) part = without_axis(node, part, axis);
  node.out(0, node.sequence(std::move(parts)));
}

void sequence_construct(NodeReader& node) {
  std::vector<Ref> elements;
  for (std::size_t i = 0; i < node.inputs(); ++i) elements.push_back(node.in(i));
  node.out(0, node.sequence(std::move(elements)));
}

void sequence_empty(NodeReader& node) { node.out(0, node.sequence({})); }

void sequence_at(NodeReader& node) {
  const auto elements = node.elements(0);
  const auto at = position_in(node, 1, elements.size(), false);
  node.out(0, elements[static_cast<std::size_t>(at)]);
}

void sequence_insert(NodeReader& node) {
  auto elements = node.elements(0);
  const auto at =
      node.has(2) ? position_in(node, 2, elements.size(), true) : static_cast<std::ptrdiff_t>(elements.size());
  elements.insert(elements.begin() + at, node.in(1));
  node.out(0, node.sequence(std::move(elements)));
}

void sequence_erase(NodeReader& node) {
  auto elements = node.elements(0);
  require(!elements.empty(), "erases from an empty sequence");
  const auto at =
      node.has(1) ? position_in(node, 1, elements.size(), false) : static_cast<std::ptrdiff_t>(elements.size()) - 1;
  elements.erase(elements.begin() + at);
  node.out(0, node.sequence(std::move(elements)));
}

void sequence_length(NodeReader& node) {
  const auto length = static_cast<std::int64_t>(node.elements(0).size());
  node.out(0, node.constant(Tensor::of<std::int64_t>({}, {length})));
}

void concat_from_sequence(NodeReader& node) {
  auto elements = node.elements(0);
  if (elements.empty()) NodeReader::unsupported("joins a sequence of nothing, which has no shape");
  const auto axis = node.integer("axis");
  if (node.integer("new_axis", 0) != 0)
    for (Ref& element : elements) element = with_axis(node, element, axis);
  node.out(0, elements.size() == 1 ? elements[0] : node.add(ops::Concat{axis}, elements));
}

/// The body runs once for every element of the first operand; others may be sequences as long, or tensors.
void sequence_map(NodeReader& node) {
  const auto& body = node.graph("body");
  const std::size_t count = node.elements(0).size();
  std::vector<std::vector<Ref>> results(static_cast<std::size_t>(body.output_size()));
  for (std::size_t k = 0; k < count; ++k) {
    std::vector<Ref> operands;
    for (std::size_t i = 0; i < node.inputs(); ++i) {
      const Ref operand = node.in(i);
      if (!node.is_sequence(operand)) {
        operands.push_back(operand);
        continue;
      }
      const auto elements = node.elements(i);
      require(elements.size() == count, "maps sequences of ", count, " and ", elements.size(), " tensors");
      operands.push_back(elements[k]);
    }
    const auto made = node.subgraph(body, operands, cat('/', k));
    for (std::size_t r = 0; r < made.size(); ++r) results[r].push_back(made[r]);
  }
  for (std::size_t r = 0; r < results.size(); ++r) node.out(r, node.sequence(std::move(results[r])));
}

/// An optional that holds something is what it holds. One that holds nothing cannot be read, only asked.
void optional(NodeReader& node) {
  if (!node.has(0)) NodeReader::unsupported("makes an optional that holds nothing");
  node.out(0, node.in(0));
}

void optional_get_element(NodeReader& node) { node.out(0, node.in(0)); }

void optional_has_element(NodeReader& node) { node.out(0, node.scalar(DType::boolean, node.has(0) ? 1 : 0)); }

}  // namespace

std::span<const Converter> sequences_converters() {
  static constexpr Converter table[] = {
      {"ConcatFromSequence", concat_from_sequence},
      {"Optional", optional},
      {"OptionalGetElement", optional_get_element},
      {"OptionalHasElement", optional_has_element},
      {"SequenceAt", sequence_at},
      {"SequenceConstruct", sequence_construct},
      {"SequenceEmpty", sequence_empty},
      {"SequenceErase", sequence_erase},
      {"SequenceInsert", sequence_insert},
      {"SequenceLength", sequence_length},
      {"SequenceMap", sequence_map},
      {"SplitToSequence", split_to_sequence},
  };
  return table;
}

}  // namespace plumb::ir::from_onnx
