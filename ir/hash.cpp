#include "ir/hash.hpp"

#include <xxhash.h>

#include "ir/graph.hpp"

namespace plumb::ir {

std::uint64_t hash_bytes(std::span<const std::byte> bytes, std::uint64_t seed) {
  return XXH3_64bits_withSeed(bytes.data(), bytes.size(), seed);
}

namespace {

/// Folds pieces of a graph into one number; every piece is length-prefixed.
class Hasher {
 public:
  void add(std::span<const std::byte> bytes) { state_ = hash_bytes(bytes, state_ ^ bytes.size()); }
  void add(std::uint64_t number) { add(std::as_bytes(std::span(&number, 1))); }
  void add_text(std::string_view text) { add(std::as_bytes(std::span(text.data(), text.size()))); }
  void add(const TensorType& type) {
    add(static_cast<std::uint64_t>(type.dtype));
    add(std::as_bytes(std::span(type.shape.data(), type.shape.size())));
  }
  void add(const Attribute& attribute) {
    add(attribute.index());
    std::visit(
        [this]<class T>(const T& value) {
          if constexpr (requires { value.data(); }) add(std::as_bytes(std::span(value.data(), value.size())));
          else add(std::as_bytes(std::span(&value, 1)));
        },
        attribute);
  }
  std::uint64_t value() const { return state_; }

 private:
  std::uint64_t state_ = 0;
};

}  // namespace

std::uint64_t structural_hash(const Graph& graph) {
  Hasher hasher;
  std::vector<std::uint64_t> order(graph.value_count(), 0);  // numbers by appearance, so that gaps do not matter
  std::uint64_t next = 0;
  hasher.add(graph.inputs().size());
  hasher.add(graph.params().size());
  for (Value v = 0; graph.is_source(v); ++v) {
    hasher.add(graph.type(v));
    order[v] = next++;
  }
  for (const Node& node : graph.nodes()) {
    hasher.add_text(node.op.name());
    for (const auto& [name, attribute] : node.op.attributes()) {
      hasher.add_text(name);
      hasher.add(attribute);
    }
    hasher.add(node.inputs.size());
    for (const Value v : node.inputs) hasher.add(order[v]);
    for (const Value v : node.outputs) {
      hasher.add(graph.type(v));
      order[v] = next++;
    }
  }
  for (const Value v : graph.results()) hasher.add(order[v]);
  return hasher.value();
}

}  // namespace plumb::ir
