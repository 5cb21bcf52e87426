#include "tests/support/cases/attention_cases.hpp"

#include <cmath>
#include <limits>

#include "tests/support/op_check.hpp"

namespace plumb::tests {
namespace {

using ir::DType;
using ir::Tensor;
using ir::ops::Attention;
using ir::ops::AttentionLayout;

constexpr double infinity = std::numeric_limits<double>::infinity();

Tensor filled(DType dtype, ir::Shape shape, std::uint64_t seed) {
  return testing::random_tensor({dtype, std::move(shape)}, seed, {});
}

/// Element [b, h, i] of q, k, v or y: where its row begins.
std::size_t row(const Attention& op, const ir::Shape& shape, std::int64_t b, std::int64_t h, std::int64_t i) {
  const auto at =
      op.layout == AttentionLayout::bhsd ? (b * shape[1] + h) * shape[2] + i : (b * shape[1] + i) * shape[2] + h;
  return static_cast<std::size_t>(at * shape[3]);
}

struct Optional {
  const Tensor *mask = nullptr, *bias = nullptr, *lengths = nullptr, *sinks = nullptr;
};

Optional optional(const Attention& op, const std::vector<Tensor>& operands) {
  Optional found;
  std::size_t next = 3;
  if (op.has_mask) found.mask = &operands[next++];
  if (op.has_bias) found.bias = &operands[next++];
  if (op.has_kv_lengths) found.lengths = &operands[next++];
  if (op.has_sinks) found.sinks = &operands[next];
  return found;
}

/// The scores of query i of a head; nothing for keys that are not allowed.
std::vector<std::optional<double>> scores(const Attention& op, const std::vector<Tensor>& operands, std::int64_t b,
                                          std::int64_t h, std::int64_t i) {
  const Tensor &q = operands[0], &k = operands[1];
  const auto n = op.extents(q.shape(), k.shape(), operands[2].shape());
  const Optional with = optional(op, operands);
  std::int64_t length = n.Sk;
  if (with.lengths != nullptr) {
    const Tensor wide = ir::convert(*with.lengths, DType::i64);
    length = std::clamp<std::int64_t>(wide.as<std::int64_t>()[static_cast<std::size_t>(b)], 0, n.Sk);
  }
  const std::int64_t p = op.query_offset ? *op.query_offset + i : length - n.Sq + i;
  const ir::Shape all{n.B, n.Hq, n.Sq, n.Sk};
  std::vector<std::optional<double>> found(static_cast<std::size_t>(n.Sk));
  for (std::int64_t j = 0; j < n.Sk; ++j) {
    const auto at = [&](const Tensor& operand) {
      const auto strides = ir::broadcast_strides(operand.shape(), all);
      return static_cast<std::size_t>(b * strides[0] + h * strides[1] + i * strides[2] + j * strides[3]);
    };
    const double added = with.bias != nullptr ? with.bias->as<double>()[at(*with.bias)] : 0;
    const bool allowed = j < length && (!op.causal || j <= p) &&
                         (op.left_window_size < 0 || j >= p - op.left_window_size) &&
                         (op.right_window_size < 0 || j <= p + op.right_window_size) &&
                         (with.mask == nullptr || with.mask->as<bool>()[at(*with.mask)]) && added != -infinity;
    if (!allowed) continue;
    double s = 0;
    const std::size_t from_q = row(op, q.shape(), b, h, i), from_k = row(op, k.shape(), b, h / (n.Hq / n.Hk), j);
    for (std::size_t d = 0; d < static_cast<std::size_t>(n.D); ++d)
      s += q.as<double>()[from_q + d] * k.as<double>()[from_k + d];
    s *= op.scale.value_or(1 / std::sqrt(static_cast<double>(n.D)));
    if (op.softcap > 0) s = op.softcap * std::tanh(s / op.softcap);
    found[static_cast<std::size_t>(j)] = s + added;
  }
  return found;
}

AttentionCase plain(std::string name, Attention::Extents n) { return {std::move(name), n, {}}; }

}  // namespace

Tensor attention_by_definition(const Attention& op, const std::vector<Tensor>& operands) {
  const Tensor& v = operands[2];
  const auto n = op.extents(operands[0].shape(), operands[1].shape(), v.shape());
  ir::Shape shape = operands[0].shape();
  shape[3] = n.Dv;
  Tensor y({DType::f64, shape});
  for (std::int64_t b = 0; b < n.B; ++b)
    for (std::int64_t h = 0; h < n.Hq; ++h)
      for (std::int64_t i = 0; i < n.Sq; ++i) {
        const auto s = scores(op, operands, b, h, i);
        double sink = -infinity, total = 0;
        if (op.has_sinks) sink = optional(op, operands).sinks->as<double>()[static_cast<std::size_t>(h)];
        double peak = sink;
        for (const auto& score : s)
          if (score) peak = std::isnan(*score) ? *score : std::max(peak, *score);
        for (const auto& score : s)
          if (score) total += std::exp(*score - peak);
        if (sink > -infinity) total += std::exp(sink - peak);
        double* const to = &y.as<double>()[row(op, shape, b, h, i)];
        for (std::int64_t j = 0; j < n.Sk; ++j)
          if (const auto& score = s[static_cast<std::size_t>(j)])
            for (std::int64_t d = 0; d < n.Dv; ++d)
              to[d] += std::exp(*score - peak) / total *
                       v.as<double>()[row(op, v.shape(), b, h / (n.Hq / n.Hk), j) + static_cast<std::size_t>(d)];
      }
  return y;
}

std::vector<Tensor> operands_of(const AttentionCase& c, DType dtype) {
  const auto& n = c.n;
  const bool heads_first = c.op.layout == AttentionLayout::bhsd;
  const auto shape = [&](std::int64_t heads, std::int64_t length, std::int64_t width) {
    return heads_first ? ir::Shape{n.B, heads, length, width} : ir::Shape{n.B, length, heads, width};
  };
  std::vector<Tensor> operands = {filled(dtype, shape(n.Hq, n.Sq, n.D), 1), filled(dtype, shape(n.Hk, n.Sk, n.D), 2),
                                  filled(dtype, shape(n.Hk, n.Sk, n.Dv), 3)};
  if (c.op.has_mask)
    operands.push_back(testing::random_tensor({DType::boolean, c.mask}, 4,
                                              {.distribution = ir::Distribution::bernoulli, .probability = 0.65}));
  if (c.op.has_bias) {
    Tensor bias = filled(DType::f64, c.bias, 5);
    for (std::size_t e = 3; e < bias.as<double>().size(); e += 7) bias.as<double>()[e] = -infinity;
    operands.push_back(ir::convert(bias, dtype));
  }
  if (c.op.has_kv_lengths) operands.push_back(Tensor::of<std::int64_t>({n.B}, c.kv_lengths));
  if (c.op.has_sinks) {
    Tensor sinks = filled(DType::f64, {n.Hq}, 6);
    if (n.Hq > 2) sinks.as<double>()[1] = -infinity;
    operands.push_back(ir::convert(sinks, dtype));
  }
  return operands;
}

namespace {

/// Every path of the kernels by the extents alone.
std::vector<AttentionCase> cases_by_extent() {
  return {
      plain("encoder", {2, 3, 3, 37, 37, 64, 64}),
      plain("one_key", {1, 2, 2, 1, 1, 64, 64}),
      plain("decode_7", {2, 2, 2, 1, 7, 80, 80}),
      plain("decode_4097", {1, 2, 2, 1, 4097, 64, 64}),
      plain("few_queries", {2, 6, 2, 3, 1031, 72, 40}),
      plain("few_queries_of_many_heads", {1, 24, 1, 1, 700, 32, 64}),
      plain("few_queries_256_wide", {1, 3, 1, 2, 300, 256, 256}),
      plain("few_queries_192_of_v_8", {1, 5, 5, 1, 257, 192, 8}),
      plain("few_queries_8_of_v_200", {3, 4, 4, 1, 256, 8, 200}),
      plain("many_batches_of_few_queries", {70, 8, 8, 1, 259, 16, 16}),
      plain("grouped_queries", {1, 8, 2, 9, 11, 16, 16}),
      plain("one_kv_head", {2, 6, 1, 5, 33, 25, 25}),
      plain("width_1", {1, 2, 2, 5, 7, 1, 1}),
      plain("width_128", {1, 2, 1, 33, 65, 128, 128}),
      plain("width_192_of_v_130", {1, 1, 1, 34, 31, 192, 130}),
      plain("width_256", {1, 1, 1, 17, 35, 256, 256}),
      plain("v_wider", {1, 2, 2, 3, 5, 8, 40}),
      plain("many_queries", {2, 4, 2, 150, 300, 64, 64}),
      plain("width_20_of_v_36", {1, 2, 1, 70, 133, 20, 36}),
      plain("width_24_of_v_200", {1, 1, 1, 65, 140, 24, 200}),
      plain("no_keys", {2, 2, 2, 3, 0, 8, 8}),
  };
}

/// Layout, scale, soft cap, causality and windows.
std::vector<AttentionCase> cases_by_attribute() {
  return {
      {"bshd", {2, 4, 2, 35, 33, 25, 25}, {.layout = AttentionLayout::bshd}},
      {"scale", {1, 2, 2, 5, 7, 16, 16}, {.scale = 0.7}},
      {"softcap", {1, 2, 2, 5, 40, 16, 16}, {.scale = 3000, .softcap = 30}},
      {"causal", {1, 2, 2, 70, 70, 16, 16}, {.causal = true}},
      {"causal_fewer_keys", {1, 2, 2, 40, 33, 16, 16}, {.causal = true}},
      {"causal_offset", {1, 2, 2, 5, 40, 16, 16}, {.causal = true, .query_offset = 2}},
      {"causal_bshd_groups", {2, 4, 2, 37, 70, 16, 24}, {.layout = AttentionLayout::bshd, .causal = true}},
      {"sliding_window", {1, 2, 2, 70, 70, 16, 16}, {.causal = true, .left_window_size = 5}},
      {"both_windows", {1, 2, 2, 70, 90, 16, 16}, {.left_window_size = 3, .right_window_size = 2, .query_offset = 0}},
      {"window_beyond_the_keys", {1, 2, 2, 150, 20, 16, 16}, {.left_window_size = 3, .query_offset = 0}},
      {"window_of_0", {1, 1, 1, 9, 9, 4, 4}, {.left_window_size = 0, .right_window_size = 0}},
      {"many_causal", {1, 4, 2, 200, 333, 32, 32}, {.causal = true}},
      {"many_in_windows",
       {1, 2, 2, 300, 300, 16, 20},
       {.layout = AttentionLayout::bshd, .softcap = 3, .left_window_size = 90, .right_window_size = 5}},
      {"many_hidden",
       {2, 4, 2, 90, 270, 16, 16},
       {.causal = true, .has_mask = true, .has_bias = true, .has_kv_lengths = true},
       {2, 1, 1, 270},
       {90, 270},
       {270, 131}},
  };
}

/// Few queries, masks, biases and lengths, and all of them together.
std::vector<AttentionCase> cases_of_few_queries_and_masks() {
  return {
      {"few_queries_causal", {2, 4, 2, 5, 777, 64, 64}, {.causal = true}},
      {"few_queries_first_keys", {1, 4, 2, 5, 777, 64, 64}, {.causal = true, .query_offset = 2}},
      {"few_queries_in_a_window", {1, 2, 1, 2, 2000, 64, 64}, {.causal = true, .left_window_size = 70}},
      {"few_queries_masked", {2, 4, 2, 1, 1000, 64, 64}, {.has_mask = true}, {2, 1, 1, 1000}},
      {"few_queries_of_some_lengths",
       {5, 4, 2, 1, 600, 40, 24},
       {.has_kv_lengths = true},
       {},
       {},
       {0, 600, 1, 333, -4}},
      {"few_queries_and_everything",
       {2, 8, 2, 3, 901, 24, 40},
       {.layout = AttentionLayout::bshd,
        .scale = 0.5,
        .softcap = 4,
        .causal = true,
        .left_window_size = 800,
        .has_mask = true,
        .has_bias = true,
        .has_kv_lengths = true},
       {8, 1, 901},
       {2, 1, 3, 1},
       {901, 333}},
      {"far_offset", {1, 1, 1, 9, 9, 4, 4}, {.causal = true, .query_offset = std::int64_t{1} << 62}},
      {"negative_offset", {1, 1, 1, 9, 9, 4, 4}, {.causal = true, .query_offset = -4}},
      {"key_padding", {3, 2, 2, 5, 41, 16, 16}, {.has_mask = true}, {3, 1, 1, 41}},
      {"mask_of_all", {1, 2, 2, 5, 41, 16, 16}, {.has_mask = true}, {1, 1, 1, 41}},
      {"mask_by_query", {2, 2, 2, 35, 41, 16, 16}, {.has_mask = true}, {2, 1, 35, 41}},
      {"bias", {2, 2, 2, 5, 41, 16, 16}, {.has_bias = true}, {}, {2, 5, 41}},
      {"bias_of_all", {1, 2, 2, 5, 41, 16, 16}, {.has_bias = true}, {}, {1}},
      {"lengths", {4, 2, 2, 3, 40, 16, 16}, {.has_kv_lengths = true}, {}, {}, {0, 40, 1, 99}},
      {"lengths_causal", {3, 2, 2, 3, 40, 16, 16}, {.causal = true, .has_kv_lengths = true}, {}, {}, {-7, 33, 2}},
      {"everything",
       {2, 4, 2, 35, 45, 24, 20},
       {.layout = AttentionLayout::bshd,
        .scale = 0.5,
        .softcap = 4,
        .causal = true,
        .left_window_size = 17,
        .has_mask = true,
        .has_bias = true,
        .has_kv_lengths = true},
       {4, 1, 45},
       {2, 1, 35, 1},
       {45, 38}},
  };
}

/// Sinks by every kernel that takes them, and heads as wide as those of latent attention.
std::vector<AttentionCase> cases_of_sinks() {
  return {
      {"sinks", {2, 6, 2, 5, 41, 25, 17}, {.has_sinks = true}},
      {"sink_of_one_key", {1, 1, 1, 1, 1, 1, 1}, {.has_sinks = true}},
      {"sinks_of_no_keys", {1, 2, 2, 3, 0, 8, 8}, {.has_sinks = true}},
      {"sinks_of_many_queries",
       {1, 4, 2, 70, 133, 24, 40},
       {.causal = true, .query_offset = -9, .has_mask = true, .has_sinks = true},
       {1, 1, 1, 133}},
      {"sinks_of_few_queries",
       {3, 6, 2, 3, 777, 24, 40},
       {.layout = AttentionLayout::bshd, .softcap = 4, .causal = true, .has_kv_lengths = true, .has_sinks = true},
       {},
       {},
       {777, 0, 130}},
      plain("width_576_of_v_512", {1, 2, 1, 3, 7, 576, 512}),
  };
}

}  // namespace

std::vector<AttentionCase> attention_cases() {
  std::vector<AttentionCase> all;
  for (const auto& some : {cases_by_extent(), cases_by_attribute(), cases_of_few_queries_and_masks(), cases_of_sinks()})
    all.insert(all.end(), some.begin(), some.end());
  return all;
}

void PrintTo(const AttentionCase& c, std::ostream* out) { *out << c.name; }

}  // namespace plumb::tests
