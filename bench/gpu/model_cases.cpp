// Whole graphs: a BERT encoder, and small graphs in which the host's part of a run counts.

#include <cmath>

#include "bench/gpu/case.hpp"
#include "ir/cost.hpp"
#include "ir/ops/attention.hpp"
#include "ir/ops/binary.hpp"
#include "ir/ops/gather.hpp"
#include "ir/ops/layer_norm.hpp"
#include "ir/ops/matmul.hpp"
#include "ir/ops/reshape.hpp"
#include "ir/ops/slice.hpp"
#include "ir/ops/softmax.hpp"
#include "ir/ops/tensor_scatter.hpp"
#include "ir/ops/transpose.hpp"
#include "ir/ops/unary.hpp"

namespace plumb::bench {
namespace {

using namespace ir::ops;
using ir::DType;
using ir::Value;

struct EncoderSize {
  std::int64_t layers, width, heads, hidden, batch, length, vocabulary;
};

/// BERT (Devlin et al. 2019) without padding and pooler: embeddings of words and positions,
/// post-norm layers; the result is the first token of every sequence. All tensors but the
/// token ids have one dtype.
class Encoder {
 public:
  Encoder(std::string name, Measure measure, DType dtype, const EncoderSize& size)
      : made_{.name = std::move(name), .measure = measure, .fuse = true}, dtype_(dtype), size_(size) {}

  Case make() {
    const Value ids = made_.graph.input("ids", {DType::i32, {size_.batch, size_.length}});
    made_.fills["ids"] = {
        .distribution = ir::Distribution::uniform_int, .low = 0, .high = static_cast<double>(size_.vocabulary)};
    declare_params();
    Value x = add("words", Gather{}, {param("words.table"), ids});
    x = norm("embeddings", binary("embeddings", BinaryFunction::add, x, param("positions.table")));
    for (std::int64_t i = 0; i < size_.layers; ++i) x = layer(ir::cat("layer", i), x);
    made_.graph.returns(add("first", Slice{{1}, {0}, {1}, {}}, {x}));
    for (const ir::Node& node : made_.graph.nodes()) {
      const ir::Cost cost = ir::cost_of(made_.graph, node);
      const bool product = node.op.is<Matmul>() || node.op.is<Attention>();
      if (product && made_.measure != Measure::overhead) made_.flops += cost.flops;
    }
    return std::move(made_);
  }

 private:
  void declare(std::string name, ir::Shape shape, ir::Fill fill) {
    made_.graph.param(name, {dtype_, std::move(shape)});
    made_.fills[std::move(name)] = fill;
  }
  void declare_linear(const std::string& name, std::int64_t in, std::int64_t out) {
    declare(name + ".weight", {in, out}, {.scale = 1 / std::sqrt(static_cast<double>(in))});
    declare(name + ".bias", {out}, {.scale = 0.02});
  }
  void declare_norm(const std::string& name) {
    declare(name + ".norm.scale", {size_.width}, {.mean = 1, .scale = 0.1});
    declare(name + ".norm.bias", {size_.width}, {.scale = 0.02});
  }
  void declare_params() {
    declare("words.table", {size_.vocabulary, size_.width}, {});
    declare("positions.table", {size_.length, size_.width}, {});
    declare_norm("embeddings");
    for (std::int64_t i = 0; i < size_.layers; ++i) {
      const auto name = ir::cat("layer", i);
      for (const char* part : {".q", ".k", ".v", ".out"}) declare_linear(name + part, size_.width, size_.width);
      declare_norm(name + ".attention");
      declare_linear(name + ".up", size_.width, size_.hidden);
      declare_linear(name + ".down", size_.hidden, size_.width);
      declare_norm(name + ".ff");
    }
  }

  Value param(const std::string& name) const { return *made_.graph.find(name); }
  Value add(std::string label, ir::Op op, std::vector<Value> inputs) {
    return made_.graph.add(std::move(label), std::move(op), std::move(inputs));
  }
  Value binary(const std::string& label, BinaryFunction function, Value a, Value b) {
    return add(label + "/" + std::string(ir::enum_name(function)), Binary{function}, {a, b});
  }
  Value linear(const std::string& name, Value x) {
    return binary(name, BinaryFunction::add, add(name + "/product", Matmul{}, {x, param(name + ".weight")}),
                  param(name + ".bias"));
  }
  Value norm(const std::string& name, Value x) {
    return add(name + "/norm", LayerNorm{.epsilon = 1e-12},
               {x, param(name + ".norm.scale"), param(name + ".norm.bias")});
  }
  Value heads(const std::string& name, Value x) {
    const Value split =
        add(name + "/split", Reshape{{size_.batch, size_.length, size_.heads, size_.width / size_.heads}},
            {linear(name, x)});
    return add(name + "/heads", Transpose{{0, 2, 1, 3}}, {split});
  }
  Value layer(const std::string& name, Value x) {
    const Value attended =
        add(name + "/attention", Attention{}, {heads(name + ".q", x), heads(name + ".k", x), heads(name + ".v", x)});
    const Value merged = add(name + "/merged", Transpose{{0, 2, 1, 3}}, {attended});
    const Value joined = add(name + "/joined", Reshape{{size_.batch, size_.length, size_.width}}, {merged});
    x = norm(name + ".attention", binary(name + ".attention", BinaryFunction::add, x, linear(name + ".out", joined)));
    const Value hidden = add(name + "/gelu", Unary{UnaryFunction::gelu}, {linear(name + ".up", x)});
    return norm(name + ".ff", binary(name + ".ff", BinaryFunction::add, x, linear(name + ".down", hidden)));
  }

