// Definitions of grouped-query attention over sequences of different lengths, whose keys follow each other (ragged) or
// lie in pages (paged): a graph with one attention for each sequence.
#include "ir/ops/attention.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "ir/ops/binary.hpp"
#include "ir/ops/compare.hpp"
#include "ir/ops/concat.hpp"
#include "ir/ops/einsum.hpp"
#include "ir/ops/expand.hpp"
#include "ir/ops/gather.hpp"
#include "ir/ops/reduce.hpp"
#include "ir/ops/slice.hpp"
#include "ir/ops/where.hpp"
#include "parity/check/flashinfer/problem.hpp"
#include "parity/check/flashinfer/sequences.hpp"

namespace plumb::parity::check::flashinfer {
namespace {

using ir::DType;
using ir::Shape;
using ir::Value;

constexpr std::size_t most_sequences = 256;

class Attentions {
 public:
  explicit Attentions(Builder& builder)
      : builder_(builder),
        is_paged_(builder.has_input("k_cache")),
        q_(builder.value("q")),
        k_(builder.value(is_paged_ ? "k_cache" : "k")),
        v_(builder.value(is_paged_ ? "v_cache" : "v")),
        scale_(builder.number("sm_scale")) {
    const Shape q = builder.shape("q", 3), k = builder.shape(is_paged_ ? "k_cache" : "k", is_paged_ ? 4 : 3);
    heads_ = q[1];
    dim_ = q[2];
    key_heads_ = k[k.size() - 2];
    if (key_heads_ < 1 || heads_ % key_heads_ != 0)
      ir::fail(builder.definition().name, ": ", key_heads_, " heads of keys must divide ", heads_, " of queries");
  }

  void add(const Sequence& sequence, bool is_causal) {
    if (sequence.queries == 0) return;
    if (sequence.keys == 0) return add_nothing(sequence.queries);
    const Value q = rows(q_, sequence.first_query, sequence.queries);
    const Value k = keys(k_, sequence), v = keys(v_, sequence);
    outputs_.push_back(output(sequence, q, k, v, is_causal));
    if (builder_.has_output("lse")) logarithms_.push_back(logarithm(sequence, q, k, is_causal));
  }

  void finish() {
    if (outputs_.empty()) refuse(builder_.definition(), "the workload has no query");
    builder_.result("output", ir::ops::Concat{.axis = 0}, outputs_);
    if (!builder_.has_output("lse")) return;
    const Value joined = builder_.add("lse.natural", ir::ops::Concat{.axis = 0}, logarithms_);
    builder_.result("lse", ir::ops::Binary{ir::ops::BinaryFunction::multiply},
                    {joined, builder_.constant(std::numbers::log2e)});
  }

 private:
  Value rows(Value x, std::int64_t first, std::int64_t count) {
    return builder_.add("rows", ir::ops::Slice{.axes = {0}, .starts = {first}, .sizes = {count}, .steps = {}}, {x});
  }

  /// The keys, or values, of a sequence: [S, Hk, D].
  Value keys(Value x, const Sequence& sequence) {
    if (!is_paged_) return rows(x, sequence.first_key, sequence.keys);
    const Shape cache = builder_.type(x).shape;
    const Value pages = builder_.add("pages", ir::ops::Gather{.axis = 0}, {x, builder_.constant(sequence.pages)});
    const auto count = static_cast<std::int64_t>(sequence.pages.size()) * cache[1];
    const Value all = builder_.reshape(pages, {count, cache[2], cache[3]});
    return count == sequence.keys ? all : rows(all, 0, sequence.keys);
  }

  /// Sequences without keys give zeros, and the logarithm of nothing.
  void add_nothing(std::int64_t queries) {
    const auto expanded = [&](double number, DType dtype, std::vector<std::int64_t> shape) {
      return builder_.add("nothing", ir::ops::Expand{std::move(shape)}, {builder_.constant(number, dtype)});
    };
    outputs_.push_back(expanded(0, builder_.type(q_).dtype, {queries, heads_, dim_}));
    if (builder_.has_output("lse"))
      logarithms_.push_back(expanded(-std::numeric_limits<double>::infinity(), DType::f32, {queries, heads_}));
  }

  Value output(const Sequence& sequence, Value q, Value k, Value v, bool is_causal) {
    const Value y = builder_.add(
        "attended", ir::ops::Attention{.layout = ir::ops::AttentionLayout::bshd, .scale = scale_, .causal = is_causal},
        {builder_.reshape(q, {1, sequence.queries, heads_, dim_}),
         builder_.reshape(k, {1, sequence.keys, key_heads_, dim_}),
         builder_.reshape(v, {1, sequence.keys, key_heads_, dim_})});
    return builder_.reshape(y, {sequence.queries, heads_, dim_});
  }

