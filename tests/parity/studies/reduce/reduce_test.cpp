// Nodes are left out, axes cut and numbers simplified for predicates that know what has to stay.
#include "parity/studies/reduce/reduce.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "parity/studies/reduce/ddmin.hpp"
#include "parity/studies/reduce/signature.hpp"
#include "ref_cpu/cpu_executor.hpp"
#include "tests/parity/small_case.hpp"

namespace plumb::testing::reduce_test {
namespace {

using namespace parity::studies::reduce;
using ::testing::ElementsAre;
using Items = std::vector<std::size_t>;

Items numbered(std::size_t count) {
  Items items(count);
  for (std::size_t k = 0; k < count; ++k) items[k] = k;
  return items;
}

bool has_all(const Items& items, const Items& wanted) {
  return std::ranges::all_of(wanted, [&](std::size_t one) { return std::ranges::count(items, one) == 1; });
}

TEST(Ddmin, KeepsWhatFailsTogetherWhereverItIs) {
  for (const Items& wanted : {Items{0}, Items{99}, Items{3, 97}, Items{0, 1, 50, 51, 99}, Items{7, 8, 9}})
    EXPECT_EQ(ddmin(numbered(100), [&](const Items& kept) { return has_all(kept, wanted); }), wanted);
}

TEST(Ddmin, IsOneMinimalWhereMoreIsNotAlwaysWorse) {
  std::mt19937 random(5);
  for (int trial = 0; trial < 200; ++trial) {
    // Some sets fail, drawn anew in each trial, as where failures depend on fusions.
    const auto salt = random();
    const auto fails = [&](const Items& kept) {
      EXPECT_FALSE(kept.empty());
      std::size_t mixed = salt;
      for (const std::size_t one : kept) mixed = (mixed ^ one) * 0x9E3779B97F4A7C15u;
      return has_all(kept, {2, 11}) && (kept.size() == 20 || (mixed >> 60) != 0);
    };
    const Items left = ddmin(numbered(20), fails);
    EXPECT_TRUE(left.size() == 20 || fails(left));
    for (std::size_t k = 0; k < left.size() && left.size() > 1; ++k) {
      Items fewer = left;
      fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(k));
      EXPECT_FALSE(fails(fewer));
    }
  }
}

TEST(Ddmin, AsksLittleOfMany) {
  std::size_t asked = 0;
  const auto left = ddmin(numbered(1024), [&](const Items& kept) {
    ++asked;
    return has_all(kept, {700});
  });
  EXPECT_THAT(left, ElementsAre(700));
  EXPECT_LE(asked, 40u);
}

TEST(SmallerExtents, EndWithOneLess) {
  EXPECT_THAT(smaller_extents(200), ElementsAre(1, 2, 100, 72, 8, 199));
  EXPECT_THAT(smaller_extents(256), ElementsAre(1, 2, 128, 64, 32, 16, 8, 255));
  EXPECT_THAT(smaller_extents(3), ElementsAre(1, 2));
  EXPECT_THAT(smaller_extents(2), ElementsAre(1));
}

Candidate small() { return candidate_of(make_case(small_graph)); }

ir::Tensors values_of(const Candidate& candidate) {
  ref_cpu::CpuExecutor cpu;
  std::vector<ir::Value> all;
  for (const ir::Node& node : candidate.graph.nodes()) all.insert(all.end(), node.outputs.begin(), node.outputs.end());
  return cpu.run(candidate.graph, ir::formats::materialise(file_of(candidate, ""), 1), all);
}

const ir::Node* node_of(const Candidate& candidate, std::string_view label) {
  for (const ir::Node& node : candidate.graph.nodes())
    if (node.label == label) return &node;
  return nullptr;
}

TEST(ReducedCandidate, OfACaseIsFedTheSame) {
  const parity::cases::Case subject = make_case(small_graph, 7);
  const Candidate whole = candidate_of(subject);
  EXPECT_FALSE(has_numbers(whole));
  const ir::Feeds fed = ir::formats::materialise(file_of(whole, ""), 1);
  ASSERT_EQ(fed.size(), subject.feeds.size());
  for (const auto& [name, tensor] : subject.feeds)
    EXPECT_TRUE(std::ranges::equal(fed.at(name).bytes(), tensor.bytes())) << name;
  const ir::formats::GraphFile again = ir::formats::parse_graph(ir::formats::write_graph(file_of(whole, "")), "");
  EXPECT_EQ(ir::structural_hash(again.graph), ir::structural_hash(subject.file->graph));
}

TEST(ReducedCandidate, FeedsANodeAloneWhatOthersGave) {
  const Candidate whole = small();
  const ir::Tensors values = values_of(whole);
  // x w -> scores -> weights -> turned -> back -> whole
  const Candidate some = with_nodes(whole, {1, 3}, [&](ir::Value v) { return values.at(v); });
  EXPECT_THAT(some.graph.inputs(), ElementsAre("x", "scores", "turned"));
  EXPECT_TRUE(some.graph.params().empty());
  const ir::Tensors again = values_of(some);
  for (const char* const label : {"weights", "back"})
    EXPECT_TRUE(std::ranges::equal(again.at(node_of(some, label)->outputs[0]).bytes(),
                                   values.at(node_of(whole, label)->outputs[0]).bytes()))
        << label;
  EXPECT_EQ(some.graph.results().size(), 2u);  // nobody reads either
  EXPECT_EQ(elements_of(some.graph), 7 * 5 + 7 * 11 + 11 * 7 + 7 * 11 + 11 * 5);
}

TEST(ReducedCandidate, TiesAxesThatLoopsTie) {
  const Candidate whole = small();
  const ir::Value x = *whole.graph.find("x"), w = *whole.graph.find("w");
  const auto groups = tied_axes(whole.graph);
  const auto has = [&](std::int64_t extent, std::vector<SourceAxis> axes) {
    return std::ranges::count(groups, TiedAxes{extent, std::move(axes)}) == 1;
  };
  EXPECT_TRUE(has(11, {{w, 1}}));
  EXPECT_TRUE(has(7, {{x, 0}}));
  EXPECT_TRUE(has(5, {{x, 1}, {w, 0}}));  // which the product sums over
}

TEST(ReducedCandidate, CutsAxesAndTheirNumbers) {
  Candidate made;
  const ir::Value x = made.graph.input("x", {ir::DType::f32, {2, 3}});
  const ir::Op reshape = ir::formats::parse_graph(R"({"format": "plumb.graph/1", "why": "for its op",
    "inputs": {"x": {"type": "f32[2, 3]"}},
    "nodes": [{"label": "y", "op": "reshape", "inputs": ["x"], "shape": [3, 2]}], "results": ["y"]})",
                                                  "")
                             .graph.nodes()[0]
                             .op;
  made.graph.returns(made.graph.add("y", reshape, {x}));
  made.sources.emplace("x", ir::Tensor::of<float>({2, 3}, {1, 2, 3, 4, 5, 6}));
  const auto cut = cropped(made, {3, {{x, 1}}}, 2, End::back);
  ASSERT_TRUE(cut);
  EXPECT_THAT(std::get<ir::Tensor>(cut->sources.at("x")).as<float>(), ElementsAre(2, 3, 5, 6));
  EXPECT_EQ(cut->graph.type(cut->graph.results()[0]).shape, (ir::Shape{2, 2}));  // its attribute follows
  const auto front = cropped(made, {2, {{x, 0}}}, 1, End::front);
  ASSERT_TRUE(front);
  EXPECT_THAT(std::get<ir::Tensor>(front->sources.at("x")).as<float>(), ElementsAre(1, 2, 3));
  // The operands of a product do not fit each other any more.
  const Candidate product = small();
  EXPECT_FALSE(cropped(product, {5, {{*product.graph.find("x"), 1}}}, 2, End::front));
}

