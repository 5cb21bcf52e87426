// Lint says of graphs what happens when they run; each kind of finding has a graph with it, and one without.
#include "parity/studies/lint/lint.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "ir/convert.hpp"
#include "ir/formats/graph_file.hpp"
#include "ir/passes/widen.hpp"
#include "parity/core/float_format.hpp"
#include "parity/studies/lint/lint_report.hpp"
#include "ref_cpu/cpu_executor.hpp"
#include "tests/support/paths.hpp"

namespace plumb::parity::studies::lint {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

ir::formats::GraphFile parsed(const std::string& text) {
  return ir::formats::parse_graph(R"({"format": "plumb.graph/1", )" + text + "}", {});
}

/// A graph of one input x: f32[count] with this fill, and one node y that reads it.
ir::formats::GraphFile on_x(const std::string& fill, const std::string& node, const std::string& type = "f32[4096]") {
  return parsed(R"("inputs": {"x": {"type": ")" + type + R"(", )" + fill + R"(}}, "nodes": [{"label": "y", )" + node +
                R"(}], "results": ["y"])");
}

std::string normal(double mean, double scale) {
  return R"("fill": {"distribution": "normal", "mean": )" + std::to_string(mean) + R"(, "scale": )" +
         std::to_string(scale) + "}";
}
std::string unary(const std::string& function) {
  return R"("op": "unary", "inputs": ["x"], "function": ")" + function + '"';
}

/// The findings of a kind, as sure as that, by the names of their values.
std::vector<std::string> found(const Lint& lint, Kind kind, Level level = Level::likely) {
  std::vector<std::string> names;
  for (const Finding& one : lint.findings)
    if (one.kind == kind && one.level >= level) names.push_back(one.value);
  return names;
}

/// The largest of all values that the graph has in f64, its sources among them.
double largest_value(const ir::formats::GraphFile& file, std::uint64_t seed) {
  ref_cpu::CpuExecutor reference;
  const ir::Graph graph = ir::passes::widen(file.graph);
  const ir::Feeds feeds = ir::passes::widen(ir::formats::materialise(file, seed));
  std::vector<ir::Value> all;
  for (const ir::Node& node : graph.nodes()) all.insert(all.end(), node.outputs.begin(), node.outputs.end());
  double most = 0;
  const auto take = [&](const ir::Tensor& x) {
    const ir::Tensor wide = ir::convert(x, ir::DType::f64);
    for (const double value : wide.as<double>()) most = std::max(most, std::abs(value));
  };
  for (const auto& [name, tensor] : feeds) take(tensor);
  for (const auto& [value, tensor] : reference.run(graph, feeds, all)) take(tensor);
  return most;
}

std::vector<std::filesystem::path> files_of(const std::string& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(tests::source_dir() / "fixtures/lint" / folder))
    files.push_back(entry.path());
  std::ranges::sort(files);
  return files;
}

TEST(Lint, FindsTheGraphsThatLeaveF16) {
  const auto files = files_of("overflows");
  EXPECT_EQ(files.size(), 12u);
  for (const auto& path : files) {
    const ir::formats::GraphFile file = ir::formats::read_graph(path);
    for (std::uint64_t seed = 1; seed <= 3; ++seed)
      EXPECT_GE(largest_value(file, seed), core::float_format(ir::DType::f16).overflow()) << path;
    EXPECT_FALSE(found(lint(file, {.dtype = ir::DType::f16}), Kind::overflow).empty()) << path;
    EXPECT_THAT(found(lint(file, {}), Kind::overflow), IsEmpty()) << path << " in f32";
  }
}

TEST(Lint, FindsNothingInTheirNeighboursThatStay) {
  const auto files = files_of("fits");
  EXPECT_EQ(files.size(), 12u);
  for (const auto& path : files) {
    const ir::formats::GraphFile file = ir::formats::read_graph(path);
    for (std::uint64_t seed = 1; seed <= 3; ++seed)
      EXPECT_LT(largest_value(file, seed), core::float_format(ir::DType::f16).overflow()) << path;
    EXPECT_THAT(found(lint(file, {.dtype = ir::DType::f16}), Kind::overflow), IsEmpty()) << path;
  }
}

TEST(Lint, ExpectsTheNumbersThatARunHas) {
  const ir::formats::GraphFile file =
      ir::formats::read_graph(tests::source_dir() / "fixtures/lint/fits/long_product.json");
  const Lint known = lint(file, {});
  const ValueEstimate& y = known.values[*known.graph.find("y")];
  EXPECT_NEAR(y.rms, 32 * 8 * 32, 0.3 * 32 * 8 * 32);  // the root of 1024 products of normal numbers
  EXPECT_NEAR(y.likely_size(), largest_value(file, 1), 0.3 * largest_value(file, 1));
  EXPECT_GE(y.high, 1024 * 32 * 8 * 5.7 * 5.7);  // all at their largest
}