  /// log Σ exp of the scores of a sequence, in f32: [queries, heads].
  Value logarithm(const Sequence& sequence, Value q, Value k, bool is_causal) {
    const Value grouped = builder_.reshape(q, {sequence.queries, key_heads_, heads_ / key_heads_, dim_});
    const Value products = builder_.add("products", ir::ops::Einsum{.equation = "qhgd,khd->qhgk"},
                                        {builder_.cast(grouped, DType::f32), builder_.cast(k, DType::f32)});
    Value scores = builder_.add("scores", ir::ops::Binary{ir::ops::BinaryFunction::multiply},
                                {products, builder_.constant(scale_)});
    if (is_causal && sequence.queries > 1) {
      std::vector<std::int64_t> last, all;
      for (std::int64_t i = 0; i < sequence.queries; ++i) last.push_back(sequence.keys - sequence.queries + i);
      for (std::int64_t j = 0; j < sequence.keys; ++j) all.push_back(j);
      const Value sees = builder_.add("sees", ir::ops::Compare{ir::ops::Comparison::greater_equal},
                                      {builder_.constant(last, {sequence.queries, 1, 1, 1}), builder_.constant(all)});
      scores = builder_.add("seen", ir::ops::Where{},
                            {sees, scores, builder_.constant(-std::numeric_limits<double>::infinity())});
    }
    const Value sums = builder_.add(
        "logarithms",
        ir::ops::Reduce{.function = ir::ops::ReduceFunction::log_sum_exp, .axes = {-1}, .keep_dims = false}, {scores});
    return builder_.reshape(sums, {sequence.queries, heads_});
  }

  Builder& builder_;
  const bool is_paged_;
  const Value q_, k_, v_;
  const double scale_;
  std::int64_t heads_ = 0, dim_ = 0, key_heads_ = 0;
  std::vector<Value> outputs_, logarithms_;
};

/// Whether a query sees no later key: the definition's name says so, or --attr. With one query each there is no
/// difference.
bool is_causal(const Builder& builder) {
  const auto given = builder.constants().truth("causal");
  if (given) return *given;
  if (!builder.has_input("qo_indptr")) return false;
  if (builder.definition().name.find("causal") == std::string::npos)
    refuse(builder.definition(), "its name does not say causal; say --attr causal=true or false");
  return true;
}

}  // namespace

void build_attention(Builder& builder) {
  std::vector<std::string> inputs = {"q", "kv_indptr", "sm_scale"};
  const bool is_paged = builder.definition().op_type == "gqa_paged";
  for (const char* const name : {"qo_indptr", "kv_last_page_len"})
    if (builder.has_input(name)) inputs.emplace_back(name);
  if (is_paged)
    inputs.insert(inputs.end(), {"k_cache", "v_cache", "kv_indices"});
  else
    inputs.insert(inputs.end(), {"k", "v"});
  builder.expect(inputs, {"output"}, {"lse"});
  const std::string reference = without_spaces(builder.definition().reference);
  const bool is_base_2 = reference.find("log(2") != reference.npos || reference.find("log2") != reference.npos;
  if (builder.has_output("lse") && !is_base_2)
    refuse(builder.definition(), "its reference does not divide lse by log(2.0); built in is a logarithm to base 2");
  const std::vector<Sequence> sequences = read_sequences(builder);
  if (sequences.size() > most_sequences)
    refuse(builder.definition(),
           ir::cat("the workload has ", sequences.size(), " sequences; at most ", most_sequences, " are judged"));
  const bool causal = is_causal(builder);
  Attentions attentions(builder);
  for (std::size_t k = 0; k < sequences.size(); ++k) {
    const Sequence& sequence = sequences[k];
    if (causal && sequence.keys > 0 && sequence.queries > sequence.keys)
      refuse(builder.definition(), ir::cat("sequence ", k, " has ", sequence.queries, " queries and ", sequence.keys,
                                           " keys, so that a query sees none, of which the reference makes NaN"));
    attentions.add(sequence, causal);
  }
  attentions.finish();
}

VarAxes attention_axes(const Definition& definition, std::int64_t sequences) {
  VarAxes axes;
  const auto set = [&](std::string_view input, std::size_t axis, std::int64_t extent) {
    const TensorSpec* const spec = definition.input(input);
    if (spec == nullptr || spec->is_scalar() || axis >= spec->axes->size()) return;
    const Axis& named = *definition.axis((*spec->axes)[axis]);
    if (!named.extent) axes.emplace(named.name, extent);
  };
  const bool is_prefill = definition.input("qo_indptr") != nullptr;
  set("kv_indptr", 0, sequences + 1);
  set("q", 0, is_prefill ? 4 * sequences + 1 : sequences);
  set("k", 0, 9 * sequences + 2);
  set("kv_indices", 0, 9 * sequences + 2);
  set("k_cache", 0, 9 * sequences + 5);
  set("kv_last_page_len", 0, sequences);
  for (const Axis& axis : definition.axes)
    if (!axis.extent) axes.emplace(axis.name, 16);
  return axes;
}

}  // namespace plumb::parity::check::flashinfer
