// Attention as a profile says that a device adds it: an online softmax over blocks of keys.
// Optimised: it loops over elements or terms.
#include "parity/profile/attention.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "parity/core/float_format.hpp"
#include "parity/core/parallel.hpp"
#include "parity/element/terms/attention_row.hpp"
#include "parity/profile/many_products.hpp"
#include "parity/profile/running_sum.hpp"

namespace plumb::parity::profile {
namespace {

using ir::ops::Attention;
using Prepared = ProductEmulator::Prepared;

constexpr float minus_infinity = -std::numeric_limits<float>::infinity();
constexpr auto width = static_cast<std::int64_t>(ProductEmulator::at_once);

std::size_t at(std::int64_t index) { return static_cast<std::size_t>(index); }

/// How weights go into the product with values: as they are or, by a matrix unit, in as many parts as they have of its
/// operands' bits, each run of `run` keys once for every part.
struct Parts {
  std::int64_t count = 1, run = 1;
  int bits = 24;
  float scale = 1;  ///< that keeps the parts of weights normal numbers; no record has the kernel's own

  /// Terms before the keys', of which the first is what was added before: as many as the unit takes at once.
  std::int64_t lead = 0;

  std::int64_t terms(std::int64_t keys) const { return lead + (keys + run - 1) / run * run * count; }
  std::int64_t place(std::int64_t key, std::int64_t part) const {
    return lead + (key / run * count + part) * run + key % run;
  }
  /// Writes the parts of the weight of a key.
  void write(float weight, std::int64_t key, std::vector<float>& row) const {
    for (std::int64_t part = 0; part < count; ++part) {
      const bool is_last = part + 1 == count;
      const std::uint32_t mask = is_last ? ~0U : ~0U << static_cast<unsigned>(24 - bits);
      const float taken = std::bit_cast<float>(std::bit_cast<std::uint32_t>(weight) & mask);
      row[at(place(key, part))] = taken;
      weight -= taken;
    }
  }
};

/// A kernel's three sums, ready to be made.
struct Emulators {
  ProductEmulator scores, values;
  RunningSum row_sum;
  std::int64_t block;  ///< keys
  bool is_apart;       ///< a block's terms of the values are added up before they meet the sum of earlier blocks
  Parts parts;
};

std::optional<Products> products_for(const ir::Sum& sum, ir::DType dtype, const DeviceProfile& profile, bool fused) {
  if (sum.accumulator != ir::DType::f32) return std::nullopt;
  if (sum.unit != ir::SumUnit::matrix)
    return plain_products(sum.unit == ir::SumUnit::either ? fused : sum.unit == ir::SumUnit::fma,
                          profile.subnormals_of(ir::DType::f32).out);
  const Products products = profile.products_of(sum, dtype);
  return products.is_known() ? std::optional(products) : std::nullopt;
}

std::optional<Parts> parts_of(const ir::Sum& values, ir::DType dtype, bool is_apart) {
  if (values.unit != ir::SumUnit::matrix)
    return values.order == "contract" ? std::optional(Parts{.lead = is_apart ? 0 : 1}) : std::nullopt;
  const std::int64_t run = values.levels.empty() ? 0 : values.levels[0].count;
  if (values.order != "in_parts" || run <= 0) return std::nullopt;
  const int bits = core::float_format(dtype).fraction_bits + 1;
  return Parts{.count = (24 + bits - 1) / bits, .run = run, .bits = bits, .scale = 0x1p10F, .lead = run};
}

std::optional<Emulators> emulators_of(const DeviceProfile& profile, std::span<const ir::Sum> sums, ir::DType dtype,
                                      std::int64_t width_of_head, bool fused) {
  if (sums.size() != 3 || sums[0].of != ir::SumName::scores || sums[1].of != ir::SumName::row_sum ||
      sums[2].of != ir::SumName::values)
    return std::nullopt;
  const std::int64_t block = sums[2].rescale;
  ir::Sum in_order = sums[2];
  in_order.order = "contract";
  if (block <= 0 || !is_replayable(sums[0], width_of_head) || !is_replayable(in_order, block)) return std::nullopt;
  const bool is_apart = sums[2].unit != ir::SumUnit::matrix && sums[2].levels[0].count == block;
  if (sums[2].levels.size() != (is_apart || sums[2].unit == ir::SumUnit::matrix ? 2 : 1)) return std::nullopt;
  const auto parts = parts_of(sums[2], dtype, is_apart);
  const auto of_scores = products_for(sums[0], dtype, profile, fused);
  const auto of_values = products_for(sums[2], dtype, profile, fused);
  const auto row_sum = RunningSum::of(sums[1], block, profile.subnormals_of(ir::DType::f32).out);
  if (!parts || !of_scores || !of_values || !row_sum) return std::nullopt;
  return Emulators{.scores = {*of_scores, sums[0].levels},
                   .values = {*of_values, one_chain()},
                   .row_sum = *row_sum,
                   .block = block,
                   .is_apart = is_apart,
                   .parts = *parts};
}

/// The values of a head as columns of the products with each block of weights.
class Values {
 public:
  Values(const Emulators& by, const element::terms::AttentionRow& any, std::int64_t keys, std::int64_t columns)
      : columns_(columns) {
    for (std::int64_t from = 0; from < keys; from += by.block) {
      const std::int64_t count = std::min(by.block, keys - from), terms = by.parts.terms(count);
      std::vector<float> lines(at(columns * terms), 0.0F);
      for (std::int64_t key = 0; key < count; ++key)
        for (std::int64_t d = 0; d < columns; ++d)
          for (std::int64_t part = 0; part < by.parts.count; ++part)
            lines[at(d * terms + by.parts.place(key, part))] = static_cast<float>(any.value(from + key, d));
      blocks_.push_back({terms, std::move(lines), {}});
      for (std::int64_t d = 0; d < columns; d += width) {
        std::vector<std::span<const float>> met;
        for (std::int64_t c = d; c < std::min(d + width, columns); ++c) met.push_back(line(blocks_.size() - 1, c));
        blocks_.back().prepared.push_back(by.values.prepared(met, true));
      }
    }
  }

