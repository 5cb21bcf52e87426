#include "parity/foreign/dump.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "ir/formats/tensor_files.hpp"
#include "parity/cases/case.hpp"
#include "parity/core/candidate_error.hpp"

namespace plumb::parity::foreign::dump_test {
namespace {

namespace fs = std::filesystem;
using ir::DType;
using ir::Tensor;
using ir::formats::NamedTensors;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr auto graph = R"({"format": "plumb.graph/1", "why": "two steps and a count",
  "inputs": {"x": {"type": "f32[2, 3]", "values": [1, 2, 3, 4, 5, 6]}},
  "nodes": [{"label": "h", "op": "unary", "function": "abs", "inputs": ["x"]},
            {"label": "t", "op": "transpose", "inputs": ["h"], "permutation": [1, 0]},
            {"label": "y", "op": "unary", "function": "abs", "inputs": ["t"]}],
  "results": ["y"]})";

cases::Case make_case() {
  const auto file = std::make_shared<const ir::formats::GraphFile>(ir::formats::parse_graph(graph, "."));
  return {.name = "small.json", .file = file, .feeds = ir::formats::materialise(*file, 1)};
}

class Dump : public ::testing::Test {
 protected:
  void TearDown() override { fs::remove(path); }

  DumpCandidate candidate(const NamedTensors& tensors, DumpOptions options = {}) {
    fs::remove(path);
    ir::formats::save_tensors(path, tensors);
    options.path = path;
    return DumpCandidate(std::move(options));
  }
  ir::Tensors run(const NamedTensors& tensors, const ir::Capture& capture, DumpOptions options = {}) {
    DumpCandidate made = candidate(tensors, std::move(options));
    made.begins(subject);
    return made.compile(subject.file->graph, subject.feeds, capture)->run(subject.feeds);
  }
  template <class Error = ir::Error>
  std::string refusal(const NamedTensors& tensors, DumpOptions options = {}) {
    try {
      run(tensors, all(), std::move(options));
    } catch (const Error& error) {
      return error.what();
    }
    return "accepted";
  }
  std::string failure(const NamedTensors& tensors, DumpOptions options = {}) {
    return refusal<core::CandidateError>(tensors, std::move(options));
  }
  ir::Capture all() const { return {.wanted = subject.file->graph.results(), .surviving = true}; }
  ir::Value value(std::string_view name) const { return subject.file->graph.find(name).value(); }

  const cases::Case subject = make_case();
  const std::string path = (fs::path(::testing::TempDir()) / "plumb_dump_test.npz").string();
  const Tensor x = Tensor::of<float>({2, 3}, {1, 2, 3, 4, 5, 6});
  const Tensor y = Tensor::of<float>({3, 2}, {1, 4, 2, 5, 3, 6});
};

TEST_F(Dump, GivesWhatIsAskedForAndThere) {
  DumpCandidate made = candidate({{"H", x}, {"y", y}, {"z", x}});
  made.begins(subject);
  EXPECT_FALSE(made.computes());
  EXPECT_EQ(made.description().kind, "file");
  EXPECT_EQ(made.description().name, "plumb_dump_test.npz");
  EXPECT_EQ(made.pairing().at(value("h")), Pairing::normal);
  EXPECT_EQ(made.pairing().at(value("y")), Pairing::exact);
  EXPECT_THAT(made.notes(), ElementsAre(HasSubstr("'z' is no value of the graph")));
  const auto executable = made.compile(subject.file->graph, subject.feeds, all());
  const ir::Tensors values = executable->run(subject.feeds);
  ASSERT_EQ(values.size(), 2u);
  EXPECT_TRUE(std::ranges::equal(values.at(value("y")).bytes(), y.bytes()));
  EXPECT_TRUE(std::ranges::equal(values.at(value("h")).bytes(), x.bytes()));
  const auto nodes = executable->nodes();
  ASSERT_EQ(nodes.size(), 3u);
  EXPECT_EQ(nodes[0].placement, ir::Placement::foreign);
  EXPECT_EQ(nodes[1].placement, ir::Placement::elided);
  EXPECT_EQ(nodes[2].placement, ir::Placement::foreign);
}

