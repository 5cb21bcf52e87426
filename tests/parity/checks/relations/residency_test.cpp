#include "parity/checks/relations/residency.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "ir/residency.hpp"
#include "parity/verify/compile_once.hpp"
#include "parity/verify/verify.hpp"
#include "tests/parity/small_case.hpp"
#include "tests/support/cases/updated_operands.hpp"
#include "tests/support/paths.hpp"

namespace plumb::parity::checks::relations::residency_test {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

/// Appends a row to a cache, which can be fed back, and reads the cache that it makes.
constexpr auto cache_of_rows = R"({"format": "plumb.graph/1",
  "inputs": {"cache": {"type": "f32[1, 6, 3]"}, "row": {"type": "f32[1, 1, 3]"},
             "at": {"type": "i64[1]", "values": [2]}},
  "params": {"w": {"type": "f32[3, 5]"}},
  "nodes": [{"label": "new_cache", "op": "tensor_scatter", "inputs": ["cache", "row", "at"], "axis": 1,
             "has_write_indices": true},
            {"label": "scores", "op": "matmul", "inputs": ["new_cache", "w"]}],
  "results": ["new_cache", "scores"]})";

std::vector<cases::RelationResult> check(ir::Executor& executor, const cases::Case& subject) {
  const ir::Graph& graph = subject.file->graph;
  return check_residency(executor, graph, subject.feeds, executor.run(graph, subject.feeds, graph.results()));
}

void expect_holds(const std::vector<cases::RelationResult>& found, const std::string& how) {
  ASSERT_FALSE(found.empty());
  for (const cases::RelationResult& one : found) {
    EXPECT_EQ(one.verdict, core::Verdict::passed) << one.label << ": " << one.why;
    EXPECT_EQ(one.n_bad, 0u);
    EXPECT_EQ(one.relation, cases::Relation::residency);
    EXPECT_EQ(one.how, how);
    EXPECT_TRUE(one.bitwise);
  }
}

/// A context that hands everything on to another.
class Passing : public ir::Context {
 public:
  explicit Passing(std::shared_ptr<ir::Context> to) : to_(std::move(to)) {}

  void bind(ir::Value input, const ir::Buffer& from) override { to_->bind(input, from); }
  void bind_result(ir::Value result, const ir::Buffer& to) override { to_->bind_result(result, to); }
  void feed(ir::Value result, ir::Value input) override { to_->feed(result, input); }
  ir::Fence submit(const ir::Feeds& rest) override { return to_->submit(rest); }
  ir::Buffer buffer(ir::Value value) override { return to_->buffer(value); }
  std::string how(ir::Value result) const override { return to_->how(result); }
  ir::Traffic traffic() const override { return to_->traffic(); }
  bool blocks() const override { return to_->blocks(); }

 private:
  std::shared_ptr<ir::Context> to_;
};

void flip_a_bit(ir::Buffer buffer) { buffer.mapped().bytes()[0] ^= std::byte{1}; }

/// The CPU executor, with contexts that a test makes of an executable.
class Faulty final : public ir::Executor {
 public:
  using Make = std::function<std::unique_ptr<ir::Context>(ir::Executable&)>;
  enum class Imports { all, small, none, copies };
  explicit Faulty(Make make) : make_(std::move(make)) {}

  Imports imports = Imports::none;  ///< the memory that it uses where it is; `copies` says so of what it copies

  std::string_view name() const override { return "faulty"; }
  bool has_kernel(const ir::OpSchema& schema) const override { return cpu_.has_kernel(schema); }
  using ir::Executor::compile;
  std::unique_ptr<ir::Executable> compile(const ir::Graph& graph, const ir::Feeds& params,
                                          const ir::Capture& capture) override {
    return cpu_.compile(graph, params, capture);
  }
  ir::Buffer allocate(const ir::TensorType& type) override { return cpu_.allocate(type); }
  ir::Buffer import(ir::MutableView memory, std::shared_ptr<void> owner, ir::Import how) override {
    if (imports == Imports::all) return cpu_.import(memory, std::move(owner), how);
    if (imports == Imports::small && memory.bytes().size() <= 20) return cpu_.import(memory, std::move(owner), how);
    if (imports != Imports::copies) throw ir::Unsupported("it imports no such memory");
    ir::Buffer copy = allocate(memory.type());
    copy.write({memory.type(), memory.bytes()});
    return copy;
  }
  std::shared_ptr<ir::Params> hold(const ir::Feeds& params) override { return cpu_.hold(params); }

 private:
  class Program final : public ir::Executable {
   public:
    Program(std::unique_ptr<ir::Executable> of, const Make& make) : of_(std::move(of)), make_(make) {}
    ir::Tensors run(const ir::Feeds& inputs) override { return of_->run(inputs); }
    std::vector<ir::NodeReport> nodes() const override { return of_->nodes(); }
    std::unique_ptr<ir::Context> context() override { return make_(*of_); }

   private:
    std::unique_ptr<ir::Executable> of_;
    const Make& make_;
  };

