// The token of a row by ops.md B.4. There is no answer where an evaluation in f64 may weigh a token otherwise.
#include "ir/ops/sample.hpp"

#include <algorithm>
#include <cmath>

#include "parity/element/call.hpp"
#include "parity/element/philox.hpp"

namespace plumb::parity::element {
namespace {

using ir::ops::Sample;

struct Token {
  long double logit = 0;
  std::int64_t index = 0;
  std::uint64_t weight = 0;
};

/// The likeliest first: the temperature changes no order.
bool ranks_before(const Token& a, const Token& b) { return a.logit != b.logit ? a.logit > b.logit : a.index < b.index; }

std::uint64_t weight_of(const Token& token, long double largest, Real temperature) {
  constexpr std::uint64_t whole = std::uint64_t{1} << 30;
  if (token.logit == largest) return whole;
  if (std::isinf(largest) || std::isinf(token.logit)) return 0;
  const Real below = Real(token.logit) / temperature - Real(largest) / temperature;
  const Real weight = apply_steps([](long double v) { return std::floor(v); }, exp(below) * Real(0x1p30L));
  return static_cast<std::uint64_t>(weight.value);
}

std::uint64_t sum_of(const std::vector<Token>& tokens) {
  std::uint64_t sum = 0;
  for (const Token& one : tokens) sum += one.weight;
  return sum;
}

/// ⌊(w0·2^32 + w1)·total / 2^64⌋.
std::uint64_t scaled(std::uint64_t w0, std::uint64_t w1, std::uint64_t total) {
  constexpr std::uint64_t low = 0xFFFFFFFFu;
  const std::uint64_t high = total >> 32, rest = total & low;
  const std::uint64_t a = high * w1 + (rest * w1 >> 32), b = rest * w0;
  return high * w0 + (a >> 32) + (b >> 32) + (((a & low) + (b & low)) >> 32);
}

/// Leaves the tokens that may be drawn.
void drop(const Sample& op, const Call& call, long double largest, std::vector<Token>& tokens) {
  std::ranges::sort(tokens, ranks_before);
  if (op.top_k > 0 && op.top_k < static_cast<std::int64_t>(tokens.size()))
    tokens.resize(static_cast<std::size_t>(op.top_k));
  const Real temperature(call.attribute(op.temperature));
  for (Token& one : tokens) one.weight = weight_of(one, largest, temperature);
  const auto least = static_cast<std::uint64_t>(std::floor(call.attribute(op.min_p) * 0x1p30L));
  std::erase_if(tokens, [&](const Token& one) { return one.weight < least; });
  const auto share = static_cast<std::uint64_t>(std::nearbyint(call.attribute(op.top_p) * 0x1p24L));
  if (share == 1u << 24) return;
  const std::uint64_t total = sum_of(tokens), upper = total >> 24, lower = total & 0xFFFFFFu;
  const std::uint64_t wanted = upper * share + (lower * share >> 24);
  std::uint64_t sum = tokens[0].weight;
  std::size_t count = 1;
  while (sum < wanted) sum += tokens[count++].weight;
  tokens.resize(count);
}

}  // namespace

Number element(const Sample& op, const Call& call) {
  std::vector<Token> tokens;
  Position at = call.at();
  at.push_back(0);
  for (std::int64_t j = 0; j < call.in(0).back(); ++j) {
    at.back() = j;
    const Real logit = call.real(0, at);
    if (logit.off != 0) throw NoAnswer{};
    tokens.push_back({logit.value, j});
  }
  const auto is_nan = [](const Token& one) { return std::isnan(one.logit); };
  const bool draws = call.attribute(op.temperature) > 0;
  const auto nan = std::ranges::find_if(tokens, is_nan);
  if (nan != tokens.end()) {
    if (draws) throw NoAnswer{};
    return {Real(nan->index)};
  }
  const Token first = *std::ranges::min_element(tokens, ranks_before);
  if (!draws) return {Real(first.index)};
  if (std::isinf(first.logit) && first.logit < 0) throw NoAnswer{};
  drop(op, call, first.logit, tokens);
  const auto row = static_cast<std::uint64_t>(index_of(call.at(), call.out()));
  const auto words = words_of({.block = row,
                               .seed = static_cast<std::uint64_t>(op.seed),
                               .stream = static_cast<std::uint32_t>(op.stream),
                               .offset = op.has_offset ? static_cast<std::uint32_t>(call.whole(1, {})) : 0u});
  const std::uint64_t r = scaled(words[0], words[1], sum_of(tokens));
  std::ranges::sort(tokens, {}, &Token::index);
  std::uint64_t sum = 0;
  for (const Token& one : tokens)
    if ((sum += one.weight) > r) return {Real(one.index)};
  throw NoAnswer{};
}

}  // namespace plumb::parity::element
