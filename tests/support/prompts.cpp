#include "tests/support/prompts.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <bit>
#include <cmath>
#include <set>

#include "ir/buckets.hpp"
#include "parity/checks/relations/bucket.hpp"
#include "parity/core/handed_on.hpp"
#include "ref_cpu/cpu_executor.hpp"
#include "tests/support/cases/movement.hpp"

namespace plumb::testing {
namespace {

constexpr std::int64_t layers = 2, width = 32, heads = 4, key_heads = 2, head = 8, inner = 64, capacity = 256,
                       words = 48, longest = 200;

/// The text of a graph, node by node.
class Text {
 public:
  void node(const std::string& label, const std::string& op, const std::vector<std::string>& inputs,
            const std::string& attributes = "") {
    nodes_ +=
        fmt::format("{}{{\"label\": \"{}\", \"op\": \"{}\", \"inputs\": [\"{}\"]{}{}}}", nodes_.empty() ? "" : ",\n",
                    label, op, fmt::join(inputs, "\", \""), attributes.empty() ? "" : ", ", attributes);
  }
  void input(const std::string& name, const std::string& type) { declare(inputs_, name, type, ""); }
  void param(const std::string& name, std::int64_t rows, std::int64_t columns) {
    const std::string type = fmt::format("f32[{}, {}]", rows, columns);
    declare(params_, name, type, R"(, "fill": {"distribution": "normal", "scale": 0.3})");
  }
  std::string text() const {
    return fmt::format(
        R"({{"format": "plumb.graph/1", "inputs": {{{}}}, "params": {{{}}}, "nodes": [{}], "results": ["logits"]}})",
        inputs_, params_, nodes_);
  }

 private:
  static void declare(std::string& to, const std::string& name, const std::string& type, const std::string& more) {
    to += fmt::format("{}\"{}\": {{\"type\": \"{}\"{}}}", to.empty() ? "" : ",\n", name, type, more);
  }
  std::string inputs_, params_, nodes_;
};

/// Queries or keys in the order of their places, [1, rows, heads, head], turned by these.
void add_turned(Text& text, const std::string& name, const std::string& x, const std::string& w, std::int64_t rows,
                std::int64_t count) {
  text.node(name + "_flat", "matmul", {x, w});
  text.node(name + "_heads", "reshape", {name + "_flat"}, fmt::format("\"shape\": [1, {}, {}, {}]", rows, count, head));
  text.node(name, "rope", {name + "_heads", "cos", "sin"}, R"("layout": "bshd")");
}

/// One layer from x on; the name of what it makes.
std::string add_layer(Text& text, std::int64_t layer, const std::string& x, std::int64_t rows) {
  const auto named = [layer](const char* name) { return fmt::format("{}{}", name, layer); };
  const std::int64_t of_keys = key_heads * head;
  for (const auto& [name, from, to] :
       {std::tuple("wq", width, width), std::tuple("wk", width, of_keys), std::tuple("wv", width, of_keys),
        std::tuple("wo", width, width), std::tuple("gate", width, inner), std::tuple("up", width, inner),
        std::tuple("down", inner, width), std::tuple("scale", std::int64_t{1}, width),
        std::tuple("scale_inner", std::int64_t{1}, width)})
    text.param(named(name), from, to);
  for (const char* cache : {"keys", "values"})
    text.input(named(cache), fmt::format("f32[1, {}, {}, {}]", capacity, key_heads, head));
  text.node(named("norm"), "rms_norm", {x, named("scale")}, R"("axis": -1, "has_scale": true)");
  add_turned(text, named("q"), named("norm"), named("wq"), rows, heads);
  add_turned(text, named("k"), named("norm"), named("wk"), rows, key_heads);
  text.node(named("v_flat"), "matmul", {named("norm"), named("wv")});
  text.node(named("v"), "reshape", {named("v_flat")}, fmt::format("\"shape\": [1, {}, {}, {}]", rows, key_heads, head));
  text.node(named("new_keys"), "tensor_scatter", {named("keys"), named("k")}, R"("axis": 1)");
  text.node(named("new_values"), "tensor_scatter", {named("values"), named("v")}, R"("axis": 1)");
  text.node(named("seen"), "attention", {named("q"), named("new_keys"), named("new_values"), "length"},
            R"("layout": "bshd", "causal": true, "query_offset": 0, "has_kv_lengths": true)");
  text.node(named("seen_flat"), "reshape", {named("seen")}, fmt::format("\"shape\": [{}, {}]", rows, width));
  text.node(named("attended"), "matmul", {named("seen_flat"), named("wo")});
  text.node(named("middle"), "binary", {x, named("attended")}, R"("function": "add")");
  text.node(named("norm_inner"), "rms_norm", {named("middle"), named("scale_inner")},
            R"("axis": -1, "has_scale": true)");
  text.node(named("gated"), "matmul", {named("norm_inner"), named("gate")});
  text.node(named("upward"), "matmul", {named("norm_inner"), named("up")});
  text.node(named("units"), "glu", {named("gated"), named("upward")});
  text.node(named("downward"), "matmul", {named("units"), named("down")});
  text.node(named("layer"), "binary", {named("middle"), named("downward")}, R"("function": "add")");
  return named("layer");
}

/// Cosines or sines of the angles of each place.
ir::Tensor turns(double (*function)(double)) {
  ir::Tensor table({ir::DType::f32, {capacity, head / 2}});
  for (std::int64_t place = 0; place < capacity; ++place)
    for (std::int64_t i = 0; i < head / 2; ++i) {
      const double angle = static_cast<double>(place) * std::pow(10000.0, -2.0 * static_cast<double>(i) / head);
      table.as<float>()[static_cast<std::size_t>(place * (head / 2) + i)] = static_cast<float>(function(angle));
    }
  return table;
}

/// Counts what is compiled with params that are held.
class Counting final : public parity::core::HandedOn {
 public:
  using HandedOn::HandedOn;
  int compiled = 0;