TEST(Lint, IsSureLikelyOrSaysThatItIsPossible) {
  const auto square = [](const std::string& fill) {
    return lint(on_x(fill, unary("square")), {.dtype = ir::DType::f16});
  };
  const auto uniform = [](double low, double high) {
    return R"("fill": {"distribution": "uniform", "low": )" + std::to_string(low) + R"(, "high": )" +
           std::to_string(high) + "}";
  };
  EXPECT_THAT(found(square(uniform(300, 400)), Kind::overflow, Level::sure), ::testing::ElementsAre("y"));
  EXPECT_THAT(found(square(uniform(0, 400)), Kind::overflow, Level::sure), IsEmpty());
  EXPECT_THAT(found(square(uniform(0, 400)), Kind::overflow, Level::likely), ::testing::ElementsAre("y"));
  EXPECT_THAT(found(square(normal(0, 50)), Kind::overflow, Level::likely), IsEmpty());
  EXPECT_THAT(found(square(normal(0, 50)), Kind::overflow, Level::possible), ::testing::ElementsAre("y"));
  EXPECT_THAT(found(square(normal(0, 10)), Kind::overflow, Level::possible), IsEmpty());
}

TEST(Lint, RangesTakeThePlaceOfWhatTheFileSays) {
  const ir::formats::GraphFile file = on_x(normal(0, 1), unary("square"));
  EXPECT_THAT(found(lint(file, {.dtype = ir::DType::f16}), Kind::overflow, Level::possible), IsEmpty());
  const Options wide{.dtype = ir::DType::f16, .ranges = {{"x", {-300.0, 300.0}}}};
  EXPECT_THAT(found(lint(file, wide), Kind::overflow), ::testing::ElementsAre("y"));
  EXPECT_THROW(lint(file, {.ranges = {{"z", {0.0, 1.0}}}}), ir::Error);
  EXPECT_THROW(lint(file, {.ranges = {{"x", {1.0, 0.0}}}}), ir::Error);
}

TEST(Lint, FindsNumbersBeyondF64) {
  EXPECT_THAT(found(lint(on_x(normal(1000, 1), unary("exp"), "f64[4096]"), {}), Kind::overflow),
              ::testing::ElementsAre("y"));
  const Lint small = lint(on_x(normal(0, 1), unary("exp"), "f64[4096]"), {});
  EXPECT_THAT(found(small, Kind::overflow, Level::possible), IsEmpty());
}

TEST(Lint, FindsNumbersOutsideOfADomain) {
  const Lint logs = lint(on_x(normal(0, 1), unary("log")), {});
  ASSERT_THAT(found(logs, Kind::domain), ::testing::ElementsAre("y"));
  EXPECT_THAT(logs.findings.front().text, HasSubstr("as log(-"));
  EXPECT_THAT(found(lint(on_x(normal(0, 1), unary("exp")), {}), Kind::domain, Level::possible), IsEmpty());
  const std::string positive = R"("fill": {"distribution": "uniform", "low": 0.5, "high": 2})";
  EXPECT_THAT(found(lint(on_x(positive, unary("log")), {}), Kind::domain, Level::possible), IsEmpty());
  const std::string from_zero = R"("fill": {"distribution": "uniform", "low": 0, "high": 2})";
  EXPECT_THAT(found(lint(on_x(from_zero, unary("reciprocal")), {}), Kind::domain, Level::likely), IsEmpty());
  EXPECT_THAT(found(lint(on_x(from_zero, unary("reciprocal")), {}), Kind::domain, Level::possible),
              ::testing::ElementsAre("y"));
}

// An epsilon that f16 does not have divides by 0 where the variance is 0.
TEST(Lint, FindsConstantsBelowTheRangeOfTheirDtype) {
  const ir::formats::GraphFile file = parsed(
      R"("inputs": {"x": {"type": "f32[64]"}}, "params": {"epsilon": {"type": "f32[1]", "values": [1e-12]}},
         "nodes": [{"label": "y", "op": "binary", "inputs": ["x", "epsilon"], "function": "add"}], "results": ["y"])");
  EXPECT_THAT(found(lint(file, {.dtype = ir::DType::f16}), Kind::subnormal, Level::sure),
              ::testing::ElementsAre("epsilon"));
  EXPECT_THAT(found(lint(file, {}), Kind::subnormal, Level::possible), IsEmpty());
}

