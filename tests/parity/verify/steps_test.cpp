// Steps of a decoder, on executors that append rows to a cache as they must not.
#include "parity/verify/steps.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "ir/formats/gguf/architectures/read_gguf.hpp"
#include "library/reference.hpp"
#include "parity/core/handed_on.hpp"
#include "parity/report/steps.hpp"
#include "tests/support/paths.hpp"

namespace plumb::parity::steps_test {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

/// The row that is appended keeps what it had, or lies one further, or at the beginning.
enum class Append { right, stale, shifted, wrapped };

constexpr auto cache_name = "cache_k.0";
constexpr std::int64_t prompt = 3, steps = 4;

/// Moves a row of every head.
void spoil(Append how, const ir::Tensor& before, ir::Tensor& after, std::int64_t row) {
  const ir::Shape& shape = after.shape();
  const std::int64_t rows = shape[2], columns = shape[3], heads = shape[0] * shape[1];
  for (std::int64_t head = 0; head < heads; ++head) {
    const auto of = [&](auto cells, std::int64_t at) {
      return cells.subspan(static_cast<std::size_t>((head * rows + at) * columns), static_cast<std::size_t>(columns));
    };
    const auto written = of(after.as<float>(), row);
    if (how == Append::shifted) std::ranges::copy(written, of(after.as<float>(), row + 1).begin());
    if (how == Append::wrapped) std::ranges::copy(written, of(after.as<float>(), 0).begin());
    std::ranges::copy(of(before.as<float>(), row), written.begin());
  }
}

/// The row that a step writes; none where the prompt runs, or the first step does, or nobody says where it writes.
std::optional<std::int64_t> spoilt_row(const ir::Feeds& inputs) {
  const auto at = inputs.find("write_at");
  if (at == inputs.end()) return std::nullopt;
  const std::int64_t row = at->second.as<std::int32_t>()[0];
  return row > prompt ? std::optional(row) : std::nullopt;
}

class SpoiltContext final : public ir::Context {
 public:
  SpoiltContext(std::unique_ptr<ir::Context> of, Append how, ir::Value cache)
      : of_(std::move(of)), how_(how), cache_(cache) {}

  void bind(ir::Value input, const ir::Buffer& from) override { of_->bind(input, from); }
  void bind_result(ir::Value result, const ir::Buffer& to) override { of_->bind_result(result, to); }
  void feed(ir::Value result, ir::Value input) override { of_->feed(result, input); }
  ir::Fence submit(const ir::Feeds& rest) override {
    const auto row = spoilt_row(rest);
    if (!row) return of_->submit(rest);
    ir::Buffer cache = of_->buffer(cache_);
    ir::Tensor before(cache.type()), after(cache.type());
    cache.read(before.view());
    ir::Fence fence = of_->submit(rest);
    fence.get();
    cache.read(after.view());
    spoil(how_, before, after, *row);
    cache.write(after);
    return fence;
  }
  ir::Buffer buffer(ir::Value value) override { return of_->buffer(value); }
  std::string how(ir::Value result) const override { return of_->how(result); }
  ir::Traffic traffic() const override { return of_->traffic(); }
  bool blocks() const override { return of_->blocks(); }

 private:
  std::unique_ptr<ir::Context> of_;
  Append how_;
  ir::Value cache_;
};

/// Spoils rows from the second step on: in contexts, and elsewhere where that is said.
class SpoilingExecutor final : public core::HandedOn {
 public:
  SpoilingExecutor(ir::Executor& of, Append how, bool everywhere) : HandedOn(of), how_(how), everywhere_(everywhere) {}
  using ir::Executor::compile;
  std::unique_ptr<ir::Executable> compile(const ir::Graph& graph, const ir::Feeds& params,
                                          const ir::Capture& capture) override {
    return std::make_unique<Program>(HandedOn::compile(graph, params, capture), *this, graph);
  }

 private:
  class Program final : public core::HandedOnExecutable {
   public:
    Program(std::unique_ptr<ir::Executable> of, const SpoilingExecutor& by, const ir::Graph& graph)
        : HandedOnExecutable(std::move(of)),
          by_(by),
          cache_(graph.find(cache_name)),
          next_(graph.find(std::string(cache_name) + ".next")) {}
    ir::Tensors run(const ir::Feeds& inputs) override {
      ir::Tensors values = HandedOnExecutable::run(inputs);
      const bool is_model = cache_ && next_ && inputs.contains("write_at");  // else a node runs alone
      if (!is_model || !by_.everywhere_ || by_.how_ == Append::right) return values;
      const auto row = spoilt_row(inputs);
      if (const auto found = values.find(*next_); row && found != values.end())
        spoil(by_.how_, inputs.at(cache_name), found->second, *row);
      return values;
    }
    std::unique_ptr<ir::Context> context() override {
      if (by_.how_ == Append::right || !cache_) return HandedOnExecutable::context();
      return std::make_unique<SpoiltContext>(HandedOnExecutable::context(), by_.how_, *cache_);
    }