 private:
  std::unique_ptr<ir::Executable> compile_held(const ir::Graph& graph, std::shared_ptr<ir::Params> params,
                                               const ir::CompileOptions& options) override {
    ++compiled;
    return HandedOn::compile_held(graph, std::move(params), options);
  }
};

ir::Feeds params_of(const ir::formats::GraphFile& file) {
  ir::Feeds params;
  for (auto& [name, tensor] : ir::formats::materialise(file, 1))
    if (std::ranges::count(file.graph.params(), name) > 0) params.emplace(name, tensor);
  return params;
}

ir::Tensor one(std::int64_t number) { return ir::Tensor::of<std::int64_t>({1}, {number}); }

/// A prompt of so many tokens, no two alike.
ir::Feeds prompt_of(std::int64_t length) {
  ir::Tensor tokens({ir::DType::i64, {length}});
  for (std::int64_t i = 0; i < length; ++i)
    tokens.as<std::int64_t>()[static_cast<std::size_t>(i)] = (i * i + 7 * i + 3 * length) % words;
  return {{"tokens", tokens}, {"length", one(length)}, {"last", one(length - 1)}};
}

ir::Feeds empty_caches(const ir::Graph& graph) {
  ir::Feeds caches;
  for (ir::Value v = 0; v < graph.inputs().size(); ++v)
    if (graph.type(v).shape.size() == 4) caches.emplace(graph.inputs()[v], ir::Tensor(graph.type(v)));
  return caches;
}

parity::cases::Case case_of(std::int64_t rows, std::int64_t length) {
  const auto file = std::make_shared<const ir::formats::GraphFile>(prompt_decoder(rows));
  parity::cases::Case made{.name = "prompt", .file = file, .feeds = params_of(*file)};
  made.feeds.merge(empty_caches(file->graph));
  made.feeds.merge(prompt_of(length));
  return made;
}

}  // namespace

ir::formats::GraphFile prompt_decoder(std::int64_t rows) {
  Text text;
  text.input("tokens", fmt::format("i64[{}]", rows));
  text.input("length", "i64[1]");
  text.input("last", "i64[1]");
  text.param("embedding", words, width);
  text.param("scale_last", 1, width);
  text.param("head", width, words);
  for (const char* table : {"cos", "sin"}) text.param(table, capacity, head / 2);
  text.node("embedded", "gather", {"embedding", "tokens"}, R"("axis": 0)");
  std::string x = "embedded";
  for (std::int64_t layer = 0; layer < layers; ++layer) x = add_layer(text, layer, x, rows);
  text.node("row", "gather", {x, "last"}, R"("axis": 0)");
  text.node("norm", "rms_norm", {"row", "scale_last"}, R"("axis": -1, "has_scale": true)");
  text.node("logits", "matmul", {"norm", "head"});
  ir::formats::GraphFile file = ir::formats::parse_graph(text.text(), ".");
  file.sources.insert_or_assign("cos", turns(std::cos));
  file.sources.insert_or_assign("sin", turns(std::sin));
  return file;
}

void expect_four_compiles_for_all_prompts(ir::Executor& executor) {
  Counting counting(executor);
  const auto results_of = [](const ir::Graph& graph) {
    ir::CompileOptions options{.capture = {.wanted = graph.results()}};
    for (std::int64_t layer = 0; layer < layers; ++layer)
      for (const char* name : {"new_keys", "new_values"})
        options.capture.wanted.push_back(*graph.find(fmt::format("{}{}", name, layer)));
    return options;
  };
  ir::Buckets buckets(counting, [](const ir::Extents& extents) { return prompt_decoder(extents.at("rows")).graph; },
                      counting.hold(params_of(prompt_decoder(1))), results_of,
                      {.sizes = {{"rows", {32, 64, 128, 256}}}});
  std::map<std::int64_t, std::unique_ptr<ir::Context>> contexts;  // by rows
  std::set<std::string> different;
  for (std::int64_t length = 1; length <= longest; ++length) {
    SCOPED_TRACE(length);
    const ir::Bucket bucket = buckets.at({{"rows", length}});
    const ir::Graph& graph = *bucket.graph;
    const ir::Value logits = graph.results().front();
    std::unique_ptr<ir::Context>& context = contexts[bucket.extents.at("rows")];
    if (!context) {
      context = bucket.executable->context();
      for (std::int64_t layer = 0; layer < layers; ++layer)
        for (const char* name : {"keys", "values"})
          context->feed(*graph.find(fmt::format("new_{}{}", name, layer)),
                        *graph.find(fmt::format("{}{}", name, layer)));
    }
    ir::Feeds inputs = prompt_of(length);
    ir::Tensor& tokens = inputs.at("tokens");
    tokens = ir::padded(tokens, graph.type(*graph.find("tokens")));
    context->submit(inputs).get();
    ir::Tensor got(graph.type(logits));
    context->buffer(logits).read(got.view());
    inputs.merge(empty_caches(graph));
    ASSERT_TRUE(tests::same_bytes(got, bucket.executable->run(inputs).at(logits)));
    different.insert(std::string(reinterpret_cast<const char*>(got.bytes().data()), got.bytes().size()));
  }
  EXPECT_EQ(counting.compiled, 4);
  EXPECT_EQ(different.size(), static_cast<std::size_t>(longest)) << "prompts that differ have other logits";
}

void expect_buckets_within_limits(ir::Executor& executor, const std::vector<std::int64_t>& lengths) {
  ref_cpu::CpuExecutor reference;
  for (const std::int64_t length : lengths) {
    SCOPED_TRACE(length);
    const std::int64_t rows =
        std::max(std::int64_t{32}, static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(length))));
    const parity::cases::Case exact = case_of(length, length);
    parity::cases::Case larger{.name = "prompt",
                               .file = std::make_shared<ir::formats::GraphFile>(prompt_decoder(rows))};
    larger.feeds = params_of(*larger.file);
    const auto bucket = parity::checks::relations::pad(exact, std::move(larger), fmt::format("rows={}", length),
                                                       fmt::format("rows={}", rows));
    const auto found =
        parity::checks::relations::check_bucket(exact, bucket, {.reference = reference, .candidate = &executor}, "", 8);
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].verdict, parity::core::Verdict::passed) << found[0].why;
    EXPECT_EQ(found[0].n, static_cast<std::uint64_t>(words));
  }
}

}  // namespace plumb::testing
