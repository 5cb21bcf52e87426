// Params that are replaced after compile, held against a fresh compile, for any executor.
#pragma once

#include <memory>

#include "ir/residency.hpp"
#include "tests/support/resident_runs.hpp"

namespace plumb::testing {

/// Each param in turn gets the value that `others` has: runs that are in flight keep the old one, later ones and `run`
/// have the bits of a fresh compile.
inline void expect_set_equals_compiled(ir::Executor& executor, const ir::Graph& graph, const ir::Feeds& feeds,
                                       const ir::Feeds& others) {
  const ir::Feeds inputs = part_of(feeds, graph.inputs());
  ir::Feeds values = part_of(feeds, graph.params());
  const ir::CompileOptions all{{graph.results()}, {"*"}};
  const auto params = executor.hold(values);
  const auto executable = executor.compile(graph, params, all);
  std::vector<std::unique_ptr<ir::Context>> contexts;
  for (int i = 0; i < 4; ++i) contexts.push_back(executable->context());
  ir::Tensors before = executable->run(inputs);
  std::size_t changed = 0;
  for (const std::string& name : graph.params()) {
    std::vector<ir::Fence> fences;
    for (const auto& context : contexts) fences.push_back(context->submit(inputs));
    params->set(name, others.at(name));
    for (const auto& context : contexts) expect_results(*context, before, graph);
    values.insert_or_assign(name, others.at(name));
    const ir::Tensors fresh = executor.compile(graph, executor.hold(values), all)->run(inputs);
    for (const auto& [value, tensor] : fresh) changed += tests::same_bytes(before.at(value), tensor) ? 0 : 1;
    before = executable->run(inputs);
    for (const auto& [value, tensor] : fresh)
      EXPECT_TRUE(tests::same_bytes(before.at(value), tensor)) << name << ", by run: " << graph.name(value);
    contexts[0]->submit(inputs).get();
    expect_results(*contexts[0], fresh, graph);
    EXPECT_TRUE(tests::same_bytes(read(params->buffer(name)), others.at(name)));
  }
  EXPECT_GE(changed * 2, graph.params().size()) << "the values of most params make a difference";
}

inline void expect_fixed_params_are_refused(ir::Executor& executor) {
  using ::testing::HasSubstr;
  ir::Graph graph;
  const ir::TensorType type{ir::DType::f32, {3}};
  const Value x = graph.input("x", type), p = graph.param("p", type);
  graph.returns(graph.add("y", ir::ops::Binary{ir::ops::BinaryFunction::add}, {x, p}));
  const ir::Capture results{graph.results()};
  const ir::Tensor other = tests::noise(type, 2);
  const auto params = executor.hold({{"p", tests::noise(type, 1)}});
  const auto refusal = [&](std::string_view name, const ir::Tensor& value) {
    return tests::message_of([&] { params->set(name, value); });
  };
  EXPECT_EQ(refusal("p", other), "") << "nobody reads it";
  EXPECT_THAT(refusal("q", other), HasSubstr("there is no param 'q'"));
  EXPECT_THAT(refusal("p", ir::Tensor(ir::TensorType{ir::DType::f64, {2}})), HasSubstr("and was given f64[2]"));
  auto executable = executor.compile(graph, params, ir::CompileOptions{results});
  EXPECT_THAT(refusal("p", other), HasSubstr("param 'p' stays as it is: an executable was compiled without"));
  auto context = executable->context();
  executable.reset();
  EXPECT_NE(refusal("p", other), "") << "a context still runs it";
  context.reset();
  EXPECT_EQ(refusal("p", other), "");

  const auto compile = [&](const ir::CompileOptions& options) {
    return tests::message_of([&] { executor.compile(graph, params, options); });
  };
  EXPECT_THAT(compile({results, {"q"}}), HasSubstr("param 'q' is to be replaceable, and the graph has none such"));
  EXPECT_THAT(compile({{{p}}, {"p"}}), HasSubstr("param 'p' is wanted as a result"));
}

}  // namespace plumb::testing