   private:
    const SpoilingExecutor& by_;
    std::optional<ir::Value> cache_, next_;
  };

  std::unique_ptr<ir::Executable> compile_held(const ir::Graph& graph, std::shared_ptr<ir::Params> params,
                                               const ir::CompileOptions& options) override {
    return std::make_unique<Program>(HandedOn::compile_held(graph, std::move(params), options), *this, graph);
  }

  Append how_;
  bool everywhere_;
};

/// Draws by another op in steps, and notes in which of them a token is another one. It has no contexts.
class OtherDraws final : public core::HandedOn {
 public:
  OtherDraws(ir::Executor& of, const ir::ops::Sample& other) : HandedOn(of), of_(of), other_(other) {}
  using ir::Executor::compile;
  std::unique_ptr<ir::Executable> compile(const ir::Graph& graph, const ir::Feeds& params,
                                          const ir::Capture& capture) override {
    return std::make_unique<Program>(HandedOn::compile(graph, params, capture), *this, graph);
  }
  const std::set<std::uint32_t>& changed() const { return changed_; }

 private:
  class Program final : public core::HandedOnExecutable {
   public:
    Program(std::unique_ptr<ir::Executable> of, OtherDraws& by, const ir::Graph& graph)
        : HandedOnExecutable(std::move(of)),
          by_(by),
          logits_(graph.find("logits").value()),
          next_(graph.find("tokens.next").value()) {}
    ir::Tensors run(const ir::Feeds& inputs) override {
      ir::Tensors values = HandedOnExecutable::run(inputs);
      const std::uint32_t draw = inputs.at("draw").as<std::uint32_t>()[0];
      if (draw == 0) return values;
      ir::Tensor drawn = ir::run_op(by_.of_, by_.other_, {values.at(logits_), inputs.at("draw")}).front();
      if (!std::ranges::equal(drawn.bytes(), values.at(next_).bytes())) by_.changed_.insert(draw);
      values.insert_or_assign(next_, std::move(drawn));
      return values;
    }

   private:
    OtherDraws& by_;
    ir::Value logits_, next_;
  };

  std::unique_ptr<ir::Executable> compile_held(const ir::Graph&, std::shared_ptr<ir::Params>,
                                               const ir::CompileOptions&) override {
    throw ir::Unsupported("keeps no tensors");
  }

  ir::Executor& of_;
  ir::ops::Sample other_;
  std::set<std::uint32_t> changed_;
};

const ir::ops::Sample draws{.temperature = 0.8, .top_k = 6, .top_p = 0.9, .seed = 3};

class Steps : public ::testing::Test {
 protected:
  static cases::Case load(std::int64_t tokens, bool is_step, const std::vector<std::int64_t>& ids = {},
                          std::int64_t batch = 1, const ir::ops::Sample& draw = {.temperature = 0}) {
    ir::formats::gguf::architectures::Options options{
        .prompt_tokens = tokens, .draw = draw, .context = prompt + steps + 1, .batch = batch};
    options.tokens = ids;
    if (ids.empty()) options.steps = steps;
    verify::FillOptions fill;
    fill.read = [&](const std::filesystem::path& path) {
      auto model = ir::formats::gguf::architectures::read_gguf(path, options);
      return is_step ? std::move(*model.step) : std::move(model.file);
    };
    return verify::load_case(tests::source_dir() / "tests/fuzz/gguf/llama.gguf", fill);
  }

  /// Each step's result, until there is nothing more to verify.
  std::vector<cases::CaseResult> run(Append how, bool everywhere, bool metamorphic = false) {
    ref_cpu::CpuExecutor reference = library::reference_executor();
    SpoilingExecutor candidate(reference, how, everywhere);
    const cases::Executors executors{.reference = reference, .candidate = &candidate, .candidate_is_host = true};
    const cases::Case first = load(prompt, false);
    verify::StepCases all(first, load(prompt, true), executors, steps, [](const ir::Tensor& tokens) {
      const auto ids = tokens.as<std::int32_t>();
      return load(prompt + steps, false, {ids.begin(), ids.end()});
    });
    std::vector<cases::CaseResult> results;
    cases::Observer nobody;
    while (!all.is_over()) results.push_back(all.verify_next({.plain = true, .metamorphic = metamorphic}, nobody));
    return results;
  }

