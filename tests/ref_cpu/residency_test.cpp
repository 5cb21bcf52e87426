// Buffers and contexts of the CPU executor.
#include "parity/checks/relations/residency.hpp"

#include "ref_cpu/cpu_executor.hpp"
#include "tests/support/cases/updated_operands.hpp"
#include "tests/support/decoded_models.hpp"
#include "tests/support/paths.hpp"
#include "tests/support/resident_runs.hpp"

namespace plumb::ref_cpu::residency_test {
namespace {

using ir::DType;
using ir::Tensor;
using ir::Value;
using plumb::testing::read;
using plumb::testing::UpdatedGraph;
using plumb::testing::UpdatedOperand;

class Resident : public ::testing::Test {
 protected:
  CpuExecutor cpu;
};

TEST_F(Resident, RunsHaveTheBitsOfRunOnEveryGraph) {
  int fed = 0;
  for (const auto& entry : std::filesystem::directory_iterator(tests::source_dir() / "fixtures/graphs")) {
    if (entry.path().filename() == "bert_base.json") continue;  // whose 110 million weights are no other question
    SCOPED_TRACE(entry.path());
    const auto file = ir::formats::read_graph(entry.path());
    const ir::Feeds feeds = ir::formats::materialise(file, 1), others = ir::formats::materialise(file, 2);
    plumb::testing::expect_contexts_equal_run(cpu, file.graph, feeds, others);
    const auto pairs = parity::checks::relations::feedable(file.graph);
    if (!pairs.empty()) {
      plumb::testing::expect_fed_equals_run(cpu, file.graph, feeds, pairs);
      plumb::testing::expect_rebound_equals_run(cpu, file.graph, feeds, pairs);
    }
    fed += static_cast<int>(pairs.size());
  }
  EXPECT_GE(fed, 3) << "graphs with a result that an input can be";
}

TEST_F(Resident, ModelsDecodeInPlaceAsThroughTheHost) {
  plumb::testing::expect_models_decode_in_place(
      cpu, {"llama", "gemma3", "phi3", "gpt-oss", "deepseek2", "qwen35moe", "gemma4"});
}

TEST_F(Resident, PromptsSeeNothingOfOthersOrOfWhatLiesBehindThem) {
  plumb::testing::expect_prompts_stand_alone(cpu, {"llama", "gpt-oss", "deepseek2", "qwen35moe", "gemma4"});
}

TEST_F(Resident, OperandsAreWrittenOverWhereTheyAreBoundOrFed) {
  for (const UpdatedOperand& update : plumb::testing::updated_operands()) {
    SCOPED_TRACE(update.name);
    UpdatedGraph made(update);
    const Value y = made.updated(made.x);
    made.graph.returns(y);
    plumb::testing::expect_contexts_equal_run(cpu, made.graph, made.feeds, made.feeds);
    plumb::testing::expect_fed_equals_run(cpu, made.graph, made.feeds, {{y, made.x}});
    plumb::testing::expect_rebound_equals_run(cpu, made.graph, made.feeds, {{y, made.x}});
    const auto context = cpu.compile(made.graph, {}, {{y}})->context();
    context->feed(y, made.x);
    EXPECT_EQ(context->how(y), "in place");
    const ir::Buffer both = plumb::testing::buffer_of(cpu, made.feeds.at("x"));
    context->bind(made.x, both);
    context->bind_result(y, both);
    ir::Feeds rest = made.feeds;
    rest.erase("x");
    context->submit(rest).get();
    EXPECT_TRUE(tests::same_bytes(read(both), cpu.run(made.graph, made.feeds, {y}).at(y)));
    EXPECT_EQ(context->buffer(y).memory(), both.memory());
  }
}

TEST_F(Resident, ADecoderKeepsItsCache) { plumb::testing::expect_decoded_in_place(cpu, 256); }

TEST_F(Resident, MisuseIsAnErrorThatSaysWhy) {
  class Other final : public ir::Executor {
   public:
    std::string_view name() const override { return "other"; }
    bool has_kernel(const ir::OpSchema&) const override { return false; }
    using ir::Executor::compile;
    std::unique_ptr<ir::Executable> compile(const ir::Graph&, const ir::Feeds&, const ir::Capture&) override {
      return nullptr;
    }
    ir::Buffer allocate(const ir::TensorType& type) override { return {std::make_shared<Elsewhere>(), type}; }
    std::shared_ptr<ir::Params> hold(const ir::Feeds&) override { return nullptr; }

   private:
    struct Elsewhere final : ir::Memory {
      const void* place() const override { return this; }
      std::span<std::byte> mapped() override { return {}; }
      void write(std::span<const std::byte>, const std::vector<ir::Stretch>&) override {}
      void read(std::span<std::byte>, const std::vector<ir::Stretch>&) override {}
      void copy(ir::Memory&, const std::vector<Piece>&) override {}
    };
  } other;
  plumb::testing::expect_misuse_is_refused(cpu, other);
  plumb::testing::expect_conflicts_are_refused(cpu);
}

TEST_F(Resident, ARefusedIndexIsTheFencesErrorAndChangesNothing) {
  plumb::testing::expect_a_refused_index_changes_nothing(cpu, "node 'y' (tensor_scatter)");
}

TEST_F(Resident, AnExecutableSaysWhatItKeeps) { plumb::testing::expect_an_executable_says_what_it_keeps(cpu); }

TEST(Residency, IsUnsupportedUnlessAnExecutorOffersIt) {
  class Plain final : public ir::Executor {
   public:
    std::string_view name() const override { return "plain"; }
    bool has_kernel(const ir::OpSchema&) const override { return false; }
    std::unique_ptr<ir::Executable> compile(const ir::Graph&, const ir::Feeds&, const ir::Capture&) override {
      class Nothing final : public ir::Executable {
       public:
        ir::Tensors run(const ir::Feeds&) override { return {}; }
        std::vector<ir::NodeReport> nodes() const override { return {}; }
      };
      return std::make_unique<Nothing>();
    }
  } plain;
  ir::Executor& executor = plain;
  const auto executable = executor.compile({}, ir::Feeds{}, ir::Capture{});
  EXPECT_THROW(executor.allocate({}), ir::Unsupported);
  EXPECT_THROW(executor.hold({}), ir::Unsupported);
  EXPECT_THROW(executor.import({}, {}, ir::Import::require), ir::Unsupported);
  EXPECT_THROW(executor.compile({}, std::shared_ptr<ir::Params>(), ir::CompileOptions{}), ir::Unsupported);
  EXPECT_THROW(executable->context(), ir::Unsupported);
  EXPECT_THROW(executable->has_contexts(), ir::Unsupported);
  EXPECT_THROW(executable->bytes(), ir::Unsupported);
  EXPECT_THROW(executable->identity(), ir::Unsupported);
}

}  // namespace
}  // namespace plumb::ref_cpu::residency_test
