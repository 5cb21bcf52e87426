// Operands that are written over in place: the same bits as those that are copied, and none when an index is refused.
#include <gmock/gmock.h>

#include <numeric>

#include "gpu_vulkan/run/recording.hpp"
#include "ir/formats/graph_file.hpp"
#include "ir/ops/binary.hpp"
#include "ir/ops/gather.hpp"
#include "ir/ops/reshape.hpp"
#include "ir/raw/copy_bytes.hpp"
#include "tests/gpu_vulkan/device.hpp"
#include "tests/support/cases/movement.hpp"
#include "tests/support/cases/updated_operands.hpp"
#include "tests/support/paths.hpp"
#include "tests/support/random_updates.hpp"

namespace plumb::gpu_vulkan::written_over_test {
namespace {

using ir::DType;
using ir::Tensor;
using ir::Value;
using plumb::testing::indices_of;
using plumb::testing::UpdatedGraph;
using plumb::testing::UpdatedOperand;
using testing::executor_with;

class WrittenOver : public testing::OnDevice {
 protected:
  static std::unique_ptr<VulkanExecutor> executor(bool in_place) {
    return executor_with([&](device::VulkanOptions& options) { options.in_place = in_place; });
  }
};

/// Whether the plan has an operand in place, by the reports of its nodes.
bool any_in_place(const ir::Executable& executable) {
  return std::ranges::any_of(executable.nodes(), [](const auto& node) { return node.reason == "in place"; });
}

TEST_F(WrittenOver, GivesTheBitsOfACopyInEveryRun) {
  const auto in_place = executor(true), copied = executor(false);
  for (const UpdatedOperand& update : plumb::testing::updated_operands()) {
    SCOPED_TRACE(update.name);
    UpdatedGraph made(update);
    const Value of_input = made.updated(made.x, "of_input"), of_computed = made.updated(made.computed(), "of_computed");
    for (const std::vector<Value>& wanted : {std::vector{of_input}, std::vector{of_computed}}) {
      const auto over = in_place->compile(made.graph, {}, {wanted}), behind = copied->compile(made.graph, {}, {wanted});
      EXPECT_FALSE(any_in_place(*behind));
      for (const unsigned seed : {1u, 2u, 1u}) {
        made.feeds.insert_or_assign("x", tests::noise(update.x, seed));
        const Tensor before = made.feeds.at("x");
        const ir::Tensors got = over->run(made.feeds), expected = behind->run(made.feeds);
        EXPECT_TRUE(tests::same_bytes(got.at(wanted[0]), expected.at(wanted[0]))) << seed;
        EXPECT_TRUE(tests::same_bytes(made.feeds.at("x"), before)) << "the caller's own memory";
      }
    }
  }
}

TEST_F(WrittenOver, GivesTheBitsOfACopyForRandomShapesAndIndices) {
  plumb::testing::expect_random_updates(*executor(true), *executor(false), 24);
}

/// Files of these ops, with their operands as inputs and behind another node.
TEST_F(WrittenOver, GivesTheBitsOfACopyForEveryFixture) {
  const auto in_place = executor(true), copied = executor(false);
  int compared = 0;
  for (const char* op : {"tensor_scatter", "dynamic_update_slice", "scatter_nd", "scatter_elements"})
    for (const auto& entry : std::filesystem::directory_iterator(tests::source_dir() / "fixtures/ops" / op)) {
      SCOPED_TRACE(entry.path());
      if (entry.path().filename() == "read_behind_the_host.json") continue;  // which wants an executor with a host
      const auto file = ir::formats::read_graph(entry.path());
      const ir::Feeds feeds = ir::formats::materialise(file, 1);
      const ir::Capture results{file.graph.results()};
      const auto got = in_place->compile(file.graph, feeds, results),
                 expected = copied->compile(file.graph, feeds, results);
      const ir::Tensors ours = got->run(feeds), theirs = expected->run(feeds);
      for (const Value v : file.graph.results()) EXPECT_TRUE(tests::same_bytes(ours.at(v), theirs.at(v)));
      compared += any_in_place(*got) ? 1 : 0;
    }
  EXPECT_GE(compared, 15);
}

TEST_F(WrittenOver, IsNotWhatSomebodyReads) {
  const auto in_place = executor(true), copied = executor(false);
  for (const UpdatedOperand& update : plumb::testing::updated_operands()) {
    SCOPED_TRACE(update.name);
    UpdatedGraph made(update);
    const Value h = made.computed(), flat = made.graph.add("flat", ir::ops::Reshape{{-1}}, {h}), y = made.updated(h);
    const Value again = made.updated(y, "again"), z = made.graph.add("z", ir::ops::Reverse{{0}}, {h});
    for (const ir::Capture& capture :
         {ir::Capture{{again, z}}, ir::Capture{{y, again}}, ir::Capture{{flat, again}}, ir::Capture{{h, again}},
          ir::Capture{{again}}, ir::Capture{{again}, true}, ir::Capture{{again}, true, true}}) {
      const ir::Tensors got = in_place->compile(made.graph, {}, capture)->run(made.feeds);
      const ir::Tensors expected = copied->compile(made.graph, {}, capture)->run(made.feeds);
      ASSERT_EQ(got.size(), expected.size());
      for (const auto& [value, tensor] : expected)
        EXPECT_TRUE(tests::same_bytes(got.at(value), tensor)) << made.graph.name(value);
    }
  }
}

TEST_F(WrittenOver, HoldsInTheDebugModes) {
  using Options = device::VulkanOptions;
  const auto copied = executor(false);
  for (bool Options::*mode : {&Options::poison, &Options::lifetimes, &Options::step, &Options::full_barriers,
                              &Options::redzone, &Options::no_reuse}) {
    const auto watched = executor_with([&](Options& options) { options.*mode = true; });
    for (const UpdatedOperand& update : plumb::testing::updated_operands()) {
      if (update.name == "many_rows") continue;  // which takes long
      SCOPED_TRACE(update.name);
      UpdatedGraph made(update);
      const Value y = made.updated(made.updated(made.computed(), "a"));
      EXPECT_TRUE(tests::same_bytes(watched->run(made.graph, made.feeds, {y}).at(y),
                                    copied->run(made.graph, made.feeds, {y}).at(y)));
    }
  }
}

/// A plan by itself on the device, whose memory is looked at whether its run was refused or not.
struct Bare {
  const ir::Graph& graph;
  device::VulkanOptions options = device::options_from_environment();
  std::shared_ptr<runtime::Runtime> runtime = std::make_shared<runtime::Runtime>(options);
  plan::Plan plan;
  run::Residents residents;
  run::Recording recording;