  std::unique_ptr<ir::Executable> compile_held(const ir::Graph& graph, std::shared_ptr<ir::Params> params,
                                               const ir::CompileOptions& options) override {
    return std::make_unique<Program>(cpu_.compile(graph, std::move(params), options), make_);
  }

  ref_cpu::CpuExecutor cpu_;
  const Make make_;
};

/// "" where the relation holds of all results, and else why it does not of the first that breaks it.
std::string breach(const Faulty::Make& make) {
  Faulty faulty(make);
  for (const cases::RelationResult& one : check(faulty, testing::make_case(cache_of_rows)))
    if (one.verdict == core::Verdict::failed) return ir::cat(one.label, ": ", one.why);
  return "";
}

template <class Context>
std::unique_ptr<ir::Context> around(ir::Executable& executable) {
  return std::make_unique<Context>(executable.context());
}

TEST(ResidencyRelation, HoldsOfTheCpuExecutorAlsoThroughWrappers) {
  ref_cpu::CpuExecutor cpu;
  verify::CompileOnce once(cpu);
  Faulty honest(around<Passing>);
  honest.imports = Faulty::Imports::all;
  for (ir::Executor* executor : std::initializer_list<ir::Executor*>{&cpu, &once, &honest})
    expect_holds(check(*executor, testing::make_case(cache_of_rows)), "two contexts, bound, imported, fed 3 steps");
}

TEST(ResidencyRelation, SaysWhatWasImported) {
  using Imports = Faulty::Imports;
  Faulty executor(around<Passing>);
  for (const auto& [imports, how] : {std::pair{Imports::none, "two contexts, bound, fed 3 steps"},
                                     {Imports::small, "two contexts, bound, 2 of 5 tensors imported, fed 3 steps"}}) {
    executor.imports = imports;
    expect_holds(check(executor, testing::make_case(cache_of_rows)), how);
  }
}

TEST(ResidencyRelation, MemoryThatIsCopiedWhereItMustBeUsedIsFound) {
  Faulty executor(around<Passing>);
  executor.imports = Faulty::Imports::copies;
  for (const cases::RelationResult& one : check(executor, testing::make_case(cache_of_rows))) {
    EXPECT_EQ(one.verdict, core::Verdict::failed);
    EXPECT_THAT(one.why, StartsWith("imported: "));
  }
}

TEST(ResidencyRelation, HoldsOfOpsThatWriteInPlace) {
  ref_cpu::CpuExecutor cpu;
  for (const testing::UpdatedOperand& update : testing::updated_operands()) {
    SCOPED_TRACE(update.name);
    testing::UpdatedGraph made(update);
    const ir::Value y = made.updated(made.x);
    made.graph.returns(y);
    expect_holds(check_residency(cpu, made.graph, made.feeds, cpu.run(made.graph, made.feeds, {y})),
                 "two contexts, bound, imported, fed 3 steps");
  }
}

TEST(ResidencyRelation, HoldsOfGraphsOnTheCpu) {
  ref_cpu::CpuExecutor cpu;
  for (const auto& [name, how] : {std::pair{"bert_tiny.json", "two contexts, bound, imported"},
                                  {"mamba_block.json", "two contexts, bound, imported, fed 3 steps"},
                                  {"lstm_tagger.json", "two contexts, bound, imported"}}) {
    SCOPED_TRACE(name);
    expect_holds(check(cpu, verify::load_case(tests::source_dir() / "fixtures/graphs" / name, {})), how);
  }
}

TEST(ResidencyRelation, AResultThatIsAnInputIsPassedOver) {
  ref_cpu::CpuExecutor cpu;
  const auto found = check(cpu, testing::make_case(R"({"format": "plumb.graph/1",
    "inputs": {"x": {"type": "f32[4]"}, "y": {"type": "f32[4]"}},
    "nodes": [{"label": "sum", "op": "binary", "inputs": ["x", "y"], "function": "add"}], "results": ["x", "sum"]})"));
  expect_holds(found, "two contexts, bound, imported, fed 3 steps");
  EXPECT_EQ(found.size(), 1u);
  EXPECT_EQ(check(cpu, testing::make_case(R"({"format": "plumb.graph/1",
    "inputs": {"x": {"type": "f32[4]"}}, "nodes": [], "results": ["x"]})"))
                .size(),
            0u);
}

/// The index is doubled by each step, and the third one is out of range, as the first is of turned inputs.
TEST(ResidencyRelation, InputsThatRunRefusesAreNotAsked) {
  ref_cpu::CpuExecutor cpu;
  expect_holds(check(cpu, testing::make_case(R"({"format": "plumb.graph/1",
    "inputs": {"rows": {"type": "f32[6, 3]"}, "at": {"type": "i64[2]", "values": [2, 50]}},
    "nodes": [{"label": "first", "op": "slice", "inputs": ["at"], "axes": [0], "starts": [0], "sizes": [1]},
              {"label": "row", "op": "gather", "inputs": ["rows", "first"]},
              {"label": "next", "op": "binary", "inputs": ["at", "at"], "function": "add"}],
    "results": ["row", "next"]})")),
               "two contexts, bound, imported, fed 2 steps");
}

