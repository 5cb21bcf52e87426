// Runs on buffers, held against `run`, step by step through the host, for any executor.
#pragma once

#include <gmock/gmock.h>

#include "ir/formats/graph_file.hpp"
#include "ir/ops/attention.hpp"
#include "ir/ops/binary.hpp"
#include "ir/ops/matmul.hpp"
#include "ir/ops/reshape.hpp"
#include "ir/ops/tensor_scatter.hpp"
#include "ir/residency.hpp"
#include "tests/support/cases/movement.hpp"
#include "tests/support/cases/updated_operands.hpp"
#include "tests/support/noise.hpp"

namespace plumb::testing {

using ir::Value;

inline ir::Tensor read(const ir::Buffer& buffer, const ir::Box& box = {}) {
  ir::Tensor tensor(ir::type_of(buffer.type(), box));
  buffer.read(tensor.view(), box);
  return tensor;
}

inline ir::Buffer buffer_of(ir::Executor& executor, const ir::Tensor& tensor) {
  ir::Buffer buffer = executor.allocate(tensor.type());
  buffer.write(tensor);
  return buffer;
}

/// Those of the inputs, or of the params.
inline ir::Feeds part_of(const ir::Feeds& feeds, const std::vector<std::string>& names) {
  ir::Feeds part;
  for (const std::string& name : names) part.emplace(name, feeds.at(name));
  return part;
}

inline void expect_results(ir::Context& context, const ir::Tensors& expected, const ir::Graph& graph) {
  for (const auto& [value, tensor] : expected)
    EXPECT_TRUE(tests::same_bytes(read(context.buffer(value)), tensor)) << graph.name(value);
}

/// Contexts of a graph, on inputs that are given or bound, two of them in flight, with params compiled in or held,
/// against `run`.
inline void expect_contexts_equal_run(ir::Executor& executor, const ir::Graph& graph, const ir::Feeds& feeds,
                                      const ir::Feeds& others) {
  const ir::Feeds inputs = part_of(feeds, graph.inputs()), more = part_of(others, graph.inputs());
  const ir::Capture results{graph.results()};
  const auto compiled = executor.compile(graph, feeds, results);
  const ir::Tensors expected = compiled->run(inputs), expected_more = compiled->run(more);
  const auto held = executor.compile(graph, executor.hold(part_of(feeds, graph.params())), ir::CompileOptions{results});
  for (const auto* executable : {&compiled, &held}) {
    const auto first = (*executable)->context(), second = (*executable)->context();
    const ir::Fence one = first->submit(inputs), other = second->submit(more);
    other.get();
    one.get();
    EXPECT_TRUE(one.ready());
    expect_results(*first, expected, graph);
    expect_results(*second, expected_more, graph);
    first->submit(more).get();
    expect_results(*first, expected_more, graph);
  }
  const ir::Tensors plain = held->run(inputs);
  for (const auto& [value, tensor] : expected) EXPECT_TRUE(tests::same_bytes(plain.at(value), tensor));

  const auto bound = compiled->context();
  std::map<Value, ir::Buffer> from, to;
  for (Value v = 0; v < graph.inputs().size(); ++v) {
    from.emplace(v, buffer_of(executor, inputs.at(graph.inputs()[v])));
    bound->bind(v, from.at(v));
  }
  for (const auto& [value, tensor] : expected) {
    to.emplace(value, executor.allocate(tensor.type()));
    bound->bind_result(value, to.at(value));
  }
  for (int run = 0; run < 2; ++run) {
    bound->submit().get();
    for (const auto& [value, tensor] : expected) EXPECT_TRUE(tests::same_bytes(read(to.at(value)), tensor));
    for (const auto& [value, buffer] : from)
      EXPECT_TRUE(tests::same_bytes(read(buffer), inputs.at(graph.inputs()[value]))) << "what is bound was changed";
  }
}

/// Binds what it likes, and takes inputs that it bound away from those that each run is given.
using Binding = std::function<void(ir::Context&, ir::Feeds&)>;
inline void bind_nothing(ir::Context&, ir::Feeds&) {}

/// Runs whose results are fed back, against as many through the host. `bind` is called before the first, `rebind`
/// behind the first and the third: where swaps have exchanged two buffers, and where they have exchanged them back.
inline void expect_fed_equals_run(ir::Executor& executor, const ir::Graph& graph, const ir::Feeds& feeds,
                                  const std::vector<std::pair<Value, Value>>& pairs, const Binding& bind = bind_nothing,
                                  const Binding& rebind = bind_nothing) {
  const auto executable = executor.compile(graph, feeds, {graph.results()});
  const auto context = executable->context();
  ir::Feeds inputs = part_of(feeds, graph.inputs()), rest = inputs;
  bind(*context, rest);
  for (const auto& [result, input] : pairs) {
    context->feed(result, input);
    rest.erase(graph.inputs()[input]);
  }
  for (const auto& [result, input] : pairs) context->buffer(input).write(inputs.at(graph.inputs()[input]));
  for (int step = 0; step < 4; ++step) {
    const ir::Tensors expected = executable->run(inputs);
    if (step % 2 == 1) rebind(*context, rest);
    context->submit(rest).get();
    expect_results(*context, expected, graph);
    for (const auto& [result, input] : pairs) {
      inputs.insert_or_assign(graph.inputs()[input], expected.at(result));
      EXPECT_TRUE(tests::same_bytes(read(context->buffer(input)), expected.at(result)));
    }
  }
}

/// As above, with other buffers bound between runs: for all results, and for what is not fed.
inline void expect_rebound_equals_run(ir::Executor& executor, const ir::Graph& graph, const ir::Feeds& feeds,
                                      const std::vector<std::pair<Value, Value>>& pairs) {
  const Binding results_elsewhere = [&](ir::Context& context, ir::Feeds&) {
    for (const Value result : graph.results()) context.bind_result(result, executor.allocate(graph.type(result)));
  };
  const Binding inputs_elsewhere = [&](ir::Context& context, ir::Feeds& rest) {
    std::vector<ir::Tensor> shown;
    for (const auto& [result, input] : pairs) shown.push_back(read(context.buffer(result)));
    for (Value input = 0; input < graph.inputs().size(); ++input) {
      if (std::ranges::count(pairs, input, &std::pair<Value, Value>::second) > 0) continue;
      context.bind(input, buffer_of(executor, feeds.at(graph.inputs()[input])));
      rest.erase(graph.inputs()[input]);
    }
    for (std::size_t i = 0; i < pairs.size(); ++i)
      EXPECT_TRUE(tests::same_bytes(read(context.buffer(pairs[i].first)), shown[i])) << "a result, before the next run";
  };
  expect_fed_equals_run(executor, graph, feeds, pairs, bind_nothing, results_elsewhere);
  expect_fed_equals_run(executor, graph, feeds, pairs, bind_nothing, inputs_elsewhere);
}

/// One decoder block's step: a query, and a row for the caches of keys and values, are made of one token's vector.
struct DecoderStep {
  static constexpr std::int64_t width = 24, heads = 3, head = 8, rows = 4096, words = 17;