  Bare(const ir::Graph& of, Value wanted)
      : graph(of),
        plan(plan::make_plan(of, {{wanted}}, runtime->device.facts(), {})),
        residents(*runtime, plan, options, tables(), {}),
        recording(*runtime, plan, graph, options, residents) {}

  /// Kernels read tables, which are uploaded once.
  run::Residents::Contents tables() const {
    run::Residents::Contents tables;
    for (plan::Slot s = 0; s < plan.schedule.slots.size(); ++s)
      if (const auto& content = plan.schedule.slots[s].content; !content.empty() && plan.placed(s))
        tables.emplace_back(s, content);
    return tables;
  }

  /// The memory where the result lies; `fault`: the one that the run raised.
  Tensor bytes_after(const ir::Feeds& feeds, Value wanted, plan::Fault& fault) {
    for (const Value v : plan.segments.at(0).uploads)
      ir::raw::copy_bytes(ir::fed(graph, feeds, v).bytes(), recording.upload_bytes(v));
    run::RunTimes times;
    recording.run(0, times);
    fault = recording.take_fault();
    Tensor found(graph.type(wanted));
    ir::raw::copy_bytes(recording.download_bytes(wanted), found.bytes());
    return found;
  }
};

/// A graph whose last node is written over "x".
void expect_unchanged(const ir::Graph& graph, Value result, const ir::Feeds& good, const ir::Feeds& bad) {
  Bare bare(graph, result);
  ASSERT_EQ(bare.plan.slot(result), bare.plan.slot(graph.find("x").value()));
  plan::Fault fault{};
  const Tensor changed = bare.bytes_after(good, result, fault);
  EXPECT_EQ(fault.raised, 0u);
  EXPECT_FALSE(tests::same_bytes(changed, good.at("x")));
  EXPECT_TRUE(tests::same_bytes(bare.bytes_after(bad, result, fault), bad.at("x")));
  EXPECT_NE(fault.raised, 0u);
  EXPECT_TRUE(tests::same_bytes(bare.bytes_after(good, result, fault), changed));
  EXPECT_EQ(fault.raised, 0u);
}

TEST_F(WrittenOver, IsLeftAsItWasWhereAnIndexIsRefused) {
  using namespace ir::ops;
  using R = ir::kernels::ScatterReduction;
  const auto noise = [](DType dtype, const ir::Shape& shape) { return tests::noise({dtype, shape}, 7); };
  std::vector<std::int64_t> rows(300);
  std::iota(rows.begin(), rows.end(), 0);
  const TensorScatter put{.axis = 1, .has_write_indices = true};
  // The last index of each is wrong in turn.
  const UpdatedOperand updates[] = {
      {"rows", put, {DType::f32, {3, 400, 33}}, {noise(DType::f32, {3, 77, 33}), indices_of({3}, {0, 100, 323})}},
      {"batch", put, {DType::u8, {300, 301}}, {noise(DType::u8, {300, 1}), indices_of({300}, rows)}},
      {"slices", ScatterNd{}, {DType::f32, {300, 17}}, {indices_of({300, 1}, rows), noise(DType::f32, {300, 17})}},
      {"sums", ScatterNd{R::add}, {DType::i32, {300, 3}}, {indices_of({300, 1}, rows), noise(DType::i32, {300, 3})}},
      {"few_sums", ScatterNd{R::add}, {DType::i32, {5}}, {indices_of({2, 1}, {3, 4}), noise(DType::i32, {2})}},
      {"elements", ScatterElements{0}, {DType::f64, {300}}, {indices_of({300}, rows), noise(DType::f64, {300})}},
      {"maxima",
       ScatterElements{0, R::maximum},
       {DType::u8, {300}},
       {indices_of({300}, rows), noise(DType::u8, {300})}},
  };
  for (const UpdatedOperand& update : updates)
    for (const std::int64_t wrong : {std::int64_t{324}, std::int64_t{-301}, std::int64_t{1} << 32}) {
      SCOPED_TRACE(ir::cat(update.name, " at ", wrong));
      UpdatedGraph made(update);
      const Value y = made.updated(made.x);
      ir::Feeds bad = made.feeds;
      for (auto& [name, tensor] : bad)
        if (tensor.type().dtype == DType::i64) tensor.as<std::int64_t>().back() = wrong;
      expect_unchanged(made.graph, y, made.feeds, bad);
    }
}

TEST_F(WrittenOver, IsLeftAsItWasWhereANodeBeforeWasRefusedAnIndex) {
  using namespace ir::ops;
  const UpdatedOperand updates[] = {
      {"box", DynamicUpdateSlice{}, {DType::i32, {5, 3}}, {indices_of({2}, {1, 0})}},
      {"circle",
       TensorScatter{.axis = 1, .mode = TensorScatterMode::circular, .has_write_indices = true},
       {DType::i32, {2, 7}},
       {indices_of({2}, {6, -1})}},
      {"start", TensorScatter{.axis = 1}, {DType::i32, {2, 7}}, {}},
      {"slices", ScatterNd{}, {DType::i32, {5, 3}}, {indices_of({2, 1}, {4, 0})}},
      {"sums", ScatterNd{ir::kernels::ScatterReduction::add}, {DType::i32, {5, 3}}, {indices_of({2, 1}, {4, 0})}},
  };
  for (const UpdatedOperand& update : updates) {
    SCOPED_TRACE(update.name);
    ir::Graph graph;
    const Value x = graph.input("x", update.x), table = graph.input("table", {DType::i32, {4, 3}});
    const Value at = graph.input("at", {DType::i64, {2}});
    std::vector<Value> operands = {x};
    ir::Feeds good = {{"x", tests::noise(update.x)}, {"at", indices_of({2}, {3, 0})}};
    good.emplace("table", tests::noise({DType::i32, {4, 3}}, 2));
    for (const Tensor& other : update.others) {
      operands.push_back(graph.input("other", other.type()));
      good.emplace("other", other);
    }
    const Value rows = graph.add("rows", Gather{0}, {table, at});
    const bool is_scatter = update.op.is<ScatterNd>();
    operands.insert(operands.end() - (operands.size() > 1 && !is_scatter ? 1 : 0), rows);
    const Value y = graph.add("y", update.op, operands);
    ir::Feeds bad = good;
    bad.at("at").as<std::int64_t>().back() = 4;
    expect_unchanged(graph, y, good, bad);
  }
}

}  // namespace
}  // namespace plumb::gpu_vulkan::written_over_test
