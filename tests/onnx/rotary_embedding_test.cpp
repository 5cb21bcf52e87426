// RotaryEmbedding as ONNX has it, against loops that say what its text says.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/onnx/model.hpp"

namespace plumb::tests::rotary_embedding_test {
namespace {

using ::testing::DoubleNear;
using ::testing::Pointwise;

/// RotaryEmbedding by its text: x [B, H, S, D], tables [P, n/2], a row of them for each token.
std::vector<double> rotated(const std::vector<double>& x, std::int64_t D, std::int64_t n, bool interleaved,
                            const std::vector<double>& cos, const std::vector<double>& sin,
                            const std::function<std::int64_t(std::int64_t line)>& row_of) {
  std::vector<double> y = x;
  for (std::int64_t line = 0; line < static_cast<std::int64_t>(x.size()) / D; ++line)
    for (std::int64_t i = 0; i < n / 2; ++i) {
      const auto first = static_cast<std::size_t>(line * D + (interleaved ? 2 * i : i));
      const auto second = static_cast<std::size_t>(line * D + (interleaved ? 2 * i + 1 : i + n / 2));
      const auto at = static_cast<std::size_t>(row_of(line) * (n / 2) + i);
      y[first] = cos[at] * x[first] - sin[at] * x[second];
      y[second] = sin[at] * x[first] + cos[at] * x[second];
    }
  return y;
}

TEST(OnnxRotaryEmbedding, OfPositionsAndOfTablesForEachToken) {
  constexpr std::int64_t B = 2, H = 3, S = 4, D = 6;
  const auto x = wave(B * H * S * D, 0.3);
  for (const bool interleaved : {false, true})
    for (const std::int64_t n : {0, 4}) {
      const std::int64_t half = (n == 0 ? D : n) / 2;
      const auto cos = wave(B * S * half, 0.4), sin = wave(B * S * half, 0.9);
      const std::vector<std::int64_t> positions = {7, 0, 3, 2, 1, 1, 6, 5};
      const auto ask = [&](bool by_position, const ir::Shape& table) {
        ModelMaker maker(23);
        maker.input("x", {B, H, S, D}).output("y");
        maker.initializer("cos", tensor(table, cos)).initializer("sin", tensor(table, sin));
        maker.initializer("positions", ir::Tensor::of<std::int64_t>({B, S}, positions));
        auto& node = maker.node("RotaryEmbedding", {"x", "cos", "sin", by_position ? "positions" : ""}, {"y"});
        set_int(node, "interleaved", interleaved ? 1 : 0);
        set_int(node, "rotary_embedding_dim", n);
        return numbers(maker.run({{"x", tensor({B, H, S, D}, x)}}));
      };
      const auto token = [](std::int64_t line) { return line / (H * S) * S + line % S; };
      const auto position = [&](std::int64_t line) { return positions[static_cast<std::size_t>(token(line))]; };
      EXPECT_THAT(ask(true, {B * S, half}),
                  Pointwise(DoubleNear(1e-5), rotated(x, D, 2 * half, interleaved, cos, sin, position)));
      EXPECT_THAT(ask(false, {B, S, half}),
                  Pointwise(DoubleNear(1e-5), rotated(x, D, 2 * half, interleaved, cos, sin, token)));
    }
}

TEST(OnnxRotaryEmbedding, OfPackedHeadsByBothDomains) {
  constexpr std::int64_t B = 2, S = 3, H = 2, D = 4, P = 9;
  const auto x = wave(B * S * H * D, 0.2), cos = wave(P * D / 2, 0.5), sin = wave(P * D / 2, 1.1);
  const auto ask = [&](bool of_microsoft, const ir::Tensor& positions, std::int64_t heads) {
    ModelMaker maker(23);
    maker.domain("com.microsoft", 1).input("x", {B, S, H * D}).output("y");
    maker.initializer("cos", tensor({P, D / 2}, cos)).initializer("sin", tensor({P, D / 2}, sin));
    maker.initializer("positions", positions);
    const std::vector<std::string> theirs = {"x", "positions", "cos", "sin"}, ours = {"x", "cos", "sin", "positions"};
    auto& node = maker.node("RotaryEmbedding", of_microsoft ? theirs : ours, {"y"});
    if (of_microsoft) node.set_domain("com.microsoft");
    if (heads > 0) set_int(node, "num_heads", heads);
    return numbers(maker.run({{"x", tensor({B, S, H * D}, x)}}));
  };
  const std::vector<std::int64_t> rows = {8, 0, 4, 2, 2, 7};
  const ir::Tensor each = ir::Tensor::of<std::int64_t>({B, S}, rows), first = ir::Tensor::of<std::int64_t>({1}, {5});
  const auto by_token =
      rotated(x, D, D, false, cos, sin, [&](auto line) { return rows[static_cast<std::size_t>(line / H)]; });
  const auto in_a_row = rotated(x, D, D, false, cos, sin, [](std::int64_t line) { return 5 + line / H % S; });
  EXPECT_THAT(ask(false, each, H), Pointwise(DoubleNear(1e-5), by_token));
  EXPECT_THAT(ask(true, each, H), Pointwise(DoubleNear(1e-5), by_token));
  EXPECT_THAT(ask(true, each, 0), Pointwise(DoubleNear(1e-5), by_token));  // the tables say how wide a head is
  EXPECT_THAT(ask(true, first, H), Pointwise(DoubleNear(1e-5), in_a_row));
}

}  // namespace
}  // namespace plumb::tests::rotary_embedding_test