  ir::Graph graph;
  Value token, keys, values, write_at, lengths, new_keys, new_values, logits;
  ir::Feeds params;

  DecoderStep() {
    using ir::DType;
    const ir::Shape cache{1, heads, rows, head};
    token = graph.input("token", {DType::f32, {1, width}});
    keys = graph.input("keys", {DType::f32, cache});
    values = graph.input("values", {DType::f32, cache});
    write_at = graph.input("write_at", {DType::i64, {1}});
    lengths = graph.input("kv_lengths", {DType::i64, {1}});
    const auto weight = [&](const char* name, const ir::Shape& shape) {
      const Value w = graph.param(name, {DType::f32, shape});
      ir::Tensor tensor(graph.type(w));
      unsigned at = 1;
      for (float& one : tensor.as<float>())
        one = static_cast<float>((at = at * 1103515245u + 12345u) >> 16) / 65536 - 0.5f;
      params.emplace(name, std::move(tensor));
      return w;
    };
    const Value wq = weight("wq", {width, width}), wk = weight("wk", {width, width}), wv = weight("wv", {width, width}),
                wo = weight("wo", {width, words});
    const auto row = [&](const char* name, Value w) {
      const Value product = graph.add(ir::cat(name, "_flat"), ir::ops::Matmul{}, {token, w});
      return graph.add(name, ir::ops::Reshape{{1, heads, 1, head}}, {product});
    };
    const Value q = row("q", wq), k = row("k", wk), v = row("v", wv);
    const ir::ops::TensorScatter append{.axis = 2, .has_write_indices = true};
    new_keys = graph.add("new_keys", append, {keys, k, write_at});
    new_values = graph.add("new_values", append, {values, v, write_at});
    const Value seen =
        graph.add("seen", ir::ops::Attention{.has_kv_lengths = true}, {q, new_keys, new_values, lengths});
    logits = graph.add("logits", ir::ops::Matmul{}, {graph.add("flat", ir::ops::Reshape{{1, width}}, {seen}), wo});
  }