  static std::vector<std::string> failed(const cases::CaseResult& result) {
    std::vector<std::string> names;
    for (const cases::NodeResult& node : result.nodes)
      if (node.verdict == core::Verdict::failed) names.push_back(node.name());
    return names;
  }
  static core::Verdict decoding(const cases::CaseResult& result) {
    for (const cases::RelationResult& one : result.relations)
      if (one.relation == cases::Relation::decoding) return one.verdict;
    return core::Verdict::skipped;
  }
};

TEST_F(Steps, PassOneByOneWithCachesInPlaceAndGiveWhatOneRunDoes) {
  const auto results = run(Append::right, true, true);
  ASSERT_EQ(std::ssize(results), steps);
  for (const cases::CaseResult& one : results) {
    EXPECT_EQ(one.exit, core::ExitCode::passed) << one.message;
    EXPECT_GT(one.nodes.size(), 10u);
  }
  EXPECT_EQ(results.back().subject.step, steps);
  EXPECT_THAT(results.back().identity.id(), HasSubstr(" step=4"));
  EXPECT_THAT(results.back().notes, Contains(HasSubstr("in place; a step moved 4 bytes up")));
  EXPECT_EQ(decoding(results.back()), core::Verdict::passed);
  EXPECT_EQ(decoding(results.front()), core::Verdict::skipped) << "the relation is of the last step";
}

TEST_F(Steps, RowsThatAreAppendedWronglyFailAtTheCacheInTheirStepAndInOneRun) {
  for (const Append how : {Append::stale, Append::shifted, Append::wrapped}) {
    const auto results = run(how, true, true);
    ASSERT_EQ(std::ssize(results), steps);
    EXPECT_EQ(results[0].exit, core::ExitCode::passed) << results[0].message;
    EXPECT_EQ(results[1].exit, core::ExitCode::failed);
    EXPECT_THAT(failed(results[1]), Contains(std::string(cache_name) + ".next"));
    EXPECT_EQ(decoding(results.back()), core::Verdict::failed);
    const cases::CaseResult all = report::of_all_steps(results);
    const auto at = std::ranges::find(all.nodes, std::string(cache_name) + ".next", &cases::NodeResult::name);
    ASSERT_NE(at, all.nodes.end());
    EXPECT_GE(at->step, 2);
    EXPECT_EQ(std::ranges::count(all.nodes, at->label, &cases::NodeResult::label), 1) << "a node is there once";
  }
}

TEST_F(Steps, RowsThatAreWrongInTheExecutorsMemoryAloneAreFoundWithTheStepThatWritesThem) {
  for (const Append how : {Append::stale, Append::shifted, Append::wrapped}) {
    const auto results = run(how, false);
    ASSERT_EQ(results.size(), 3u) << "the row that step 2 spoils is read by step 3";
    EXPECT_EQ(results[1].exit, core::ExitCode::passed) << results[1].message;
    EXPECT_EQ(results[2].exit, core::ExitCode::failed);
    EXPECT_THAT(results[2].message, HasSubstr("step 3: in its own memory it gives other bits than by way of the host"));
    const auto place = how == Append::wrapped ? "row 0 of cache_k.0, which the prompt writes"
                                              : "row 4 of cache_k.0, which step 2 writes";
    EXPECT_THAT(results[2].message, HasSubstr(place));
  }
}

TEST_F(Steps, ATokenThatIsDrawnOtherwiseFailsWhereItIsDrawnInItsStep) {
  constexpr std::int64_t prompts = 6;
  for (const auto& change : std::initializer_list<void (*)(ir::ops::Sample&)>{
           [](ir::ops::Sample& draw) { draw.temperature *= draw.temperature; },
           [](ir::ops::Sample& draw) { --draw.top_k; }, [](ir::ops::Sample& draw) { draw.top_p -= 0.1; }}) {
    ir::ops::Sample other = draws;
    change(other);
    other.index_dtype = ir::DType::i32;
    other.has_offset = true;
    ref_cpu::CpuExecutor reference = library::reference_executor();
    OtherDraws candidate(reference, other);
    const cases::Executors executors{.reference = reference, .candidate = &candidate, .candidate_is_host = true};
    const cases::Case first = load(prompt, false, {}, prompts, draws);
    verify::StepCases all(first, load(prompt, true, {}, prompts, draws), executors, steps, {});
    cases::Observer nobody;
    for (std::uint32_t step = 1; !all.is_over(); ++step) {
      const cases::CaseResult result = all.verify_next({}, nobody);
      const bool is_changed = candidate.changed().contains(step);
      EXPECT_THAT(failed(result), ::testing::ElementsAreArray(is_changed ? std::vector<std::string>{"tokens.next"}
                                                                         : std::vector<std::string>{}))
          << "step " << step;
    }
    EXPECT_FALSE(candidate.changed().empty());
  }
}

}  // namespace
}  // namespace plumb::parity::steps_test