TEST_F(Dump, LeavesOutWhatNobodyAsksFor) {
  const NamedTensors tensors = {{"h", Tensor({DType::f32, {7}})}, {"y", y}};  // an h that would fail
  EXPECT_EQ(run(tensors, {.wanted = {value("y")}}).size(), 1u);
  EXPECT_EQ(run(tensors, {.wanted = {value("y")}, .surviving = true, .of_interest = std::set{value("y")}}).size(), 1u);
  EXPECT_THAT(failure(tensors), HasSubstr("'h' is f32[7], the graph says f32[2, 3]"));
}

TEST_F(Dump, MissesAResult) {
  EXPECT_THAT(failure({{"h", x}, {"yy", y}}), HasSubstr("gave nothing for 'y'"));
  EXPECT_THAT(refusal({{"x", x}, {"strange", y}}), HasSubstr("none of its 2 tensors is a value that a node of small"));
}

TEST_F(Dump, TakesWiderDtypesWhoseNumbersFit) {
  const auto wide = [](double last) { return Tensor::of<double>({3, 2}, {1, 4, 2, NAN, -0.0, last}); };
  const ir::Tensors values = run({{"y", wide(6)}}, all());
  const Tensor& got = values.at(value("y"));
  EXPECT_EQ(got.dtype(), DType::f32);
  EXPECT_TRUE(std::isnan(got.as<float>()[3]));
  EXPECT_TRUE(std::signbit(got.as<float>()[4]));
  EXPECT_THAT(failure({{"y", wide(0.1)}}),
              HasSubstr("'y' is f64, the graph says f32, which has no number 0.1, its element 5"));
  EXPECT_THAT(failure({{"y", wide(1e300)}}), HasSubstr("no number 1e+300"));
}

TEST_F(Dump, RefusesOtherDtypes) {
  const Tensor half = ir::convert(y, DType::f16);
  EXPECT_THAT(failure({{"y", half}}), HasSubstr("'y' is f16, the graph says f32"));
  EXPECT_THAT(failure({{"y", ir::convert(y, DType::i32)}}), HasSubstr("'y' is i32, the graph says f32"));
  EXPECT_THAT(failure({{"y", Tensor({DType::f32, {2, 3}})}}), HasSubstr("'y' is f32[2, 3], the graph says f32[3, 2]"));
}

TEST(Received, HasIntegersAndBitsOfBf16) {
  const ir::TensorType i32{DType::i32, {2}}, bf16{DType::bf16, {2}};
  EXPECT_EQ(received("n", Tensor::of<std::int64_t>({2}, {-1, 7}), i32).as<std::int32_t>()[0], -1);
  EXPECT_THROW(received("n", Tensor::of<std::int64_t>({2}, {0, std::int64_t{1} << 31}), i32), core::CandidateError);
  EXPECT_THROW(received("n", Tensor::of<std::uint32_t>({2}, {0, 1}), i32), core::CandidateError);
  EXPECT_EQ(received("h", Tensor::of<std::uint16_t>({2}, {0x3F80, 0}), bf16).dtype(), DType::bf16);
  const Tensor half({DType::f16, {2}});
  EXPECT_EQ(received("h", half, {DType::f32, {2}}, Storage::observed).dtype(), DType::f16);
  EXPECT_THROW(received("h", half, {DType::f32, {2}}), core::CandidateError);
  EXPECT_THROW(received("h", half, bf16, Storage::observed), core::CandidateError);
  EXPECT_THROW(received("h", Tensor({DType::i8, {2}}), i32, Storage::observed).dtype(), core::CandidateError);
  EXPECT_FALSE(is_wider(DType::f16, DType::bf16));
  EXPECT_FALSE(is_wider(DType::u32, DType::i16));
  EXPECT_TRUE(is_wider(DType::f32, DType::f16));
  EXPECT_EQ(received("e", Tensor({DType::f64, {0, 3}}), {DType::f32, {0, 3}}).elements(), 0);
}