TEST(Lint, FindsWhatIsSubnormalInTheDtypeOfAResult) {
  const std::string classes = "f32[2, 30000]";
  const ir::formats::GraphFile file = on_x(normal(0, 1), R"("op": "softmax", "inputs": ["x"])", classes);
  EXPECT_THAT(found(lint(file, {.dtype = ir::DType::f16}), Kind::subnormal), ::testing::ElementsAre("y"));
  EXPECT_THAT(found(lint(file, {.dtype = ir::DType::bf16}), Kind::subnormal), IsEmpty());
}

TEST(Lint, FindsCancellation) {
  const auto difference = [](double mean) {
    return parsed(R"("inputs": {"a": {"type": "f32[4096]", )" + normal(mean, 1) + R"(}, "b": {"type": "f32[4096]", )" +
                  normal(mean, 1) + R"(}}, "nodes": [{"label": "y", "op": "binary", "inputs": ["a", "b"],
                  "function": "subtract"}], "results": ["y"])");
  };
  EXPECT_THAT(found(lint(difference(1000), {.dtype = ir::DType::f16}), Kind::cancellation),
              ::testing::ElementsAre("y"));
  EXPECT_THAT(found(lint(difference(1000), {}), Kind::cancellation), IsEmpty()) << "f32 has digits to spare";
  EXPECT_THAT(found(lint(difference(0), {.dtype = ir::DType::f16}), Kind::cancellation), IsEmpty());
}