TEST(ReducedCandidate, RoundsFloatsToSoManyBits) {
  const ir::Tensor x = ir::Tensor::of<float>({4}, {1.3f, -5, 0, std::numeric_limits<float>::infinity()});
  EXPECT_THAT(with_bits(x, 2).as<float>(), ElementsAre(1.5f, -4, 0, std::numeric_limits<float>::infinity()));
  EXPECT_THAT(with_bits(x, 24).as<float>(), ElementsAre(1.3f, -5, 0, std::numeric_limits<float>::infinity()));
}

/// Reduces by a predicate, which is held to what it was promised; how often it was asked.
std::size_t reduce_by(Candidate& candidate, const std::optional<std::string>& guilty, const Fails& fails) {
  std::size_t asked = 0;
  std::set<std::string> seen;
  const auto ask = [&](const Candidate& tried) {
    ++asked;
    EXPECT_TRUE(seen.insert(ir::formats::write_graph(file_of(tried, ""))).second) << "asked twice";
    ir::require_valid(tried.graph);
    return fails(tried);
  };
  candidate = reduced(candidate, guilty, {.fails = ask, .values = values_of});
  EXPECT_TRUE(fails(candidate));
  return asked;
}

TEST(Reduced, CutsGatesWithTheirState) {
  const Candidate whole = candidate_of(make_case(R"({"format": "plumb.graph/1", "why": "four gates of a state of 6",
    "inputs": {"x": {"type": "f32[3, 2, 5]"}},
    "params": {"w": {"type": "f32[1, 24, 5]"}, "r": {"type": "f32[1, 24, 6]"}},
    "nodes": [{"label": "y", "op": "lstm", "inputs": ["x", "w", "r"]}], "results": ["y"]})"));
  Candidate candidate = whole;
  reduce_by(candidate, "y", [](const Candidate& tried) { return tried.graph.type(2).shape[2] >= 3; });
  EXPECT_EQ(candidate.graph.type(*candidate.graph.find("r")).shape, (ir::Shape{1, 12, 3}));
  EXPECT_EQ(candidate.graph.type(*candidate.graph.find("x")).shape, (ir::Shape{1, 1, 1}));
}

