#include "ir/formats/graph_file.hpp"

#include <gtest/gtest.h>

#include "tests/support/noise.hpp"
#include "tests/support/paths.hpp"

namespace plumb::ir::graph_file_test {
namespace {

std::string refusal(std::string_view text) {
  return tests::message_of([&] { formats::parse_graph(text, "."); });
}

constexpr std::string_view small = R"({
  "format": "plumb.graph/1",
  "why": "one of everything",
  "inputs": {"z": {"type": "f32[2, 3]", "values": [0, -0.0, 0.1, "nan", "inf", "-inf"]},
             "a": {"type": "f16[ ]"},
             "c": {"type": "c64[2]", "values": [[1, 2.5], ["nan", -1]]},
             "b": {"type": "bool[2]", "fill": {"distribution": "bernoulli", "probability": 0.25}}},
  "params": {"w": {"type": "f32[3,4]", "fill": {"distribution": "uniform", "low": -1, "high": 1}, "seed": 7},
             "v": {"type": "f32[5]", "file": "weights.npz", "key": "v"}},
  "nodes": [{"label": "p:0/q", "op": "matmul", "inputs": ["z", "w"]},
            {"label": "k", "op": "constant", "dtype": "i64", "shape": [2], "values": [9223372036854775807, -1]},
            {"label": "s", "op": "split", "inputs": ["z"], "axis": 1, "sizes": [1, 2]},
            {"label": "half", "op": "cast", "inputs": ["s:1"], "to": "f16"}],
  "results": {"half": {"values": [1, 2, 3, 4.5]}, "p:0/q": {}, "k": {"values": [1, 2]}},
  "must": "fail",
  "expect_error": "half"
})";

TEST(GraphFile, ReadsInTheOrderOfTheFile) {
  const formats::GraphFile file = formats::parse_graph(small, "somewhere");
  EXPECT_EQ(file.graph.inputs(), (std::vector<std::string>{"z", "a", "c", "b"}));
  EXPECT_EQ(file.graph.params(), (std::vector<std::string>{"w", "v"}));
  EXPECT_EQ(file.graph.nodes().size(), 4u);
  EXPECT_EQ(file.graph.name(file.graph.results()[1]), "p:0/q");
  EXPECT_EQ(file.why, "one of everything");
  EXPECT_EQ(file.must, formats::Must::fail);
  EXPECT_FALSE(file.sources.contains("a"));
  EXPECT_EQ(std::get<formats::External>(file.sources.at("v")), (formats::External{"weights.npz", "v"}));
  EXPECT_EQ(file.expected.at("half").type(), (TensorType{DType::f64, {2, 2}}));
  EXPECT_EQ(file.expected.at("k").type(), (TensorType{DType::i64, {2}}));
}

TEST(GraphFile, ReadingWhatWasWrittenGivesTheSameText) {
  const std::string once = formats::write_graph(formats::parse_graph(small, "."));
  EXPECT_EQ(formats::write_graph(formats::parse_graph(once, ".")), once);
  EXPECT_EQ(structural_hash(formats::parse_graph(once, ".").graph),
            structural_hash(formats::parse_graph(small, ".").graph));
}

TEST(GraphFile, KeepsItsTagsAndRefusesWhatExpressionsCannotName) {
  const auto with = [](const std::string& tags) {
    return R"({"format": "plumb.graph/1", "tags": )" + tags + R"(, "inputs": {"x": {"type": "f32[1]"}}, "nodes": [],
      "results": ["x"]})";
  };
  const formats::GraphFile file = formats::parse_graph(with(R"(["nightly", "issue:12"])"), ".");
  EXPECT_EQ(file.tags, (std::vector<std::string>{"nightly", "issue:12"}));
  EXPECT_EQ(formats::parse_graph(formats::write_graph(file), ".").tags, file.tags);
  for (const char* tags : {R"("nightly")", R"([1])", R"([""])", R"(["a b"])", R"(["(a"])", R"(["a,b"])", R"(["not"])",
                           R"(["a", "a"])", R"(["a\u0001"])"})
    EXPECT_THROW(formats::parse_graph(with(tags), "."), Error) << tags;
}

TEST(GraphFile, KeepsTheDigitsOfWhatIsStated) {
  const std::string text = R"({"format": "plumb.graph/1",
    "inputs": {"x": {"type": "f32[5]", "values": [0.1, 2, 0.5, "inf", 16777216.3]}},
    "nodes": [{"label": "y", "op": "cast", "inputs": ["x"], "to": "f64"}],
    "results": {"y": {"values": [2.500, 7, 1.25e-3, 3e2, 0.0]}}})";
  const formats::GraphFile file = formats::parse_graph(text, ".");
  const auto digits = file.decimals.last_digits.at("y").as<double>();
  EXPECT_EQ(std::vector(digits.begin(), digits.end()), (std::vector{1e-3, 0.0, 1e-5, 1e2, 1e-1}));
  EXPECT_EQ(file.decimals.written.at("x").as<double>()[4], 16777216.3);
  const std::string written = formats::write_graph(file);
  EXPECT_NE(written.find("[2.500, 7, 0.00125, 3e+02, 0.0]"), written.npos) << written;
  EXPECT_NE(written.find("16777216.3"), written.npos) << written;
  EXPECT_EQ(formats::write_graph(formats::parse_graph(written, ".")), written);
}