  /// The inputs of the step that writes row `at`; `last`: the logits of the one before.
  ir::Feeds rest(std::int64_t at, const ir::Tensor& last) const {
    ir::Tensor next(graph.type(token));
    for (std::size_t i = 0; i < width; ++i)
      next.as<float>()[i] = last.as<float>()[i % words] * 0.125f + static_cast<float>((at * 7 + std::int64_t(i)) % 5);
    return {{"token", next},
            {"write_at", ir::Tensor::of<std::int64_t>({1}, {at})},
            {"kv_lengths", ir::Tensor::of<std::int64_t>({1}, {at + 1})}};
  }
};

/// `steps` steps with caches bound as inputs and results, against as many through the host. The caches are buffers of
/// zeros that `make` makes, by default the executor's own.
inline void expect_decoded_in_place(ir::Executor& executor, std::int64_t steps,
                                    std::function<ir::Buffer(const ir::TensorType&)> make = {}) {
  if (!make) make = [&](const ir::TensorType& type) { return executor.allocate(type); };
  const DecoderStep block;
  const ir::Graph& graph = block.graph;
  const ir::Capture wanted{{block.logits, block.new_keys, block.new_values}};
  const auto by_host = executor.compile(graph, block.params, wanted);
  const auto step = executor.compile(graph, executor.hold(block.params), ir::CompileOptions{wanted});
  EXPECT_EQ(by_host->identity(), step->identity());
  const auto context = step->context();
  ir::Buffer keys = make(graph.type(block.keys)), values = make(graph.type(block.values));
  context->bind(block.keys, keys);
  context->bind_result(block.new_keys, keys);
  context->bind(block.values, values);
  context->bind_result(block.new_values, values);
  ir::Tensors expected;
  expected.emplace(block.new_keys, ir::Tensor(graph.type(block.keys)));
  expected.emplace(block.new_values, ir::Tensor(graph.type(block.values)));
  ir::Tensor row(graph.type(block.logits));
  for (std::int64_t at = 0; at < steps; ++at) {
    const ir::Feeds rest = block.rest(at, row);
    ir::Feeds inputs = rest;
    inputs.emplace("keys", expected.at(block.new_keys));
    inputs.emplace("values", expected.at(block.new_values));
    expected = by_host->run(inputs);
    context->submit(rest).get();
    context->buffer(block.logits).read(row.view());
    ASSERT_TRUE(tests::same_bytes(row, expected.at(block.logits))) << at;
    EXPECT_EQ(context->traffic().up, DecoderStep::width * sizeof(float) + 2 * sizeof(std::int64_t));
    EXPECT_EQ(context->traffic().down, DecoderStep::words * sizeof(float));
  }
  EXPECT_TRUE(tests::same_bytes(read(keys), expected.at(block.new_keys)));
  EXPECT_TRUE(tests::same_bytes(read(values), expected.at(block.new_values)));
}

/// A run whose index is refused leaves its fence the error and the cache as it was, and the next run is good.
inline void expect_a_refused_index_changes_nothing(ir::Executor& executor, const std::string& says) {
  const UpdatedOperand rows = updated_operands().front();
  UpdatedGraph made(rows);
  const Value y = made.updated(made.x);
  const auto context = executor.compile(made.graph, {}, {{y}})->context();
  const ir::Buffer both = buffer_of(executor, made.feeds.at("x"));
  context->bind(made.x, both);
  context->bind_result(y, both);
  ir::Feeds rest = made.feeds, bad = made.feeds;
  rest.erase("x");
  bad.erase("x");
  bad.insert_or_assign("other1", indices_of({2}, {8, 0}));
  const ir::Fence refused = context->submit(bad);
  EXPECT_TRUE(refused.ready() || !context->blocks());
  EXPECT_TRUE(tests::same_bytes(read(both), made.feeds.at("x")));
  const ir::Fence good = context->submit(rest);  // the error stays with its own fence
  EXPECT_THAT(tests::message_of([&] { refused.get(); }), ::testing::HasSubstr(says));
  EXPECT_EQ(tests::message_of([&] { good.get(); }), "");
  EXPECT_TRUE(tests::same_bytes(read(both), executor.run(made.graph, made.feeds, {y}).at(y)));
}

/// The bytes that go with an executable, with a param of its own and with a shared one; and whether a context lives.
inline void expect_an_executable_says_what_it_keeps(ir::Executor& executor) {
  ir::Graph graph;
  const ir::TensorType type{ir::DType::f32, {4096}};
  const Value x = graph.input("x", type), w = graph.param("w", type);
  const ir::Capture wanted{{graph.add("y", ir::ops::Binary{ir::ops::BinaryFunction::add}, {x, w})}};
  const ir::Feeds weights{{"w", ir::Tensor(type)}};
  auto params = executor.hold(weights);
  const auto own = executor.compile(graph, weights, wanted);
  const auto shared = executor.compile(graph, params, ir::CompileOptions{wanted});
  EXPECT_GE(own->bytes(), shared->bytes() + type.bytes());
  const std::uint64_t before = shared->bytes();
  params.reset();
  EXPECT_EQ(shared->bytes(), before + type.bytes()) << "nobody else holds the param";
  EXPECT_FALSE(own->has_contexts());
  auto first = own->context(), second = own->context();
  first.reset();
  EXPECT_TRUE(own->has_contexts());
  second.reset();
  EXPECT_FALSE(own->has_contexts());
  EXPECT_EQ(own->bytes(), executor.compile(graph, weights, wanted)->bytes());
}

/// Each misuse, by what its message says. `other` is another executor.
inline void expect_misuse_is_refused(ir::Executor& executor, ir::Executor& other) {
  using ::testing::HasSubstr;
  using tests::message_of;
  const DecoderStep block;
  const ir::Graph& graph = block.graph;
  const auto executable = executor.compile(graph, block.params, {{block.logits, block.new_keys, block.new_values}});
  const auto context = executable->context();
  ir::Buffer keys = executor.allocate(graph.type(block.keys)), small = executor.allocate({ir::DType::f32, {3, 5}});
  ir::Buffer foreign = other.allocate(graph.type(block.keys)), of_i32 = executor.allocate({ir::DType::i32, {3, 5}});
  const auto params = executor.hold(block.params);
  ir::Tensor three({ir::DType::f32, {3}});
  const auto expect = [](const std::string& says, const std::function<void()>& act) {
    EXPECT_THAT(message_of(act), HasSubstr(says));
  };
  expect("input 'keys' is f32[1, 3, 4096, 8], and was given a buffer of f32[3, 5]",
         [&] { context->bind(block.keys, small); });
  expect("result 'logits' is f32[1, 17], and was given a buffer of f32[3, 5]",
         [&] { context->bind_result(block.logits, small); });
  expect("input 'keys' was given a buffer of another executor", [&] { context->bind(block.keys, foreign); });
  expect("'logits' is no input of the graph", [&] { context->bind(block.logits, small); });
  expect("'seen' is no result: the graph was not compiled for it",
         [&] { context->bind_result(*graph.find("seen"), keys); });
  expect("value 999 is no input", [&] { context->bind(999, keys); });
  expect("'seen' is neither an input nor a result", [&] { context->buffer(*graph.find("seen")); });
  expect("input 'token' is f32[1, 24], and cannot be fed 'logits', which is f32[1, 17]",
         [&] { context->feed(block.logits, block.token); });
  expect("'logits' is fed to no input", [&] { context->how(block.logits); });
  expect("input 'token' was not fed", [&] { context->submit(); });
  expect("result 'new_keys' was given a buffer that is not written: it is a param", [&] {
    const auto held = executor.hold({{"w", ir::Tensor(graph.type(block.keys))}});
    context->bind_result(block.new_keys, held->buffer("w"));
  });
  expect("param 'wq' is not written: it is a param", [&] { params->buffer("wq").write(block.params.at("wq")); });
  expect("there is no param 'w'", [&] { params->buffer("w"); });
  expect("a buffer is written as f32[3, 5], and was given f32[3]", [&] { small.write(three); });
  expect("a buffer is read as f32[1, 3], and was given f32[3]", [&] { small.read(three.view(), {{0, 0}, {1, 3}}); });
  expect("f32[3, 5] has no box of [2, 3] from [2, 0], which leaves it along axis 0", [&] {
    small.read(three.view(), {{2, 0}, {2, 3}});
  });
  expect("f32[3, 5] has no box of [3] from [0], which has another rank", [&] { small.write(three, {{0}, {3}}); });
  expect("a buffer is written as f32[3, 5], and a buffer gives i32[3, 5]", [&] { small.copy_from(of_i32); });
  expect("are of two executors", [&] { keys.copy_from(foreign); });
  expect("is copied onto itself, and the boxes meet", [&] {
    small.copy_from(small, {{0, 0}, {2, 5}}, {{1, 0}, {2, 5}});
  });
  expect("params are not held", [&] { executor.compile(graph, other.hold(block.params), ir::CompileOptions{}); });
}

/// Conflicts of what is bound, fed and given: an Error when they are said, or when a run is submitted.
inline void expect_conflicts_are_refused(ir::Executor& executor) {
  const DecoderStep block;
  const ir::Graph& graph = block.graph;
  const auto executable = executor.compile(graph, block.params, {{block.logits, block.new_keys, block.new_values}});
  const auto context = executable->context();
  const ir::Buffer keys = executor.allocate(graph.type(block.keys));
  const ir::Tensor three({ir::DType::f32, {3}});
  const auto expect = [](const std::string& says, const std::function<void()>& act) {
    EXPECT_THAT(tests::message_of(act), ::testing::HasSubstr(says));
  };
  context->bind(block.keys, keys);
  expect("one buffer is bound as input 'keys' and as result 'new_values', which is not written in place: ",
         [&] { context->bind_result(block.new_values, keys); });
  context->bind_result(block.new_keys, keys);
  expect("input 'values' is bound to the buffer of input 'keys', which a run writes",
         [&] { context->bind(block.values, keys); });
  const ir::Feeds rest = block.rest(0, ir::Tensor(graph.type(block.logits)));
  ir::Feeds all = rest;
  all.emplace("keys", ir::Tensor(graph.type(block.keys)));
  all.emplace("values", ir::Tensor(graph.type(block.values)));
  expect("input 'keys' is bound, and was given a value as well", [&] { context->submit(all); });
  context->feed(block.new_values, block.values);
  all.erase("keys");
  expect("input 'values' is fed, and was given a value as well", [&] { context->submit(all); });
  ir::Feeds typed = rest;
  typed.emplace("tokens", three);
  expect("'tokens' was given, and is no input of the graph", [&] { context->submit(typed); });
  ir::Feeds wrong = rest;
  wrong.insert_or_assign("token", three);
  expect("input 'token' is f32[3], the graph wants f32[1, 24]", [&] { context->submit(wrong); });
  EXPECT_EQ(tests::message_of([&] { context->submit(rest).get(); }), "") << "misuse changed something";
}

}  // namespace plumb::testing
