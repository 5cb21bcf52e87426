// Lowers draws of tokens to keys of all logits, and a workgroup for each row; draws without chance to the position of
// the largest logit.
#include "ir/ops/sample.hpp"

#include <bit>

#include "gpu_vulkan/kernels/copy/strided_copy.hpp"
#include "gpu_vulkan/kernels/indexing/indexed.hpp"
#include "gpu_vulkan/kernels/rows/arg_reduce.hpp"

namespace plumb::gpu_vulkan {
namespace {

using SeedWords = std::array<std::uint32_t, 2>;

SeedWords seed_words(std::uint64_t bits) {
  return {static_cast<std::uint32_t>(bits), static_cast<std::uint32_t>(bits >> 32)};
}

/// A temperature as factor·2^exponent, the factor's bits in the type that logits are computed in.
struct SplitTemperature {
  SeedWords factor;
  std::int32_t exponent;
};

SplitTemperature split(double temperature, ir::DType dtype) {
  int exponent = 0;
  const double factor = 2 * std::frexp(temperature, &exponent);
  if (dtype == ir::DType::f64) return {seed_words(std::bit_cast<std::uint64_t>(factor)), exponent - 1};
  return {{std::bit_cast<std::uint32_t>(static_cast<float>(factor)), 0}, exponent - 1};
}

/// Keys by which tokens are ranked, of the width of what logits are computed in.
plan::Slot make_keys(double temperature, std::size_t width, plan::Lowering& node) {
  const auto& [dtype, shape] = node.in_type(0);
  const plan::Slot keys = node.scratch(static_cast<std::size_t>(shape.elements()) * width);
  const SplitTemperature by = split(temperature, dtype);
  struct Block {
    SeedWords factor;
    std::int32_t exponent;
    std::uint32_t elements, node;
  };
  constexpr std::uint32_t threads = 128;
  node.dispatch({
      .shader = {ir::cat("sample_keys.", dtype), {{"invocations", threads}}},
      .reads = {node.in(0)},
      .writes = {keys, node.faults()},
      .push = Block{.factor = by.factor,
                    .exponent = by.exponent,
                    .elements = plan::word(shape.elements()),
                    .node = node.node_number()},
      .groups = plan::groups_for(shape.elements(), threads),
  });
  return keys;
}

constexpr std::uint32_t least_invocations = 256;  // sample.comp has as many bins

/// Long rows take the largest workgroups.
std::uint32_t invocations_for(const device::DeviceFacts& facts, std::int64_t tokens) {
  return tokens <= 64 * least_invocations ? least_invocations : std::bit_floor(std::min(1024u, facts.max_invocations));
}

}  // namespace

void lower(const ir::ops::Sample& op, plan::Lowering& node) {
  node.needs_its_types();
  const auto& [dtype, shape] = node.in_type(0);
  const std::uint32_t index_words = kernels::indexing::index_words(op.index_dtype);
  const double temperature = ir::ops::Sample::real(dtype, op.temperature);
  if (temperature == 0) return kernels::rows::lower_arg_reduce(-1, {}, node.out(0), index_words, node);
  node.needs(node.facts().max_invocations >= least_invocations, node.facts().name, " has workgroups of fewer than ",
             least_invocations, " invocations");
  const std::int64_t tokens = shape.back(), rows = shape.elements() / tokens;
  const std::size_t width = dtype == ir::DType::f64 ? 8 : 4;
  const plan::Slot keys = make_keys(temperature, width, node);
  struct Block {
    SeedWords seed;
    std::uint32_t rows, count, stream, top_k, least, share, index_words, node;
  };
  constexpr std::array<std::byte, 4> no_offset = {};
  node.dispatch({
      .shader = {kernels::copy::word_variant("sample", width, node),
                 {{"invocations", invocations_for(node.facts(), tokens)}}},
      .reads = {keys, op.has_offset ? node.in(1) : node.table(no_offset)},
      .writes = {node.scratch(4 * static_cast<std::size_t>(shape.elements())), node.out(0), node.faults()},
      .push = Block{.seed = seed_words(static_cast<std::uint64_t>(op.seed)),
                    .rows = plan::word(rows),
                    .count = plan::word(tokens),
                    .stream = plan::word(op.stream),
                    .top_k = op.top_k < tokens ? plan::word(op.top_k) : 0,
                    .least = op.least_weight(dtype),
                    .share = op.kept_share(dtype),
                    .index_words = index_words,
                    .node = node.node_number()},
      .groups = plan::groups_for(rows),
  });
}

}  // namespace plumb::gpu_vulkan
