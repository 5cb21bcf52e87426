// Lowers random numbers to a dispatch whose invocations each make the four numbers of a block.
#include "ir/ops/random.hpp"

#include <bit>

#include "gpu_vulkan/plan/lower.hpp"

namespace plumb::gpu_vulkan {
namespace {

using Words = std::array<std::uint32_t, 2>;

Words words_of(std::uint64_t bits) {
  return {static_cast<std::uint32_t>(bits), static_cast<std::uint32_t>(bits >> 32)};
}

/// The bits of a real in the type that a dtype is computed in.
Words real_words(ir::DType dtype, double x) {
  if (dtype == ir::DType::f64) return words_of(std::bit_cast<std::uint64_t>(x));
  return {std::bit_cast<std::uint32_t>(static_cast<float>(x)), 0};
}

/// The parameters of the distribution: low, width and most of random.comp.
struct Parameters {
  Words low{}, width{}, most{};
};

Parameters parameters_of(const ir::ops::Random& op) {
  const auto real = [&](double x) { return real_words(op.dtype, x); };
  switch (op.distribution) {
    case ir::ops::RandomDistribution::uniform: {
      const auto interval = op.interval();
      return {real(interval.low), real(interval.width), real(interval.most)};
    }
    case ir::ops::RandomDistribution::normal:
      return {real(op.real(op.mean)), real(op.real(op.scale)), {}};
    case ir::ops::RandomDistribution::uniform_int:
      return {words_of(static_cast<std::uint64_t>(static_cast<std::int64_t>(op.low))), {op.span(), 0}, {}};
    case ir::ops::RandomDistribution::bernoulli:
      return {{}, words_of(op.threshold()), {}};  // 2^32 has a high word: all are 1
    case ir::ops::RandomDistribution::bits:
      break;
  }
  return {};
}

}  // namespace

void lower(const ir::ops::Random& op, plan::Lowering& node) {
  node.needs_its_types();
  const std::int64_t count = node.out_type(0).shape.elements();
  const Parameters parameters = parameters_of(op);
  struct Block {
    std::uint32_t count, stream;
    Words seed, low, width, most;
  };
  constexpr std::uint32_t threads = 128;
  constexpr std::array<std::byte, 4> no_offset = {};
  node.dispatch({
      .shader = {ir::cat("random.", op.dtype), {{"invocations", threads}, {"distribution", op.distribution}}},
      .reads = {op.has_offset ? node.in(0) : node.table(no_offset)},
      .writes = {node.out(0)},
      .push = Block{.count = plan::word(count),
                    .stream = plan::word(op.stream),
                    .seed = words_of(static_cast<std::uint64_t>(op.seed)),
                    .low = parameters.low,
                    .width = parameters.width,
                    .most = parameters.most},
      .groups = plan::groups_for((count + 3) / 4, threads),
  });
}

}  // namespace plumb::gpu_vulkan