TEST(Lint, FindsIntegersThatWrap) {
  const auto square = [](int high) {
    return on_x(R"("fill": {"distribution": "uniform_int", "low": 0, "high": )" + std::to_string(high) + "}",
                R"("op": "binary", "inputs": ["x", "x"], "function": "multiply")", "i32[4096]");
  };
  EXPECT_THAT(found(lint(square(100'000), {}), Kind::integer_overflow), ::testing::ElementsAre("y"));
  EXPECT_THAT(found(lint(square(40'000), {}), Kind::integer_overflow, Level::possible), IsEmpty());
}

TEST(Lint, FindsWholeNumbersThatADtypeHasNotAllOf) {
  const auto positions = [](int count) {
    return on_x(R"("fill": {"distribution": "range"})", R"("op": "cast", "inputs": ["x"], "to": "f16")",
                "i32[" + std::to_string(count) + "]");
  };
  EXPECT_THAT(found(lint(positions(4096), {}), Kind::accumulator), ::testing::ElementsAre("y"));
  EXPECT_THAT(found(lint(positions(2048), {}), Kind::accumulator), IsEmpty());
  const auto counted = [](int high) {
    return on_x(R"("fill": {"distribution": "uniform_int", "low": 0, "high": )" + std::to_string(high) + "}",
                R"("op": "reduce", "inputs": ["x"], "function": "sum", "axes": [1])", "f32[4, 4096]");
  };
  EXPECT_THAT(found(lint(counted(100'000), {}), Kind::accumulator), ::testing::ElementsAre("y"));
  EXPECT_THAT(found(lint(counted(1000), {}), Kind::accumulator, Level::possible), IsEmpty());
}

TEST(Lint, FindsSaturatedAndVacuousResults) {
  EXPECT_THAT(found(lint(on_x(normal(0, 40), unary("tanh")), {}), Kind::saturated), ::testing::ElementsAre("y"));
  EXPECT_THAT(found(lint(on_x(normal(0, 1), unary("tanh")), {}), Kind::saturated), IsEmpty());
  EXPECT_THAT(found(lint(on_x(normal(-50, 1), unary("relu")), {}), Kind::vacuous), ::testing::ElementsAre("y"));
  EXPECT_THAT(found(lint(on_x(normal(0, 1), unary("relu")), {}), Kind::vacuous), IsEmpty());
}

TEST(Lint, FindsRowsOfWhichNothingIsSeen) {
  const auto attention = [](const std::string& mask) {
    return parsed(R"("inputs": {"q": {"type": "f32[1, 1, 4, 8]"}, "k": {"type": "f32[1, 1, 4, 8]"},
                     "v": {"type": "f32[1, 1, 4, 8]"}, "mask": {"type": "bool[4, 4]", "values": )" +
                  mask + R"(}}, "nodes": [{"label": "y", "op": "attention", "inputs": ["q", "k", "v", "mask"],
                  "has_mask": true}], "results": ["y"])");
  };
  const std::string last_is_empty = "[1,0,0,0, 1,1,0,0, 1,1,1,0, 0,0,0,0]",
                    causal = "[1,0,0,0, 1,1,0,0, 1,1,1,0, 1,1,1,1]";
  EXPECT_THAT(found(lint(attention(last_is_empty), {}), Kind::masked_row, Level::sure), ::testing::ElementsAre("y"));
  EXPECT_THAT(found(lint(attention(causal), {}), Kind::masked_row, Level::possible), IsEmpty());
}

// The infinities of a mask are meant, and no overflow.
TEST(Lint, FindsRowsThatAreMaskedByInfinities) {
  const auto softmax = [](const std::string& mask) {
    return parsed(R"("inputs": {"x": {"type": "f32[4, 4]"}, "mask": {"type": "bool[4, 4]", "values": )" + mask +
                  R"(}}, "params": {"nothing": {"type": "f32[1]", "values": ["-inf"]}}, "nodes": [
                  {"label": "masked", "op": "where", "inputs": ["mask", "x", "nothing"]},
                  {"label": "y", "op": "softmax", "inputs": ["masked"]}], "results": ["y"])");
  };
  const Lint empty_row = lint(softmax("[1,0,0,0, 1,1,0,0, 1,1,1,0, 0,0,0,0]"), {});
  EXPECT_THAT(found(empty_row, Kind::masked_row), ::testing::ElementsAre("y"));
  EXPECT_THAT(found(empty_row, Kind::overflow, Level::possible), IsEmpty());
  const Lint causal = lint(softmax("[1,0,0,0, 1,1,0,0, 1,1,1,0, 1,1,1,1]"), {.dtype = ir::DType::f16});
  EXPECT_THAT(causal.findings, IsEmpty());
}

TEST(Lint, FindsInputsThatNothingReads) {
  const Lint result = lint(parsed(R"("inputs": {"x": {"type": "f32[4]"}, "left_over": {"type": "f32[4]"}},
      "nodes": [{"label": "y", "op": "unary", "inputs": ["x"], "function": "exp"},
                {"label": "z", "op": "unary", "inputs": ["left_over"], "function": "exp"}], "results": ["y"])"),
                           {});
  EXPECT_THAT(found(result, Kind::unused_input, Level::sure), ::testing::ElementsAre("left_over"));
}

// A maximum is taken of the very numbers that it is subtracted from, and nothing behind an overflow is blamed for it.
TEST(Lint, KnowsWhatOperandsHaveToDoWithOneAnother) {
  const std::string softmax = R"("inputs": {"x": {"type": "f32[64, 128]", )" + normal(0, 30) + R"(}}, "nodes": [
      {"label": "top", "op": "reduce", "inputs": ["x"], "function": "max", "axes": [1], "keep_dims": true},
      {"label": "below", "op": "binary", "inputs": ["x", "top"], "function": "subtract"},
      {"label": "e", "op": "unary", "inputs": ["below"], "function": "exp"},
      {"label": "sum", "op": "reduce", "inputs": ["e"], "function": "sum", "axes": [1], "keep_dims": true},
      {"label": "p", "op": "binary", "inputs": ["e", "sum"], "function": "divide"}], "results": ["p"])";
  const Lint result = lint(parsed(softmax), {.dtype = ir::DType::f16});
  EXPECT_THAT(found(result, Kind::overflow, Level::possible), IsEmpty());
  EXPECT_THAT(found(result, Kind::domain), IsEmpty());
  const ir::formats::GraphFile chain =
      parsed(R"("inputs": {"x": {"type": "f32[4096]", )" + normal(0, 1000) + R"(}}, "nodes": [
         {"label": "square", "op": "unary", "inputs": ["x"], "function": "square"},
         {"label": "twice", "op": "binary", "inputs": ["square", "square"], "function": "add"}],
         "results": ["twice"])");
  EXPECT_THAT(found(lint(chain, {.dtype = ir::DType::f16}), Kind::overflow), ::testing::ElementsAre("square"));
}

TEST(Lint, WritesTextAndJson) {
  const Lint result = lint(on_x(normal(0, 100), unary("square")), {.dtype = ir::DType::f16});
  const Heading heading{"g.json", "f16", Level::likely};
  EXPECT_THAT(lint_text(result, heading, true), HasSubstr("y (square): overflow, likely: "));
  EXPECT_THAT(lint_text(result, heading, true), HasSubstr("g.json in f16: 1 finding in 1 node"));
  EXPECT_THAT(lint_json(result, heading), HasSubstr(R"("schema": "plumb.lint/1")"));
  EXPECT_THAT(lint_json(result, heading), HasSubstr(R"("kind": "overflow")"));
  EXPECT_EQ(count_of(result, Level::sure), 0u);
}

}  // namespace
}  // namespace plumb::parity::studies::lint