  std::span<const float> line(std::size_t block, std::int64_t column) const {
    const Block& of = blocks_[block];
    return std::span(of.lines).subspan(at(column * of.terms), at(of.terms));
  }
  const Prepared& prepared(std::size_t block, std::int64_t column) const {
    return blocks_[block].prepared[at(column / width)];
  }
  std::int64_t columns() const { return columns_; }

 private:
  struct Block {
    std::int64_t terms;
    std::vector<float> lines;
    std::vector<Prepared> prepared;
  };
  std::int64_t columns_;
  std::vector<Block> blocks_;
};

/// One query on its way through the blocks of keys.
class Query {
 public:
  Query(const Emulators& by, const Values& values)
      : by_(by), values_(values), row_sum_(by.row_sum), found_(at(values.columns()), 0.0F) {}

  /// `scores` of one block, which `is_seen` says of which keys they are.
  void take(std::size_t block, std::span<const float> scores, const std::vector<bool>& is_seen) {
    float most = minus_infinity;
    bool sees_any = false;
    for (std::size_t j = 0; j < scores.size(); ++j)
      if (is_seen[j]) {
        sees_any = true;
        most = std::isnan(most) || !(scores[j] < most) ? scores[j] : most;
      }
    if (!sees_any) return;
    const float top = std::isnan(most) || most > top_ ? most : top_, from = top == minus_infinity ? 0.0F : top;
    const float rescale = std::exp(top_ - from);
    top_ = top;
    for (float& x : found_) x = by_.values.kept(x * rescale);
    std::vector<float> weights(scores.size(), 0.0F);
    for (std::size_t j = 0; j < scores.size(); ++j)
      if (is_seen[j]) weights[j] = by_.values.kept(by_.parts.scale * std::exp(scores[j] - from));
    row_sum_.take(rescale, weights);
    add_values(block, weights, is_seen);
  }

