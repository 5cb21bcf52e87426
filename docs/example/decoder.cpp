// Decodes tokens with a cache that stays in the executor's memory: one row of it is written a token, and one row of
// scores comes back.
#include <algorithm>
#include <iostream>

#include "gpu_vulkan/vulkan_executor.hpp"
#include "ir/fill.hpp"
#include "ir/formats/dumps/dumped_runs.hpp"
#include "ir/ops/attention.hpp"
#include "ir/ops/gather.hpp"
#include "ir/ops/matmul.hpp"
#include "ir/ops/reshape.hpp"
#include "ir/ops/tensor_scatter.hpp"
#include "ir/ops/transpose.hpp"
#include "ir/residency.hpp"
#include "ref_cpu/cpu_executor.hpp"

using namespace plumb::ir;

constexpr std::int64_t vocabulary = 50, heads = 4, width = 8, capacity = 64, all = heads * width;

/// One layer, whose keys are its values, too. `rows` of `tokens` become keys [1, heads, rows, width].
struct Layer {
  Graph graph;
  Value tokens, cache_in = 0, write_at = 0, lengths = 0, words, keys, wk, wq, wo;

  Layer(std::int64_t rows, bool has_cache) {
    tokens = graph.input("tokens", {DType::i64, {rows}});
    if (has_cache) {
      cache_in = graph.input("cache", {DType::f32, {1, heads, capacity, width}});
      write_at = graph.input("write_at", {DType::i64, {1}});
      lengths = graph.input("kv_lengths", {DType::i64, {1}});
    }
    words = graph.param("words", {DType::f32, {vocabulary, all}});
    wk = graph.param("wk", {DType::f32, {all, all}});
    wq = graph.param("wq", {DType::f32, {all, all}});
    wo = graph.param("wo", {DType::f32, {all, vocabulary}});
    keys = by_heads("keys", wk, rows);
  }

  Value by_heads(const std::string& name, Value weight, std::int64_t rows) {
    const Value x = graph.add(name + "_words", ops::Gather{0}, {words, tokens});
    const Value product = graph.add(name + "_flat", ops::Matmul{}, {x, weight});
    const Value split = graph.add(name + "_split", ops::Reshape{{1, rows, heads, width}}, {product});
    return graph.add(name, ops::Transpose{{0, 2, 1, 3}}, {split});
  }
};

void decode(Executor& executor, const Feeds& weights, const std::vector<std::int64_t>& prompt, std::int64_t most) {
  const auto length = static_cast<std::int64_t>(prompt.size());
  const Layer start(length, false);
  Layer step(1, true);
  const Value new_cache = step.graph.add("new_cache", ops::TensorScatter{.axis = 2, .has_write_indices = true},
                                         {step.cache_in, step.keys, step.write_at});
  const Value seen = step.graph.add("seen", ops::Attention{.has_kv_lengths = true},
                                    {step.by_heads("query", step.wq, 1), new_cache, new_cache, step.lengths});
  const Value flat = step.graph.add("flat", ops::Reshape{{1, all}}, {seen});
  const Value logits = step.graph.add("logits", ops::Matmul{}, {flat, step.wo});
  const auto index = [](std::int64_t at) { return Tensor::of<std::int64_t>({1}, {at}); };

  const auto params = executor.hold(weights);  // both graphs read them where they are
  const auto prefill = executor.compile(start.graph, params, {{.wanted = {start.keys}}});
  const auto decoder = executor.compile(step.graph, params, {{.wanted = {logits, new_cache}}});
  Buffer cache = executor.allocate(step.graph.type(step.cache_in));
  const auto first = prefill->context(), next = decoder->context();
  first->submit({{"tokens", Tensor::of<std::int64_t>({length}, prompt)}});
  cache.copy_from(first->buffer(start.keys), {}, {{0, 0, 0, 0}, {1, heads, length, width}});

  next->bind(step.cache_in, cache);
  next->bind_result(new_cache, cache);  // one buffer: the row is written in place
  Tensor scores(step.graph.type(logits));
  std::int64_t token = prompt.back();
  for (std::int64_t at = length; at < most; ++at) {
    next->submit({{"tokens", index(token)}, {"write_at", index(at)}, {"kv_lengths", index(at + 1)}}).get();
    next->buffer(logits).read(scores.view());
    token = std::ranges::max_element(scores.as<float>()) - scores.as<float>().begin();
    std::cout << ' ' << token;
  }
  std::cout << ", " << next->traffic().up << " bytes up and " << next->traffic().down << " down a token\n";
}

int main() try {
  Feeds weights;
  for (const auto& [name, shape] : {std::pair{"words", Shape{vocabulary, all}}, std::pair{"wk", Shape{all, all}},
                                    std::pair{"wq", Shape{all, all}}, std::pair{"wo", Shape{all, vocabulary}}})
    weights.emplace(
        name, fill({DType::f32, shape}, {.distribution = Distribution::normal, .scale = 0.5}, 1, stream_of(name)));
  formats::dump_runs();  // where PLUMB_DUMP asks for files
  plumb::ref_cpu::CpuExecutor cpu(plumb::ref_cpu::options_from_environment());
  std::cout << "cpu:";
  decode(cpu, weights, {3, 1, 4, 1, 5}, 16);
  plumb::gpu_vulkan::VulkanExecutor gpu;
  std::cout << "gpu:";
  decode(gpu, weights, {3, 1, 4, 1, 5}, 16);
} catch (const Unsupported& reason) {
  std::cout << "no gpu here: " << reason.what() << '\n';
}