TEST(GraphFile, ReportsEveryErrorOnceAndNotWhatFollowsFromIt) {
  EXPECT_EQ(refusal(R"({"format": "plumb.graph/1",
    "inputs": {"x": {"type": "f32[2, 3]"}, "bad": {"type": "f33[2]"}},
    "nodes": [{"label": "a", "op": "matmul", "inputs": ["x", "x"], "transpose_a": 1, "speed": 3},
              {"label": "b", "op": "matmul", "inputs": ["x", "x"]},
              {"label": "c", "op": "matmul", "inputs": ["b", "bad"]},
              {"label": "d", "op": "softmaxx", "inputs": ["nowhere"]},
              {"label": "e", "op": "cast", "inputs": ["x:1"]},
              {"label": "f", "op": "cast", "inputs": ["g"], "to": "f64"},
              {"label": "g", "op": "cast", "inputs": ["x"], "to": "f65"},
              {"label": "h", "op": "cast", "inputs": ["i"], "to": "f64"},
              {"label": "i", "op": "cast", "inputs": ["h"], "to": "f64"}],
    "results": ["c", "z"]})"),
            "input 'bad': type 'f33[2]': no such dtype: 'f33'\n"
            "node 'h' (cast): is part of a cycle: h reads i reads h\n"
            "node 'a' (matmul): attribute 'transpose_a' must be of kind bool, got a whole number\n"
            "node 'a' (matmul): attribute 'speed' does not exist\n"
            "node 'b' (matmul): inner extents must be equal: a is f32[2, 3], b is f32[2, 3] (C2)\n"
            "node 'd' (softmaxx): reads 'nowhere', which does not exist\n"
            "node 'd' (softmaxx): no such op\n"
            "node 'e' (cast): reads 'x:1', which does not exist\n"
            "node 'e' (cast): attribute 'to' is missing\n"
            "node 'f' (cast): reads 'g', which a later node computes\n"
            "node 'g' (cast): attribute 'to' no such dtype: 'f65'\n"
            "result 'z': no node or source has this name");
}

TEST(GraphFile, RefusesASeedThatWrapsAndATextThatNobodyAsksFor) {
  const auto with = [](const std::string& seed, const std::string& rest) {
    return R"({"format": "plumb.graph/1", "inputs": {"x": {"type": "f32[2]", "fill": {"distribution": "normal"},
           "seed": )" +
           seed + R"(}}, "nodes": [{"label": "y", "op": "unary", "inputs": ["x"], "function": "abs"}],
           "results": ["y"])" +
           rest + "}";
  };
  EXPECT_EQ(refusal(with("-1", "")), "input 'x': seed must be 0 or more, got -1");
  EXPECT_EQ(refusal(with("-9223372036854775808", "")), "input 'x': seed must be 0 or more, got -9223372036854775808");
  EXPECT_EQ(refusal(with("0", "")), "");
  EXPECT_EQ(refusal(with("9223372036854775807", "")), "");
  const std::string alone = R"(expect_error: goes with "must": "fail" or "refuse" alone)";
  EXPECT_EQ(refusal(with("1", R"(, "expect_error": "x")")), alone);
  EXPECT_EQ(refusal(with("1", R"(, "must": "pass", "expect_error": "x")")), alone);
  EXPECT_EQ(refusal(with("1", R"(, "expect_error": "x", "must": "pass")")), alone);
  for (const char* must : {"fail", "refuse"})
    EXPECT_EQ(refusal(with("1", std::string(R"(, "expect_error": "x", "must": ")") + must + '"')), "") << must;
  EXPECT_EQ(refusal(with("1", R"(, "must": "pass")")), "");
  formats::GraphFile file = formats::parse_graph(with("1", ""), ".");
  file.sources.insert_or_assign("x", formats::Generated{{}, UINT64_MAX});
  EXPECT_THROW(formats::write_graph(file), Error);
}

TEST(GraphFile, TheModelsAreReadAndWrittenAgain) {
  for (const char* name : {"bert_tiny", "bert_base", "eeg_encoder", "llama_block", "vit_block"}) {
    const auto path = tests::source_dir() / "fixtures/graphs" / (std::string(name) + ".json");
    const formats::GraphFile file = formats::read_graph(path);
    const std::string text = formats::write_graph(file);
    EXPECT_EQ(formats::write_graph(formats::parse_graph(text, path.parent_path())), text) << name;
    EXPECT_TRUE(verify(file.graph).empty()) << name;
  }
}

TEST(GraphFile, EveryFixtureIsReadAndAsksAQuestion) {
  std::size_t count = 0;
  for (const char* folder : {"fixtures/ops", "fixtures/graphs", "fixtures/must_fail"}) {
    const auto root = tests::source_dir() / folder;
    if (!std::filesystem::exists(root)) continue;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
      if (entry.path().extension() != ".json") continue;
      ++count;
      const formats::GraphFile file = formats::read_graph(entry.path());
      EXPECT_NE(file.why, "") << entry.path();
      EXPECT_EQ(file.must == formats::Must::fail, std::string(folder) == "fixtures/must_fail") << entry.path();
      EXPECT_TRUE(file.must == formats::Must::pass || !file.expect_error.empty()) << entry.path();
      const std::string text = formats::write_graph(file);
      EXPECT_EQ(formats::write_graph(formats::parse_graph(text, entry.path().parent_path())), text) << entry.path();
    }
  }
  EXPECT_GT(count, 10u);
}

}  // namespace
}  // namespace plumb::ir::graph_file_test