TEST_F(Dump, HoldsTheInputsThatTheCaseIsFed) {
  Tensor other = x;
  other.as<float>()[3] = 0.5F;
  EXPECT_EQ(failure({{"x", x}, {"y", y}}), "accepted");
  EXPECT_EQ(failure({{"x", ir::convert(x, DType::f64)}, {"y", y}}), "accepted");
  EXPECT_THAT(refusal({{"x", other}, {"y", y}}),
              HasSubstr("the dump's input 'x' is not what the case is fed: element 3 is 0.5 there, 4 here; give "
                        "--load-inputs FILE"));
  EXPECT_THAT(refusal({{"x", y}, {"y", y}}), HasSubstr("the dump's input 'x' is f32[3, 2], the graph says f32[2, 3]"));
  DumpOptions options;
  options.path = path;
  candidate({{"x", other}, {"y", y}});
  EXPECT_EQ(dump_inputs(options, *subject.file).at("x").as<float>()[3], 0.5F);
  candidate({{"y", y}});
  EXPECT_TRUE(dump_inputs(options, *subject.file).empty());
}

TEST_F(Dump, ReadsOneSampleBelowItsPrefix) {
  DumpOptions options;
  options.prefix = "s1";
  const NamedTensors tensors = {{"s0/y", x}, {"s1/y", y}, {"s10", x}};
  EXPECT_TRUE(std::ranges::equal(run(tensors, all(), options).at(value("y")).bytes(), y.bytes()));
  options.prefix = "s1_";
  EXPECT_EQ(run({{"s1_y", y}}, all(), options).size(), 1u);
  options.prefix = "S1";
  EXPECT_THAT(refusal(tensors, options), HasSubstr("no tensor has a name below 'S1'; did you mean s1?"));
}

TEST_F(Dump, TransposesWhatAMapSays) {
  DumpOptions options;
  options.map = parse_map("schema = \"plumb-map/1\"\ny = { from = \"there\", transpose = [1, 0] }", "m.toml");
  EXPECT_TRUE(std::ranges::equal(run({{"there", x}}, all(), options).at(value("y")).bytes(), y.bytes()));
  EXPECT_THAT(failure({{"there", y}}, options), HasSubstr("'y' is f32[2, 3], the graph says f32[3, 2]"));
}

TEST_F(Dump, PairsByStatisticsWhereThatIsAskedFor) {
  DumpOptions options;
  options.truth_norms = [&](const cases::Case&) { return ValueNorms{{value("t"), 2}, {value("y"), norm_of(y)}}; };
  DumpCandidate made = candidate({{"strange", y}}, options);
  made.begins(subject);
  EXPECT_EQ(made.pairing(), (std::map<ir::Value, Pairing>{{value("y"), Pairing::statistics}}));
  options.truth_norms = [&](const cases::Case&) {
    return ValueNorms{{value("t"), norm_of(y)}, {value("y"), norm_of(y)}};
  };
  EXPECT_THAT(refusal({{"strange", y}}, options), HasSubstr("none of its 1 tensor"));
}

TEST_F(Dump, CannotRunANodeAlone) {
  DumpCandidate made = candidate({{"y", y}});
  EXPECT_THROW(made.compile(subject.file->graph, {}, all()), ir::Error);  // no case has begun
  made.begins(subject);
  const std::vector<ir::TensorType> operands = {x.type()};
  const ir::Graph alone = ir::graph_of(subject.file->graph.nodes()[0].op, operands);
  try {
    made.compile(alone, {}, {alone.results()});
    FAIL() << "it compiled a node alone";
  } catch (const ir::Unsupported& error) {
    EXPECT_THAT(error.what(), HasSubstr("cannot run nodes alone; --mode attribute"));
  }
}

TEST_F(Dump, RefusesFilesThatAreNone) {
  DumpOptions options;
  options.path = "/nowhere/x.npz";
  EXPECT_THROW(DumpCandidate(options).begins(subject), ir::Error);
  options.path = path + ".npy";
  ir::formats::save_tensors(options.path, {{"", y}});
  EXPECT_THROW(DumpCandidate(options).begins(subject), ir::Error);
  fs::remove(options.path);
}

}  // namespace
}  // namespace plumb::parity::foreign::dump_test
