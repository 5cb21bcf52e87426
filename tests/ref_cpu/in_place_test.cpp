// Operands that the CPU executor writes over in place.
#include "ref_cpu/in_place.hpp"

#include <gmock/gmock.h>

#include "ir/formats/graph_file.hpp"
#include "ir/ops/constant.hpp"
#include "ir/ops/reshape.hpp"
#include "ir/schema.hpp"
#include "ref_cpu/kernel.hpp"
#include "ref_cpu/kernel_table.hpp"
#include "tests/support/cases/movement.hpp"
#include "tests/support/cases/updated_operands.hpp"
#include "tests/support/paths.hpp"
#include "tests/support/random_updates.hpp"

namespace plumb::ref_cpu::in_place_test {
namespace {

using ir::DType;
using ir::Tensor;
using ir::Value;
using plumb::testing::indices_of;
using plumb::testing::UpdatedGraph;
using plumb::testing::UpdatedOperand;
using Source = UpdatedGraph::Source;

std::string reason(const ir::Executable& executable, const ir::Graph& graph, Value value) {
  return executable.nodes().at(graph.producer(value).value()).reason;
}

class InPlace : public ::testing::TestWithParam<UpdatedOperand> {
 protected:
  CpuExecutor cpu;

  /// The op alone, whose operands are inputs and stay as they are.
  Tensor copied(const UpdatedOperand& update, const Tensor& x) {
    std::vector<Tensor> operands = update.others;
    operands.insert(operands.begin(), x);
    return ir::run_op(cpu, update.op, operands).front();
  }
};

TEST_P(InPlace, GivesTheBitsOfACopyInEveryRun) {
  const UpdatedOperand& update = GetParam();
  UpdatedGraph made(update);
  const Value h = made.computed(), y = made.updated(h), z = made.updated(y, "z");
  for (const ir::Capture& capture : {ir::Capture{{z}}, ir::Capture{{y, z}}, ir::Capture{{h, z}}}) {
    const auto executable = cpu.compile(made.graph, {}, capture);
    const auto wants = [&](Value v) { return std::ranges::count(capture.wanted, v) > 0; };
    EXPECT_EQ(reason(*executable, made.graph, y), wants(h) ? "" : "in place");
    EXPECT_EQ(reason(*executable, made.graph, z), wants(y) ? "" : "in place");
    for (const unsigned seed : {1u, 2u, 1u}) {
      made.feeds.insert_or_assign("x", tests::noise(update.x, seed));
      const Tensor x = made.feeds.at("x"), reversed = ir::run_op(cpu, ir::ops::Reverse{{0}}, {x}).front();
      const Tensor once = copied(update, reversed), twice = copied(update, once);
      const ir::Tensors got = executable->run(made.feeds);
      EXPECT_TRUE(tests::same_bytes(got.at(z), twice)) << seed;
      EXPECT_TRUE(!wants(y) || tests::same_bytes(got.at(y), once)) << seed;
      EXPECT_TRUE(!wants(h) || tests::same_bytes(got.at(h), reversed)) << seed;
      EXPECT_TRUE(tests::same_bytes(made.feeds.at("x"), x)) << "the caller's own memory";
    }
  }
}

TEST_P(InPlace, IsNothingThatIsReadLaterNorWhatIsGiven) {
  const UpdatedOperand& update = GetParam();
  UpdatedGraph made(update);
  const Value h = made.computed(), flat = made.graph.add("flat", ir::ops::Reshape{{-1}}, {h}), y = made.updated(h);
  const Value z = made.graph.add("z", ir::ops::Reverse{{0}}, {h});
  const auto read_later = cpu.compile(made.graph, {}, {{flat, y, z}}), all = cpu.compile(made.graph, {}, {{}, true});
  EXPECT_EQ(reason(*read_later, made.graph, y), "");
  EXPECT_EQ(reason(*all, made.graph, y), "");
  const ir::Tensors some = read_later->run(made.feeds), every = all->run(made.feeds);
  for (const auto& [value, tensor] : some) EXPECT_TRUE(tests::same_bytes(tensor, every.at(value)));
  EXPECT_TRUE(tests::same_bytes(some.at(z), made.feeds.at("x")));
  for (const Source source : {Source::input, Source::param}) {
    UpdatedGraph given(update, source);
    const Value of_given = given.updated(given.x);
    EXPECT_EQ(reason(*cpu.compile(given.graph, given.feeds, {{of_given}}), given.graph, of_given), "");
  }
}

INSTANTIATE_TEST_SUITE_P(, InPlace, ::testing::ValuesIn(plumb::testing::updated_operands()),
                         [](const auto& test) { return test.param.name; });

/// Inputs that are given, not bound, are copied.
TEST(InPlaceOfAll, HasTheBitsOfACopyForRandomShapesAndIndices) {
  CpuExecutor cpu;
  plumb::testing::expect_random_updates(cpu, cpu, 400);
}

/// Each file with its operands behind a node that copies them.
TEST(InPlaceFixtures, HaveTheBitsOfACopy) {
  CpuExecutor cpu;
  int compared = 0;
  for (const char* op : {"tensor_scatter", "dynamic_update_slice", "scatter_nd", "scatter_elements"})
    for (const auto& entry : std::filesystem::directory_iterator(tests::source_dir() / "fixtures/ops" / op)) {
      SCOPED_TRACE(entry.path());
      const auto file = ir::formats::read_graph(entry.path());
      const ir::Feeds feeds = ir::formats::materialise(file, 1);
      ir::Graph graph = file.graph.sources();
      std::map<Value, Value> into;
      for (Value v = 0; graph.is_source(v); ++v) {
        const ir::Shape& shape = graph.type(v).shape;
        into[v] = graph.add(ir::cat("copy", v), ir::ops::Reshape{shape}, {v});
      }
      for (const ir::Node& node : file.graph.nodes()) {
        std::vector<Value> inputs;
        for (const Value v : node.inputs) inputs.push_back(into.at(v));
        const auto outputs = graph.add_all(node.label, node.op, inputs);
        for (std::size_t k = 0; k < outputs.size(); ++k) into[node.outputs[k]] = outputs[k];
      }
      std::vector<Value> wanted;
      for (const Value v : file.graph.results()) wanted.push_back(into.at(v));
      const auto executable = cpu.compile(graph, feeds, {wanted});
      const ir::Tensors got = executable->run(feeds), expected = cpu.run(file.graph, feeds, file.graph.results());
      for (const Value v : file.graph.results()) EXPECT_TRUE(tests::same_bytes(got.at(into.at(v)), expected.at(v)));
      compared += std::ranges::count(executable->nodes(), "in place", &ir::NodeReport::reason) > 0 ? 1 : 0;
    }
  EXPECT_GE(compared, 15);
}

TEST(InPlaceHomes, AreNotThoseOfAnotherOperand) {
  const UpdatedOperand rows{"", ir::ops::TensorScatter{.axis = 1}, {DType::f32, {2, 3}}, {}};
  UpdatedGraph made(rows);
  const Value h = made.computed(), y = made.graph.add("y", rows.op, {h, h});
  EXPECT_EQ(homes(made.graph, std::vector<std::size_t>{0, 1}, [](Value) { return false; }),
            (std::vector<Value>{made.x, h, y}));
}

TEST(InPlaceHomes, AreNoConstants) {
  const UpdatedOperand rows{
      "", ir::ops::TensorScatter{.axis = 1}, {DType::f32, {1, 3}}, {Tensor::of<float>({1, 1}, {7})}};
  UpdatedGraph made(rows);
  const Value zeros = made.graph.add("zeros", ir::ops::Constant{DType::f32, {1, 3}, ir::Bytes(12)}, {});
  const Value y = made.updated(zeros);
  CpuExecutor cpu;
  const auto executable = cpu.compile(made.graph, {}, {{y}});
  EXPECT_EQ(reason(*executable, made.graph, y), "");
}

/// The kernels of the executor, with the result in the memory of the operand.
TEST(InPlaceKernels, LeaveTheOperandAsItWasWhereAnIndexIsRefused) {
  for (const UpdatedOperand& update : plumb::testing::updated_operands()) {
    const bool is_circular = update.op.is<ir::ops::TensorScatter>() &&
                             update.op.as<ir::ops::TensorScatter>().mode == ir::ops::TensorScatterMode::circular;
    if (update.op.is<ir::ops::DynamicUpdateSlice>() || is_circular) continue;  // which refuse none
    SCOPED_TRACE(update.name);
    std::vector<Tensor> others = update.others;
    const auto indices = std::ranges::find(others, DType::i64, [](const Tensor& one) { return one.type().dtype; });
    const bool has_updates =
        std::ranges::none_of(others, [](const Tensor& one) { return one.type().shape.elements() == 0; });
    if (indices == others.end() || !has_updates) continue;
    Tensor x = tests::noise(update.x);
    const Tensor before = x;
    const auto run_over = [&] {
      Call call;
      call.inputs.push_back(x);
      for (const Tensor& other : others) call.inputs.push_back(other);
      call.outputs.push_back(x.view());
      chosen_kernels().ops.at (&update.op.schema())(update.op, call);
    };
    indices->as<std::int64_t>().back() = 1000;
    EXPECT_NE(tests::message_of(run_over), "");
    EXPECT_TRUE(tests::same_bytes(x, before));
    indices->as<std::int64_t>().back() = 0;
    EXPECT_EQ(tests::message_of(run_over), "");
    std::vector<Tensor> operands = others;
    operands.insert(operands.begin(), before);
    CpuExecutor cpu;
    EXPECT_TRUE(tests::same_bytes(x, ir::run_op(cpu, update.op, operands).front()));
  }
}

}  // namespace
}  // namespace plumb::ref_cpu::in_place_test