  Case made_;
  DType dtype_;
  EncoderSize size_;
};

/// softmax(gelu(x + b)): x lies on the device already, or is fed on every run.
Case three_nodes(std::string name, Measure measure, bool fed) {
  Case made{.name = std::move(name), .measure = measure, .fuse = true};
  const ir::TensorType type = {DType::f32, {8, 128}};
  const Value x = fed ? made.graph.input("x", type) : made.graph.param("x", type);
  const Value shifted = made.graph.add("shifted", Binary{BinaryFunction::add}, {x, made.graph.param("b", type)});
  const Value active = made.graph.add("active", Unary{UnaryFunction::gelu}, {shifted});
  made.graph.returns(made.graph.add("y", Softmax{}, {active}));
  return made;
}

/// Rows of every head go into a cache that stays on the device, one after the other: what n take more than one is the
/// device's alone.
Case appended_rows(std::string name, std::int64_t places, int n) {
  Case made{.name = std::move(name), .measure = Measure::resident, .is_in_place = true};
  const std::int64_t heads = 64, width = 128;
  Value cache = made.graph.input("cache", {DType::f16, {1, heads, places, width}});
  const Value row = made.graph.input("row", {DType::f16, {1, heads, 1, width}});
  const Value at = made.graph.input("at", {DType::i64, {1}});
  made.fills["at"] = {.distribution = ir::Distribution::uniform_int, .low = 0, .high = static_cast<double>(places)};
  for (int k = 0; k < n; ++k)
    cache = made.graph.add(ir::cat("y", k), TensorScatter{.has_write_indices = true}, {cache, row, at});
  made.graph.returns(cache);
  return made;
}

/// A token attends to the `used` rows of a cache, to which its own is appended: rows that are not in use cost nothing.
Case decode_step(std::string name, std::int64_t places, std::int64_t used) {
  Case made{.name = std::move(name), .measure = Measure::resident, .is_in_place = true};
  const std::int64_t heads = 8, width = 128;
  const Value cache = made.graph.input("cache", {DType::f16, {1, heads, places, width}});
  const Value row = made.graph.input("row", {DType::f16, {1, heads, 1, width}});
  const Value at = made.graph.input("at", {DType::i64, {1}}), lengths = made.graph.input("lengths", {DType::i64, {1}});
  const Value q = made.graph.input("q", {DType::f16, {1, 4 * heads, 1, width}});
  const auto always = [&](const char* input, std::int64_t value) {
    made.fills[input] = {.distribution = ir::Distribution::uniform_int,
                         .low = static_cast<double>(value),
                         .high = static_cast<double>(value + 1)};
  };
  always("at", used - 1);
  always("lengths", used);
  const Value written = made.graph.add("written", TensorScatter{.has_write_indices = true}, {cache, row, at});
  const Value y = made.graph.add("y", Attention{.has_kv_lengths = true}, {q, written, written, lengths});
  made.graph.returns(written);
  made.graph.returns(y);
  return made;
}

}  // namespace

std::vector<Case> model_cases(Scale scale) {
  const EncoderSize tiny = {2, 128, 2, 512, 1, 128, 1000}, base = scale == Scale::full
                                                                      ? EncoderSize{12, 768, 12, 3072, 8, 512, 30522}
                                                                      : EncoderSize{2, 64, 2, 128, 2, 24, 100};
  std::vector<Case> cases;
  for (const DType dtype : {DType::f16, DType::f32}) {
    const auto name = ir::cat("bert_base_", dtype, "_8x512");
    cases.push_back(Encoder(name, Measure::gpu, dtype, base).make());
    cases.push_back(Encoder(name + "_latency", Measure::latency, dtype, base).make());
  }
  cases.push_back(three_nodes("three_nodes_latency", Measure::latency, false));
  cases.push_back(three_nodes("three_nodes_fed_latency", Measure::latency, true));
  cases.push_back(three_nodes("three_nodes_overhead", Measure::overhead, true));
  cases.push_back(three_nodes("three_nodes_resident_latency", Measure::resident, true));
  cases.push_back(appended_rows("append_row_f16_16mib_resident", 1024 / (scale == Scale::full ? 1 : 64), 1));
  cases.push_back(appended_rows("append_row_f16_1gib_resident", 65536 / (scale == Scale::full ? 1 : 1024), 1));
  cases.push_back(appended_rows("append_33_rows_f16_1gib_resident", 65536 / (scale == Scale::full ? 1 : 1024), 33));
  const std::int64_t used = scale == Scale::full ? 1024 : 16;
  cases.push_back(decode_step("decode_1024_of_1024_f16_resident", used, used));
  cases.push_back(decode_step("decode_1024_of_16384_f16_resident", 16 * used, used));
  cases.push_back(Encoder("bert_tiny_f32_1x128_overhead", Measure::overhead, DType::f32, tiny).make());
  return cases;
}

std::vector<Case> all_cases(Scale scale) {
  std::vector<Case> all;
  for (const auto cases : {product_cases, packed_cases, memory_cases, attention_cases, convolution_cases,
                           transform_cases, sequence_cases, model_cases})
    for (Case& one : cases(scale)) all.push_back(std::move(one));
  return all;
}

}  // namespace plumb::bench