  /// A sink, which is -inf where there is none, comes behind all keys.
  void write(std::span<float> y, float sink) const {
    float total = row_sum_.total(), rescale = 1;
    if (sink != minus_infinity) {
      const float top = sink > top_ ? sink : top_;
      rescale = std::exp(top_ - top);
      total = by_.values.kept(by_.values.kept(total * rescale) + by_.parts.scale * std::exp(sink - top));
    }
    for (std::size_t d = 0; d < y.size(); ++d) y[d] = by_.values.kept(by_.values.kept(found_[d] * rescale) / total);
  }

 private:
  void add_values(std::size_t block, const std::vector<float>& weights, const std::vector<bool>& is_seen) {
    const auto keys = static_cast<std::int64_t>(weights.size());
    std::vector<float> row(at(by_.parts.terms(keys)), 0.0F);
    if (by_.parts.lead > 0) row[0] = 1;
    for (std::int64_t j = 0; j < keys; ++j) by_.parts.write(weights[at(j)], j, row);
    const std::span<const float> line = row;
    const auto prepared = by_.values.makes_many() ? by_.values.prepared({&line, 1}, false) : Prepared{};
    for (std::int64_t d = 0; d < values_.columns(); d += width) {
      const auto before = std::span(found_).subspan(at(d), at(std::min(width, values_.columns() - d)));
      ProductEmulator::Sums sums;
      sums.overflowed.fill(true);
      if (by_.values.makes_many() && by_.parts.lead > 0) {
        Prepared columns = values_.prepared(block, d);
        by_.values.set_term(columns, 0, before);
        by_.values.dots(prepared, columns, sums);
      } else if (by_.values.makes_many()) {
        by_.values.dots(prepared, values_.prepared(block, d), sums);
      }
      for (std::size_t c = 0; c < before.size(); ++c) {
        const bool is_alone = sums.overflowed[c] || !values_.prepared(block, d).is_finite[c];
        const float sum = is_alone ? alone(block, d + static_cast<std::int64_t>(c), row, is_seen) : sums.sums[c];
        before[c] = by_.is_apart ? by_.values.kept(before[c] + sum) : sum;
      }
    }
  }

  /// One column, in which values of keys that are not seen have no influence, infinite or not.
  float alone(std::size_t block, std::int64_t column, const std::vector<float>& row,
              const std::vector<bool>& is_seen) const {
    const std::span<const float> line = values_.line(block, column);
    std::vector<float> met(line.begin(), line.end());
    if (by_.parts.lead > 0) met[0] = found_[at(column)];
    for (std::size_t j = 0; j < is_seen.size(); ++j)
      for (std::int64_t part = 0; part < by_.parts.count && !is_seen[j]; ++part)
        met[at(by_.parts.place(static_cast<std::int64_t>(j), part))] = 0;
    return by_.values.dot(row, met);
  }

  const Emulators& by_;
  const Values& values_;
  RunningSum row_sum_;
  std::vector<float> found_;
  float top_ = minus_infinity;
};

/// All heads of an attention.
class Heads {
 public:
  Heads(const Attention& op, std::span<const ir::TensorView> inputs, const Emulators& by) : op_(op), by_(by) {
    for (const ir::TensorView& input : inputs) wide_.push_back(ir::convert(input, ir::DType::f64));
    for (const ir::Tensor& x : wide_) operands_.push_back({x.as<double>(), x.shape()});
    n_ = op.extents(inputs[0].shape(), inputs[1].shape(), inputs[2].shape());
  }

  void run(ir::Tensor& y) const {
    for (std::int64_t head = 0; head < n_.B * n_.Hq; ++head) run_head(head, y);
  }