TEST(Reduced, FindsTheGuiltyNodeAtOnce) {
  Candidate candidate = small();
  reduce_by(candidate, "turned", [](const Candidate& tried) { return node_of(tried, "turned") != nullptr; });
  EXPECT_EQ(candidate.graph.nodes().size(), 1u);
  EXPECT_EQ(elements_of(candidate.graph), 2);
  EXPECT_FALSE(has_numbers(candidate));
}

TEST(Reduced, KeepsTwoNodesThatFailTogetherAndTheExtentsTheyNeed) {
  Candidate candidate = small();
  const auto fails = [](const Candidate& tried) {
    const ir::Node *const scores = node_of(tried, "scores"), *const turned = node_of(tried, "turned");
    return scores != nullptr && turned != nullptr && tried.graph.type(scores->outputs[0]).shape[1] >= 6;
  };
  reduce_by(candidate, "turned", fails);
  ASSERT_EQ(candidate.graph.nodes().size(), 2u);
  EXPECT_EQ(candidate.graph.type(node_of(candidate, "scores")->outputs[0]).shape, (ir::Shape{1, 6}));
  EXPECT_EQ(candidate.graph.type(*candidate.graph.find("x")).shape, (ir::Shape{1, 1}));
  EXPECT_EQ(candidate.graph.type(node_of(candidate, "turned")->outputs[0]).shape, (ir::Shape{1, 1}));
}

TEST(Reduced, KeepsTheNumbersThatMatter) {
  Candidate candidate = small();
  const auto fails = [](const Candidate& tried) {
    const ir::Node* const weights = node_of(tried, "weights");
    if (weights == nullptr) return false;
    const ir::Tensors values = values_of(tried);
    const auto y = values.at(weights->outputs[0]).as<float>();
    return std::ranges::any_of(y, [](float one) { return one > 0.3f && one < 0.32f; });
  };
  ir::Tensor scores({ir::DType::f32, {7, 11}});
  scores.as<float>()[5] = 1.5f;  // e^1.5 / (10 + e^1.5) = 0.309
  candidate = with_nodes(candidate, {1}, [&](ir::Value) { return scores; });
  ASSERT_TRUE(fails(candidate));
  reduce_by(candidate, "weights", fails);
  EXPECT_LE(elements_of(candidate.graph), 2 * 11);  // a line
}

TEST(Reduced, ReturnsWhatItWasGivenWhereNothingElseFails) {
  Candidate candidate = small();
  const std::string whole = ir::formats::write_graph(file_of(candidate, ""));
  candidate = reduced(candidate, std::nullopt, {.fails = [](const Candidate&) { return false; }, .values = values_of});
  EXPECT_EQ(ir::formats::write_graph(file_of(candidate, "")), whole);
}

TEST(Reduced, LeavesOutNodesWhoseValuesNobodyKnows) {
  Candidate candidate = small();
  const auto fails = [](const Candidate& tried) { return node_of(tried, "weights") != nullptr; };
  candidate =
      reduced(candidate, std::nullopt, {.fails = fails, .values = [](const Candidate&) -> ir::Tensors { return {}; }});
  ASSERT_EQ(candidate.graph.nodes().size(), 2u);  // nodes behind it go, and those that it reads stay
  EXPECT_EQ(candidate.graph.nodes()[0].label, "scores");
}

TEST(FailureSignature, NamesTheFirstGuiltyNodeAndHowItFails) {
  const auto spoiled = [](const std::string& label, float value) {
    Suspect suspect = spoiler(label, [=](ir::Tensor& y) { y.as<float>()[0] = value; });
    return signature_of(verify_on(suspect, make_case(small_graph)), {"dtype"});
  };
  EXPECT_EQ(to_text(spoiled("weights", std::numeric_limits<float>::quiet_NaN())),
            "nan at 'weights' (softmax), dtype=f32");
  EXPECT_EQ(to_text(spoiled("scores", 1000)), "proved at 'scores' (matmul), dtype=f32");
  EXPECT_EQ(to_text(spoiled("turned", 1000)), "proved at 'turned' (transpose), dtype=f32");
  Suspect sound;
  EXPECT_EQ(signature_of(verify_on(sound, make_case(small_graph)), {}), Signature{});
  EXPECT_EQ(to_text(signature_of_error("models/a.json: node 'y': 12 of 34 is too much\nmore", "models/a.json")),
            "error:node 'y':  of  is too much");
}

}  // namespace
}  // namespace plumb::testing::reduce_test
