// Graphs as ONNX models, read back by our own reader: results have the same bits, and what has no operator is said.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <onnx/onnx_pb.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <set>

#include "ir/formats/onnx/onnx_file.hpp"
#include "ir/formats/onnx/write/write_onnx.hpp"
#include "ir/op_list.hpp"
#include "ir/ops/clamp.hpp"
#include "ir/ops/unary.hpp"
#include "ref_cpu/cpu_executor.hpp"
#include "tests/support/paths.hpp"

namespace plumb::tests::write_test {
namespace {

namespace fs = std::filesystem;
using ir::formats::GraphFile;
using ir::formats::OnnxModel;
using ir::formats::write_onnx;
using ::testing::HasSubstr;
using ::testing::StartsWith;

/// A graph of a fixture; nothing where it is there to be refused.
std::optional<GraphFile> read(const fs::path& path) {
  try {
    return ir::formats::read_graph(path);
  } catch (const ir::Error&) {
    return std::nullopt;
  }
}

ir::Feeds params_of(const ir::Graph& graph, const ir::Feeds& feeds) {
  ir::Feeds params;
  for (const std::string& name : graph.params()) params.emplace(name, feeds.at(name));
  return params;
}

OnnxModel read_back(const std::string& bytes, ir::Executor& executor) {
  ir::formats::OnnxOptions options;
  options.evaluate = ir::formats::evaluate_with(executor);
  return ir::formats::parse_onnx(bytes, {}, options);
}

/// The results of a model by name, with the inputs that the original graph was fed.
std::map<std::string, ir::Tensor> run(const OnnxModel& model, const ir::Feeds& feeds, ir::Executor& executor) {
  const ir::Graph& graph = model.file.graph;
  ir::Feeds own = ir::formats::materialise(model.file, 1);
  for (const auto& [name, tensor] : feeds) {
    const auto renamed = model.names.sources.find(name);
    own.insert_or_assign(renamed == model.names.sources.end() ? name : renamed->second, tensor);
  }
  const auto values = executor.run(graph, own, graph.results());
  std::map<std::string, ir::Tensor> results;
  for (std::size_t k = 0; k < graph.results().size(); ++k)
    results.emplace(model.outputs.at(k), values.at(graph.results()[k]));
  return results;
}

/// Whether two tensors have the same numbers; NaN is one number.
bool is_equal(const ir::Tensor& a, const ir::Tensor& b) {
  if (a.type() != b.type()) return false;
  if (std::ranges::equal(a.bytes(), b.bytes())) return true;
  if (!ir::is_float(a.dtype())) return false;
  const ir::Tensor wide_a = convert(a, ir::DType::f64), wide_b = convert(b, ir::DType::f64);
  return std::ranges::equal(wide_a.as<double>(), wide_b.as<double>(), [](double x, double y) {
    return (x != x && y != y) || (x == y && std::signbit(x) == std::signbit(y));
  });
}

/// Whether two tensors of floats are equal but for a few roundings.
bool is_close(const ir::Tensor& a, const ir::Tensor& b) {
  if (a.type() != b.type()) return false;
  const ir::Tensor wide_a = convert(a, ir::DType::f64), wide_b = convert(b, ir::DType::f64);
  return std::ranges::equal(wide_a.as<double>(), wide_b.as<double>(),
                            [](double x, double y) { return std::fabs(x - y) <= 1e-5 * std::fmax(1, std::fabs(x)); });
}

/// The reader makes another op of Swish than the one that it is written for: these have different last bits.
bool has_silu(const ir::Graph& graph) {
  return std::ranges::any_of(
      graph.nodes(), [](const ir::Node& node) { return node.op == ir::ops::Unary{ir::ops::UnaryFunction::silu}; });
}

struct Seen {
  std::set<std::string> written;                                 ///< ops of fixtures that a model was made of
  std::map<std::string, std::string, std::less<>> refused = {};  ///< the first line, by fixture
};

/// Writes a fixture, reads it back and compares all results.
void check(const fs::path& path, ir::Executor& executor, Seen& seen) {
  SCOPED_TRACE(path);
  const auto file = read(path);
  if (!file || file->must != ir::formats::Must::pass || file->graph.nodes().empty()) return;
  const ir::Graph& graph = file->graph;
  const ir::Feeds feeds = ir::formats::materialise(*file, 1);
  std::string bytes;
  try {
    bytes = write_onnx(graph, params_of(graph, feeds));
  } catch (const ir::Unsupported& error) {
    EXPECT_THAT(error.what(), StartsWith("no ONNX operator for '"));
    seen.refused.emplace(path.parent_path().filename() / path.stem(), error.what());
    return;
  }
  for (const ir::Node& node : graph.nodes()) {
    seen.written.emplace(node.op.name());
    EXPECT_EQ(ir::formats::why_no_onnx(graph, node), "");
  }
  const auto expected = executor.run(graph, feeds, graph.results());
  const auto got = run(read_back(bytes, executor), feeds, executor);
  for (const ir::Value value : graph.results()) {
    const auto found = got.find(graph.name(value));
    ASSERT_NE(found, got.end()) << graph.name(value);
    const bool agrees =
        has_silu(graph) ? is_close(expected.at(value), found->second) : is_equal(expected.at(value), found->second);
    EXPECT_TRUE(agrees) << graph.name(value);
  }
}

/// All graphs below a folder of fixtures, but those whose weights would take long.
Seen check_all(const std::string& folder) {
  ref_cpu::CpuExecutor executor;
  Seen seen;
  for (const auto& entry : fs::recursive_directory_iterator(source_dir() / "fixtures" / folder)) {
    const bool is_large = entry.path().stem() == "bert_base" || entry.path().stem() == "resnet18";
    if (entry.path().extension() != ".json" || is_large) continue;
    try {
      check(entry.path(), executor, seen);
    } catch (const std::exception& error) {
      ADD_FAILURE() << entry.path() << ": " << error.what();
    }
  }
  return seen;
}

TEST(WriteOnnx, FixturesOfOpsComeBackWithTheSameBits) {
  const Seen seen = check_all("ops");
  // A gate is in no fixture without others that ONNX does not have.
  const std::set<std::string> without = {"ada_norm",
                                         "axial_rope_2d",
                                         "causal_conv",
                                         "complex_part",
                                         "convolve",
                                         "dequant_grouped_matmul",
                                         "dequant_matmul",
                                         "dequantize",
                                         "dynamic_slice",
                                         "dynamic_update_slice",
                                         "fake_quantize",
                                         "fft",
                                         "fma",
                                         "frame",
                                         "gated_delta_net",
                                         "glu",
                                         "group_limited_gate",
                                         "grouped_matmul",
                                         "histogram",
                                         "im2col",
                                         "irfft",
                                         "log_mel",
                                         "lora_matmul",
                                         "make_complex",
                                         "mamba2",
                                         "mean_variance_norm",
                                         "overlap_add",
                                         "pairwise_distance",
                                         "quantize_blocks",
                                         "random",
                                         "rfft",
                                         "sample",
                                         "scatter_add",
                                         "selective_scan",
                                         "umap_knn",
                                         "welch_peaks"};
  for (const ir::OpSchema* schema : ir::all_schemas()) {
    const std::string name(schema->name);
    EXPECT_NE(seen.written.contains(name), without.contains(name)) << name;
  }
  EXPECT_EQ(seen.refused.at("fma/gated_residual"), "no ONNX operator for 'y' (fma)");
  EXPECT_THAT(seen.refused.at("mean_variance_norm/by_hand"), HasSubstr("its function body by that and 1e-9"));
}

TEST(WriteOnnx, GraphsComeBackWithTheSameBits) {
  const Seen seen = check_all("graphs");
  for (const std::string op : {"attention", "conv", "lstm", "rms_norm", "rope"})
    EXPECT_TRUE(seen.written.contains(op)) << op;
  EXPECT_EQ(seen.refused.at("graphs/mamba_block"), "no ONNX operator for 'scan' (selective_scan)");
  EXPECT_THAT(seen.refused.at("graphs/bert_tiny"), HasSubstr("queries that see no key give 0, and NaN in ONNX"));
}

ir::Graph parsed(const std::string& params, const std::string& node, const std::string& inputs) {
  return ir::formats::parse_graph(R"({"format": "plumb.graph/1", "inputs": {)" + inputs + R"(}, "params": {)" + params +
                                      R"(}, "nodes": [{"label": "y", )" + node + R"(}], "results": ["y"]})",
                                  {})
      .graph;
}

std::string error_of(const ir::Graph& graph, const ir::Feeds& stored = {}) {
  try {
    write_onnx(graph, stored);
    return "";
  } catch (const ir::Unsupported& error) {
    return error.what();
  }
}

TEST(WriteOnnx, EveryNodeWithoutAnOperatorIsNamed) {
  ir::Graph graph = parsed("", R"("op": "unary", "inputs": ["x"], "function": "trunc")", R"("x": {"type": "f32[2]"})");
  EXPECT_EQ(error_of(graph), "no ONNX operator for 'y' (unary): it is trunc");
  EXPECT_EQ(ir::formats::why_no_onnx(graph, graph.nodes()[0]), "no ONNX operator: it is trunc");
  graph.add("z", graph.nodes()[0].op, {0});
  EXPECT_EQ(error_of(graph),
            "no ONNX operator for 'y' (unary): it is trunc\n"
            "no ONNX operator for 'z' (unary): it is trunc");
}

TEST(WriteOnnx, StoredNumbersDecideWhatOnnxLeavesOpen) {
  const ir::Graph graph =
      parsed(R"("b": {"type": "i32[2]"})", R"("op": "binary", "inputs": ["x", "b"], "function": "divide")",
             R"("x": {"type": "i32[2]"})");
  EXPECT_EQ(error_of(graph, {{"b", ir::Tensor::of<std::int32_t>({2}, {2, -3})}}), "");
  for (const std::int32_t divisor : {0, -1})
    EXPECT_THAT(error_of(graph, {{"b", ir::Tensor::of<std::int32_t>({2}, {2, divisor})}}),
                HasSubstr("ONNX leaves open what integers divided by 0 are"));
  EXPECT_NE(error_of(graph), "");
  EXPECT_EQ(ir::formats::why_no_onnx(graph, graph.nodes()[0]), "");

  const auto cast = parsed(R"("b": {"type": "f32[2]"})", R"("op": "cast", "inputs": ["b"], "to": "u8")", "");
  EXPECT_EQ(error_of(cast, {{"b", ir::Tensor::of<float>({2}, {0.5F, 255.5F})}}), "");
  for (const float number : {256.0F, -1.0F, std::numeric_limits<float>::quiet_NaN()})
    EXPECT_NE(error_of(cast, {{"b", ir::Tensor::of<float>({2}, {0, number})}}), "");
}

TEST(WriteOnnx, AGateIsWrittenWhereItIsNotRoundedBeforeTheProduct) {
  const auto gated = [](const std::string& function) {
    return error_of(parsed("", R"("op": "glu", "inputs": ["x", "x"], "function": ")" + function + '"',
                           R"("x": {"type": "f16[2]"})"));
  };
  EXPECT_EQ(gated("relu"), "");
  EXPECT_EQ(gated("silu"), "no ONNX operator for 'y' (glu): its gate is silu");
}

TEST(WriteOnnx, AttributesOfDoublesMustBeThoseOfFloats) {
  const auto scaled = [](const std::string& alpha, const std::string& dtype) {
    return error_of(parsed("", R"("op": "activation", "inputs": ["x"], "function": "elu", "alpha": )" + alpha,
                           R"("x": {"type": ")" + dtype + R"([2]"})"));
  };
  EXPECT_EQ(scaled("0.3", "f32"), "");
  EXPECT_EQ(scaled("0.25", "f64"), "");
  EXPECT_EQ(scaled("0.3", "f64"),
            "no ONNX operator for 'y' (activation): alpha is 0.3, and attributes of ONNX are f32");
}

TEST(WriteOnnx, ALimitThatIsNotGivenIsWrittenAsNone) {
  const ir::Graph graph = parsed(R"("low": {"type": "f32[]"})",
                                 R"("op": "clamp", "inputs": ["x", "low"], "has_min": true, "has_max": false)",
                                 R"("x": {"type": "f32[3]"})");
  const ir::Feeds low = {{"low", ir::Tensor::of<float>({}, {1})}};
  ref_cpu::CpuExecutor executor;
  const OnnxModel model = read_back(write_onnx(graph, low), executor);
  const ir::Op both = ir::ops::Clamp{.has_min = true, .has_max = true};
  EXPECT_TRUE(std::ranges::any_of(model.file.graph.nodes(), [&](const ir::Node& node) { return node.op == both; }));
  constexpr float infinity = std::numeric_limits<float>::infinity();
  const auto results = run(model, {{"x", ir::Tensor::of<float>({3}, {-infinity, 2, infinity})}}, executor);
  EXPECT_EQ(results.at("y").as<float>()[0], 1);
  EXPECT_EQ(results.at("y").as<float>()[2], infinity);
}

TEST(WriteOnnx, CornersOfASinglePointAreRefused) {
  const auto grid = [](const std::string& shape, const std::string& corners) {
    return error_of(parsed(
        "", R"("op": "affine_grid", "inputs": ["x"], "output_shape": )" + shape + R"(, "align_corners": )" + corners,
        R"("x": {"type": "f32[1, 2, 3]"})"));
  };
  EXPECT_EQ(grid("[2, 3]", "true"), "");
  EXPECT_EQ(grid("[1, 3]", "false"), "");
  EXPECT_THAT(grid("[1, 3]", "true"), HasSubstr("corners are aligned of a single point"));
}

TEST(WriteOnnx, AnEllipsisStandsForAsManyAxesInEveryTerm) {
  const ir::Graph graph =
      parsed("", R"("op": "einsum", "inputs": ["x", "b", "c"], "equation": "i...j, j...k ,...->i...k")",
             R"("x": {"type": "f32[2, 3, 1, 5]"}, "b": {"type": "f32[5, 4, 6]"}, "c": {"type": "f32[]"})");
  ::onnx::ModelProto proto;
  ASSERT_TRUE(proto.ParseFromString(write_onnx(graph, {})));
  std::map<std::string, std::vector<std::int64_t>> shapes;
  for (const auto& tensor : proto.graph().initializer()) {
    std::vector<std::int64_t>& shape = shapes[tensor.name()];
    shape.resize(tensor.raw_data().size() / sizeof(std::int64_t));
    std::memcpy(shape.data(), tensor.raw_data().data(), tensor.raw_data().size());
  }
  ASSERT_EQ(proto.graph().node_size(), 3);
  EXPECT_EQ(shapes.at(proto.graph().node(0).input(1)), (std::vector<std::int64_t>{5, 1, 4, 6}));
  EXPECT_EQ(shapes.at(proto.graph().node(1).input(1)), (std::vector<std::int64_t>{1, 1}));
  EXPECT_EQ(proto.graph().node(2).input(0), "x");
}

TEST(WriteOnnx, AGridOfHalvesIsComputedInSingles) {
  const ir::Graph graph =
      parsed("", R"("op": "affine_grid", "inputs": ["x"], "output_shape": [2, 3])", R"("x": {"type": "f16[1, 2, 3]"})");
  ::onnx::ModelProto proto;
  ASSERT_TRUE(proto.ParseFromString(write_onnx(graph, {})));
  std::vector<std::string> ops;
  for (const auto& node : proto.graph().node()) ops.push_back(node.op_type());
  EXPECT_EQ(ops, (std::vector<std::string>{"Cast", "AffineGrid", "Cast"}));
}

TEST(WriteOnnx, ACellThatIsClippedIsRefused) {
  const auto recurrent = [](const std::string& op, const std::string& rows, const std::string& more) {
    return error_of(parsed("", R"("op": ")" + op + R"(", "inputs": ["x", "w", "r"])" + more,
                           R"("x": {"type": "f32[2, 1, 3]"}, "w": {"type": "f32[1, )" + rows +
                               R"(, 3]"}, "r": {"type": "f32[1, )" + rows + R"(, 2]"})"));
  };
  EXPECT_EQ(recurrent("lstm", "8", ""), "");
  EXPECT_EQ(recurrent("lstm", "8", R"(, "clip": 0.5)"),
            "no ONNX operator for 'y' (lstm): ONNX does not say whether its clip bounds the cell, too");
  EXPECT_EQ(recurrent("gru", "6", R"(, "clip": 0.5)"), "");
}

TEST(WriteOnnx, ParamsAreStoredOrInputs) {
  const ir::Graph graph =
      parsed(R"("w": {"type": "f32[2]"})", R"("op": "binary", "inputs": ["x", "w"], "function": "add")",
             R"("x": {"type": "f32[2]"})");
  ref_cpu::CpuExecutor executor;
  const auto stored = read_back(write_onnx(graph, {{"w", ir::Tensor::of<float>({2}, {1, 2})}}), executor);
  EXPECT_EQ(stored.file.graph.inputs(), std::vector<std::string>{"x"});
  EXPECT_EQ(stored.file.graph.params(), std::vector<std::string>{"w"});
  const auto given = read_back(write_onnx(graph, {}), executor);
  EXPECT_EQ(given.file.graph.inputs(), (std::vector<std::string>{"x", "w"}));
  EXPECT_EQ(given.facts.opset, 17);
}

TEST(WriteOnnx, ZeroPointsOfNoRowsComeBack) {
  const ir::Graph graph =
      parsed("", R"("op": "matmul_integer", "inputs": ["x", "b", "z"], "has_a_zero": true)",
             R"("x": {"type": "u8[2, 0, 3]"}, "b": {"type": "u8[3, 4]"}, "z": {"type": "u8[1, 0, 1]"})");
  ref_cpu::CpuExecutor executor;
  const ir::Graph back = read_back(write_onnx(graph, {}), executor).file.graph;
  EXPECT_EQ(back.type(back.results().front()).shape, (ir::Shape{2, 0, 4}));
}

TEST(WriteOnnx, OneScaleHasNoBlocks) {
  const auto attributes_by = [](const std::string& scale) {
    ::onnx::ModelProto proto;
    proto.ParseFromString(
        write_onnx(parsed("", R"("op": "quantize_linear", "inputs": ["x", "s"], "dtype": "u8", "block_size": 2)",
                          R"("x": {"type": "f32[3, 4]"}, "s": {"type": "f32[)" + scale + R"(]"})"),
                   {}));
    std::set<std::string> names;
    for (const auto& attribute : proto.graph().node(0).attribute()) names.insert(attribute.name());
    return names;
  };
  EXPECT_EQ(attributes_by(""), std::set<std::string>{});
  EXPECT_EQ(attributes_by("3, 2"), (std::set<std::string>{"axis", "block_size"}));
}

TEST(WriteOnnx, AModelOfTwoGibibytesIsRefusedBeforeItIsMade) {
  const ir::Graph graph =
      parsed("", R"("op": "range", "inputs": [], "start": 0, "delta": 1, "count": 600000000, "dtype": "f32")", "");
  EXPECT_THAT(error_of(graph), HasSubstr("do not fit into an ONNX file, which has 2 GiB"));
}

}  // namespace
}  // namespace plumb::tests::write_test