TEST(ResidencyRelation, ABitThatIsWrongInABoundResultAloneIsFound) {
  class Flips final : public Passing {
   public:
    using Passing::Passing;
    void bind_result(ir::Value result, const ir::Buffer& to) override {
      bound_ = to;
      Passing::bind_result(result, to);
    }
    ir::Fence submit(const ir::Feeds& rest) override {
      const ir::Fence fence = Passing::submit(rest);
      if (bound_) flip_a_bit(*bound_);
      return fence;
    }

   private:
    std::optional<ir::Buffer> bound_;
  };
  EXPECT_EQ(breach(around<Flips>), "scores: bound: 1 of 30 elements have other bits");
}

TEST(ResidencyRelation, ABoundInputThatIsWrittenOverIsFound) {
  class WritesOver final : public Passing {
   public:
    using Passing::Passing;
    void bind(ir::Value input, const ir::Buffer& from) override {
      if (input == 0) bound_ = from;
      Passing::bind(input, from);
    }
    ir::Fence submit(const ir::Feeds& rest) override {
      const ir::Fence fence = Passing::submit(rest);
      if (bound_) flip_a_bit(*bound_);
      return fence;
    }

   private:
    std::optional<ir::Buffer> bound_;
  };
  EXPECT_EQ(breach(around<WritesOver>), "new_cache: bound: the run wrote to the buffer of input 'cache'");
}

TEST(ResidencyRelation, MemoryThatTwoContextsShareIsFound) {
  std::map<ir::Executable*, std::weak_ptr<ir::Context>> all;
  const auto found = breach([&](ir::Executable& executable) {
    std::shared_ptr<ir::Context> shared = all[&executable].lock();
    if (shared == nullptr) all[&executable] = shared = executable.context();
    return std::make_unique<Passing>(std::move(shared));
  });
  EXPECT_THAT(found, StartsWith("new_cache: first context: "));
  EXPECT_THAT(found, HasSubstr(" of 18 elements have other bits"));
}

TEST(ResidencyRelation, AStepThatReadsAnotherInputThanItIsFedIsFound) {
  class Forgets final : public Passing {
   public:
    using Passing::Passing;
    void feed(ir::Value result, ir::Value input) override {
      fed_ = input;
      Passing::feed(result, input);
    }
    ir::Fence submit(const ir::Feeds& rest) override {
      if (fed_ && ++steps_ == 2) {
        ir::Buffer buffer = Passing::buffer(*fed_);
        buffer.write(ir::Tensor(buffer.type()));
      }
      return Passing::submit(rest);
    }

   private:
    std::optional<ir::Value> fed_;
    int steps_ = 0;
  };
  // All rows are zeros but the one that the step writes.
  EXPECT_EQ(breach(around<Forgets>), "new_cache: fed, step 2: 15 of 18 elements have other bits");
}

TEST(ResidencyRelation, AContextThatRefusesWhatRunTakesBreaksIt) {
  class Refuses final : public Passing {
   public:
    using Passing::Passing;
    ir::Fence submit(const ir::Feeds& rest) override {
      ir::require(!rest.empty(), "something has to be given");
      return Passing::submit(rest);
    }
  };
  Faulty faulty(around<Refuses>);
  for (const cases::RelationResult& one : check(faulty, testing::make_case(cache_of_rows))) {
    EXPECT_EQ(one.why, "bound: something has to be given");
    EXPECT_EQ(one.n_bad, one.n);
    EXPECT_EQ(one.verdict, core::Verdict::failed);
  }
}

TEST(ResidencyRelation, IsNotAskedOfAnExecutorWithoutContexts) {
  testing::Suspect suspect;
  EXPECT_TRUE(check(suspect, testing::make_case(cache_of_rows)).empty());
  Faulty without([](ir::Executable&) -> std::unique_ptr<ir::Context> { throw ir::Unsupported("has no contexts"); });
  EXPECT_TRUE(check(without, testing::make_case(cache_of_rows)).empty());
}

TEST(Feedable, HasEachInputOnce) {
  const auto subject = testing::make_case(R"({"format": "plumb.graph/1",
    "inputs": {"a": {"type": "f32[4]"}, "b": {"type": "i32[4]"}, "c": {"type": "f32[4]"}},
    "nodes": [{"label": "sum", "op": "binary", "inputs": ["a", "c"], "function": "add"},
              {"label": "twice", "op": "binary", "inputs": ["sum", "sum"], "function": "add"},
              {"label": "more", "op": "binary", "inputs": ["twice", "sum"], "function": "add"}],
    "results": ["sum", "twice", "more"]})");
  const ir::Graph& graph = subject.file->graph;
  using Pairs = std::vector<std::pair<ir::Value, ir::Value>>;
  EXPECT_EQ(feedable(graph), (Pairs{{*graph.find("sum"), 0}, {*graph.find("twice"), 2}}));
}

}  // namespace
}  // namespace plumb::parity::checks::relations::residency_test