 private:
  element::terms::AttentionRow row(std::int64_t head, std::int64_t query) const {
    return {op_, operands_, head * n_.Sq + query};
  }

  void run_head(std::int64_t head, ir::Tensor& y) const {
    std::vector<float> products(at(n_.Sq * n_.Sk));
    const auto write = [](std::span<const double> numbers, float* to) {
      for (std::size_t d = 0; d < numbers.size(); ++d) to[d] = static_cast<float>(numbers[d]);
    };
    const element::terms::AttentionRow any = row(head, 0);
    const Lines queries{n_.Sq, n_.D, [&](std::int64_t first, std::int64_t count, float* to) {
                          for (std::int64_t i = 0; i < count; ++i) write(row(head, first + i).query(), to + i * n_.D);
                        }};
    const Lines keys{n_.Sk, n_.D, [&](std::int64_t first, std::int64_t count, float* to) {
                       for (std::int64_t j = 0; j < count; ++j) write(any.key(first + j), to + j * n_.D);
                     }};
    multiply(by_.scores, queries, keys, products);
    const Values values(by_, any, n_.Sk, n_.Dv);
    core::for_each_piece(at(n_.Sq), core::workers_for(at(n_.Sq)), [&](std::size_t i, std::size_t) {
      const auto query = static_cast<std::int64_t>(i);
      run_query(row(head, query), std::span(products).subspan(i * at(n_.Sk), at(n_.Sk)), values,
                y.as<float>().subspan(at(line_of_y(head, query) * n_.Dv), at(n_.Dv)));
    });
  }

  std::int64_t line_of_y(std::int64_t head, std::int64_t query) const {
    if (op_.layout == ir::ops::AttentionLayout::bhsd) return head * n_.Sq + query;
    return (head / n_.Hq * n_.Sq + query) * n_.Hq + head % n_.Hq;
  }

  /// Products become scores in place.
  void run_query(const element::terms::AttentionRow& row, std::span<float> scores, const Values& values,
                 std::span<float> y) const {
    const std::vector<std::int64_t> seen = row.keys();
    if (seen.empty()) return;  // zeros, as y is
    std::vector<bool> is_seen(at(n_.Sk), false);
    const auto scale = static_cast<float>(row.scale()), cap = static_cast<float>(op_.softcap);
    for (const std::int64_t j : seen) {
      is_seen[at(j)] = true;
      float score = by_.scores.kept(scale * scores[at(j)]);
      if (cap > 0) score = cap * std::tanh(score / cap);
      scores[at(j)] = op_.has_bias ? by_.scores.kept(score + static_cast<float>(row.bias(j))) : score;
    }
    Query query(by_, values);
    for (std::int64_t from = 0; from < n_.Sk; from += by_.block) {
      const std::int64_t count = std::min(by_.block, n_.Sk - from);
      query.take(at(from / by_.block), scores.subspan(at(from), at(count)),
                 {is_seen.begin() + from, is_seen.begin() + from + count});
    }
    query.write(y, static_cast<float>(row.sink()));
  }

  const Attention& op_;
  const Emulators& by_;
  std::vector<ir::Tensor> wide_;
  std::vector<element::terms::Operand> operands_;
  Attention::Extents n_;
};

}  // namespace

std::optional<ir::Tensor> attention(const Attention& op, std::span<const ir::TensorView> inputs, const ir::Shape& y,
                                    const DeviceProfile& profile, std::span<const ir::Sum> sums, bool fused) {
  const ir::DType dtype = inputs[0].dtype();
  if (dtype == ir::DType::f64) return std::nullopt;
  const auto emulators = emulators_of(profile, sums, dtype, inputs[0].shape()[3], fused);
  if (!emulators) return std::nullopt;
  ir::Tensor result({ir::DType::f32, y});
  if (y.elements() > 0) Heads(op, inputs, *emulators).run(result);
  return result;
}

}  // namespace plumb::parity::profile
