#pragma once

// Files of what the runs of an executor computed, of either executor.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <memory>

#include "ir/dumps/run_dumper.hpp"
#include "ir/files/read_file.hpp"
#include "ir/formats/dumps/dumped_runs.hpp"
#include "ir/formats/tensor_files.hpp"
#include "ir/ops/binary.hpp"
#include "ir/ops/matmul.hpp"
#include "ir/ops/softmax.hpp"
#include "ir/residency.hpp"
#include "tests/support/temporary_folder.hpp"

namespace plumb::testing {

/// x w, its softmax, and that plus x w.
struct DumpedGraph {
  ir::Graph graph;
  ir::Value x = graph.input("x", {ir::DType::f32, {2, 3}}), w = graph.param("w", {ir::DType::f32, {3, 2}}),
            scores = graph.add("scores", ir::ops::Matmul{}, {x, w}),
            soft = graph.add("layer/soft", ir::ops::Softmax{}, {scores}),
            y = graph.add("y", ir::ops::Binary{.function = ir::ops::BinaryFunction::add}, {soft, scores});
  ir::Feeds feeds(float first) const {
    return {{"x", ir::Tensor::of<float>({2, 3}, {first, 2, 3, 4, 5, 6})},
            {"w", ir::Tensor::of<float>({3, 2}, {0.1f, 0, 0, 0.1f, 0.1f, 0})}};
  }
  DumpedGraph() { graph.returns(y); }
};

using MakeDumpingExecutor = std::function<std::unique_ptr<ir::Executor>(const ir::DumpOptions&)>;

inline void expect_bits(const ir::formats::NamedTensors& dump, const std::string& name, const ir::Tensor& wanted) {
  const auto found = dump.find(name);
  ASSERT_NE(found, dump.end()) << name;
  EXPECT_EQ(found->second.type(), wanted.type()) << name;
  EXPECT_TRUE(std::ranges::equal(found->second.bytes(), wanted.bytes())) << name;
}

/// `name`: how tensors of this executor are called in a dump.
inline void expect_runs_are_dumped(const MakeDumpingExecutor& make, const std::string& name) {
  ir::formats::dump_runs();
  const tests::TemporaryFolder folder;
  std::filesystem::create_directories(folder.path);
  const DumpedGraph of;
  const auto file = [&](const std::string& called) { return (folder.path / called).string(); };
  const auto load = [&](const std::string& called) { return ir::formats::load_tensors(file(called), 1 << 20); };
  const auto plain = make({});
  const auto truth = [&](float first) { return plain->run(of.graph, of.feeds(first), {of.scores, of.soft, of.y}); };
  const auto executor = make({.dump = "^(x|scores|y)$:" + file("dump.h5"), .dump_runs = "1-2"});
  const auto executable = executor->compile(of.graph, of.feeds(0), {{of.y}});
  ir::Tensors results;
  for (const float first : {0.f, 1.f, 2.f, 3.f}) {
    executable->run_into(of.feeds(first), results);
    ASSERT_EQ(results.size(), 1u) << "what is dumped is not handed back";
    EXPECT_TRUE(std::ranges::equal(results.at(of.y).bytes(), truth(first).at(of.y).bytes()));
    EXPECT_EQ(executable->nodes().size(), 3u);
  }
  EXPECT_FALSE(std::filesystem::exists(file("dump.run0.h5")));
  EXPECT_FALSE(std::filesystem::exists(file("dump.run3.h5")));
  for (const float run : {1.f, 2.f}) {
    const auto dump = load(ir::cat("dump.run", run, ".h5"));
    EXPECT_EQ(dump.size(), 3u);
    expect_bits(dump, name + "/x", of.feeds(run).at("x"));
    expect_bits(dump, name + "/scores", truth(run).at(of.scores));
    expect_bits(dump, name + "/y", truth(run).at(of.y));
  }
  executor->compile(of.graph, of.feeds(0), {{of.y}});  // never runs, and takes no name
  const auto held = executor->hold(of.feeds(0));
  const auto context = executor->compile(of.graph, held, {.capture = {{of.y}}})->context();
  ir::Buffer x = executor->allocate(of.graph.type(of.x));
  const ir::Tensor sevens = of.feeds(7).at("x");
  x.write(sevens);
  context->bind(of.x, x);
  for (int run = 0; run < 2; ++run) context->submit({}).get();
  expect_bits(load("dump-2.run1.h5"), name + "/scores", truth(7).at(of.scores));
}

/// Numbers that describe tensors in their place, values by the labels of their nodes, and graphs that have none.
inline void expect_statistics_are_dumped(const MakeDumpingExecutor& make, const std::string& name) {
  ir::formats::dump_runs();
  const tests::TemporaryFolder folder;
  std::filesystem::create_directories(folder.path);
  const DumpedGraph of;
  const std::string file = (folder.path / "dump.json").string();
  make({.dump = "layer/:" + file, .dump_stats = true})->run(of.graph, of.feeds(1), {of.y});
  const std::string text = ir::files::read_text(file, 1 << 20);
  for (const std::string& part :
       {"\"" + name + "/layer/soft\"", std::string("\"schema\": \"plumb.statistics/1\""), std::string("\"max\": 0.")})
    EXPECT_NE(text.find(part), text.npos) << part << " in " << text;
  std::filesystem::remove(file);
  make({.dump = "no_such_node:" + file, .dump_stats = true})->run(of.graph, of.feeds(1), {of.y});
  EXPECT_FALSE(std::filesystem::exists(file));
}

}  // namespace plumb::testing
