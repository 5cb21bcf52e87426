// From its fourth run on, a context of the CPU executor allocates nothing, nor does an executable's run_into.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>

#include "ir/register_op.hpp"
#include "parity/checks/relations/residency.hpp"
#include "ref_cpu/cpu_executor.hpp"
#include "ref_cpu/scratch.hpp"
#include "tests/ref_cpu/counted_malloc.hpp"
#include "tests/support/paths.hpp"
#include "tests/support/resident_runs.hpp"

namespace plumb::ref_cpu::allocations_test {
namespace {

/// How often memory was asked for in runs 4 to 103, or as many of them as fit into some seconds.
tests::Asked asked_for_by(const std::function<void()>& run) {
  using Clock = std::chrono::steady_clock;
  for (int i = 0; i < 3; ++i) run();
  tests::begin_counting();
  const auto deadline = Clock::now() + std::chrono::seconds(2);
  for (int i = 0; i < 100 && (i < 5 || Clock::now() < deadline); ++i) run();
  return tests::end_counting();
}

/// On one thread nobody asks for memory. On several, oneTBB may do so for itself.
void expect_none(int threads, const std::string& what, const std::function<void()>& run) {
  const tests::Asked asked = asked_for_by(run);
  ::testing::Test::RecordProperty(ir::cat("malloc_", what, "_on_", threads), static_cast<int>(asked.malloc));
  EXPECT_EQ(asked.operator_new, 0u) << what << " on " << threads << " threads";
  if (threads == 1) {
    EXPECT_EQ(asked.malloc, 0u) << what;
  }
}

void expect_none_from_the_fourth_run_on(const ir::formats::GraphFile& file) {
  if (!tests::counts_memory()) GTEST_SKIP() << "nothing is counted here";
  const ir::Graph& graph = file.graph;
  const ir::Feeds feeds = ir::formats::materialise(file, 1);
  const ir::Feeds inputs = plumb::testing::part_of(feeds, graph.inputs());
  for (const int threads : {1, 4}) {
    CpuExecutor cpu({.threads = threads});
    const auto executable = cpu.compile(graph, feeds, {graph.results()});
    ir::Tensors results;
    expect_none(threads, "run_into", [&] { executable->run_into(inputs, results); });
    const auto context = executable->context();
    expect_none(threads, "context", [&] { context->submit(inputs).get(); });
    plumb::testing::expect_results(*context, results, graph);
    const auto pairs = parity::checks::relations::feedable(graph);
    if (pairs.empty()) continue;
    const auto fed = executable->context();
    ir::Feeds rest = inputs;
    for (const auto& [result, input] : pairs) {
      fed->feed(result, input);
      rest.erase(graph.inputs()[input]);
    }
    expect_none(threads, "fed", [&] { fed->submit(rest).get(); });
  }
}

class Allocations : public ::testing::TestWithParam<std::filesystem::path> {};

TEST_P(Allocations, AreNoneFromTheFourthRunOn) {
  expect_none_from_the_fourth_run_on(ir::formats::read_graph(GetParam()));
}

/// Eigen packs operands that are larger than what it has on the stack.
TEST(AllocationsOfProducts, AreNoneOfEigens) {
  expect_none_from_the_fourth_run_on(ir::formats::parse_graph(R"({"format": "plumb.graph/1",
    "inputs": {"x": {"type": "f64[190, 310]"}, "i": {"type": "i32[190, 310]"}},
    "params": {"w": {"type": "f64[310, 170]"}, "j": {"type": "i32[170, 310]"}}, "nodes": [
    {"label": "y", "op": "matmul", "inputs": ["x", "w"]},
    {"label": "k", "op": "matmul", "inputs": ["i", "j"], "transpose_b": true}], "results": ["y", "k"]})",
                                                              "."));
}

TEST(AllocationsOfQuantisers, AreNone) {
  expect_none_from_the_fourth_run_on(ir::formats::parse_graph(R"({"format": "plumb.graph/1", "inputs": {
    "x": {"type": "f32[6, 8]"}, "wide": {"type": "f64[]"}, "s": {"type": "f32[8]"}, "z": {"type": "u8[8]"},
    "blocks": {"type": "f32[6, 2]"}, "one": {"type": "f32[]"}, "u": {"type": "u8[]"}, "b": {"type": "i8[8, 5]"},
    "bs": {"type": "f32[5]"}, "bz": {"type": "i8[5]"}, "bias": {"type": "i32[5]"}, "image": {"type": "u8[1, 4, 5, 5]"},
    "w": {"type": "i8[6, 2, 3, 3]"}, "ws": {"type": "f32[6]"}, "wz": {"type": "i8[6]"}, "more": {"type": "i32[6]"}},
    "nodes": [
    {"label": "by_axis", "op": "quantize_linear", "inputs": ["x", "s", "z"], "dtype": "u8", "has_zero_point": true},
    {"label": "in_f64", "op": "quantize_linear", "inputs": ["x", "wide"]},
    {"label": "by_blocks", "op": "quantize_linear", "inputs": ["x", "blocks"], "block_size": 4},
    {"label": "back", "op": "dequantize_linear", "inputs": ["by_axis", "s", "z"], "has_zero_point": true},
    {"label": "found", "op": "dynamic_quantize_linear", "inputs": ["x"]},
    {"label": "reals", "op": "fake_quantize", "inputs": ["x", "s"]},
    {"label": "sums", "op": "matmul_integer", "inputs": ["by_axis", "b", "u", "bz"], "has_a_zero": true,
     "has_b_zero": true},
    {"label": "product", "op": "qmatmul", "inputs": ["by_axis", "one", "u", "b", "bs", "bz", "one", "u", "bias"],
     "has_bias": true},
    {"label": "conv", "op": "conv_integer", "inputs": ["image", "w", "u", "wz"], "group": 2, "pads": [1, 0, 0, 1],
     "has_x_zero": true, "has_w_zero": true},
    {"label": "codes", "op": "qconv", "inputs": ["image", "one", "u", "w", "ws", "wz", "one", "u", "more"], "group": 2,
     "has_bias": true}],
    "results": ["by_axis", "in_f64", "by_blocks", "back", "found", "reals", "sums", "product", "conv", "codes"]})",
                                                              "."));
}

TEST(AllocationsOfPackedWeights, AreNone) {
  expect_none_from_the_fourth_run_on(ir::formats::parse_graph(R"({"format": "plumb.graph/1", "inputs": {
    "codes": {"type": "u8[5, 18]", "fill": {"distribution": "packed", "format": "q4_0"}},
    "x": {"type": "f32[3, 32]"}, "h": {"type": "f16[3, 32]"}, "beside": {"type": "i8[5, 32]"},
    "scales": {"type": "f32[5, 2]"}, "w": {"type": "f32[32, 5]"},
    "a": {"type": "f32[32, 2]"}, "b": {"type": "f32[2, 5]"}, "s": {"type": "f32[32]"},
    "tokens": {"type": "f32[1, 6, 8]"}, "distances": {"type": "f32[6, 6]"}}, "nodes": [
    {"label": "numbers", "op": "dequantize", "inputs": ["beside", "scales"], "format": "int8", "block_size": 16,
     "has_scales": true, "dtype": "f16"},
    {"label": "product", "op": "dequant_matmul", "inputs": ["h", "codes"], "format": "q4_0"},
    {"label": "packed", "op": "quantize_blocks", "inputs": ["x"], "format": "q8_0"},
    {"label": "low_rank", "op": "lora_matmul", "inputs": ["x", "w", "a", "b"]},
    {"label": "norm", "op": "ada_norm", "inputs": ["x", "s", "s"]},
    {"label": "turned", "op": "axial_rope_2d", "inputs": ["tokens"], "width": 3, "height": 2, "head_dim": 4},
    {"label": "nearest", "op": "umap_knn", "inputs": ["distances"], "k": 2}],
    "results": ["numbers", "product", "packed", "low_rank", "norm", "turned", "nearest"]})",
                                                              "."));
}

/// Rows are sorted by their expert, and weights decoded or widened, in memory that is kept.
TEST(AllocationsOfProducts, AreNoneOfRowsWithExperts) {
  expect_none_from_the_fourth_run_on(ir::formats::parse_graph(R"({"format": "plumb.graph/1",
    "inputs": {"x": {"type": "f16[45, 96]"}, "z": {"type": "f64[45, 96]"}, "expert": {"type": "i64[45]",
      "fill": {"distribution": "uniform_int", "low": -1, "high": 6}}},
    "params": {"w": {"type": "f16[6, 96, 70]"}, "v": {"type": "f64[6, 70, 96]"}, "bias": {"type": "f16[6, 70]"},
      "codes": {"type": "u8[6, 70, 51]", "fill": {"distribution": "packed", "format": "mxfp4"}}}, "nodes": [
    {"label": "y", "op": "grouped_matmul", "inputs": ["x", "w", "expert", "bias"], "has_bias": true},
    {"label": "wide", "op": "grouped_matmul", "inputs": ["z", "v", "expert"], "transpose_w": true},
    {"label": "packed", "op": "dequant_grouped_matmul", "inputs": ["z", "codes", "expert"], "format": "mxfp4"}],
    "results": ["y", "wide", "packed"]})",
                                                              "."));
}

/// Narrow floats of several terms are widened, and terms in another order are copied.
TEST(AllocationsOfProducts, AreNoneOfLabelledAxes) {
  expect_none_from_the_fourth_run_on(ir::formats::parse_graph(R"({"format": "plumb.graph/1", "inputs": {
    "a": {"type": "f16[3, 5, 4]"}, "b": {"type": "f16[4, 7]"}, "c": {"type": "f16[7, 3]"},
    "x": {"type": "f64[6, 5, 4]"}, "y": {"type": "f64[4, 6, 3]"}, "i": {"type": "i64[5, 5]"},
    "q": {"type": "f64[1, 2, 20, 64]"}, "k": {"type": "f64[1, 2, 300, 64]"}, "mask": {"type": "bool[20, 300]"}},
    "nodes": [
    {"label": "three", "op": "einsum", "inputs": ["a", "b", "c"], "equation": "bij,jk,kb->ib"},
    {"label": "two", "op": "einsum", "inputs": ["x", "y"], "equation": "bij,jbk->kib"},
    {"label": "trace", "op": "einsum", "inputs": ["i"], "equation": "ii->"},
    {"label": "general", "op": "dot_general", "inputs": ["x", "y"], "a_batch": [0], "b_batch": [1],
     "a_contract": [2], "b_contract": [0]},
    {"label": "halves", "op": "dot_general", "inputs": ["a", "b"], "a_batch": [], "b_batch": [], "a_contract": [2],
     "b_contract": [0]},
    {"label": "wide", "op": "attention", "inputs": ["q", "k", "k", "mask"], "has_mask": true}],
    "results": ["three", "two", "trace", "general", "halves", "wide"]})",
                                                              "."));
}

TEST(AllocationsOfImages, AreNone) {
  expect_none_from_the_fourth_run_on(ir::formats::parse_graph(R"({"format": "plumb.graph/1", "inputs": {
    "image": {"type": "f16[2, 7, 5]"}, "bits": {"type": "bool[3, 4]"}, "theta": {"type": "f16[2, 2, 3]"},
    "rows": {"type": "f16[5, 9]"}, "others": {"type": "f16[3, 9]"}, "lines": {"type": "f16[3, 4, 5]"}}, "nodes": [
    {"label": "larger", "op": "resize", "inputs": ["image"], "axes": [1, 2], "sizes": [9, 3], "mode": "linear"},
    {"label": "crop", "op": "resize", "inputs": ["image"], "axes": [1], "sizes": [4], "mode": "nearest",
     "coordinate": "tf_crop_and_resize", "roi": [0.5, 1.5]},
    {"label": "nearest", "op": "resize", "inputs": ["bits"], "axes": [0, 1], "sizes": [6, 5], "mode": "nearest"},
    {"label": "grid", "op": "affine_grid", "inputs": ["theta"], "output_shape": [3, 4]},
    {"label": "one", "op": "pairwise_distance", "inputs": ["rows"], "metric": "cosine"},
    {"label": "both", "op": "pairwise_distance", "inputs": ["rows", "others"], "has_y": true},
    {"label": "inner", "op": "mean_variance_norm", "inputs": ["lines"], "axes": [2]},
    {"label": "outer", "op": "mean_variance_norm", "inputs": ["lines"], "axes": [0, 2]}],
    "results": ["larger", "crop", "nearest", "grid", "one", "both", "inner", "outer"]})",
                                                              "."));
}

/// By code of their own, in memory that is kept for it, and by a body that is compiled once.
TEST(AllocationsOfRegisteredOps, AreNone) {
  const std::string schema = R"({"inputs": [{"name": "x", "dtypes": ["f32", "f64"]}],
                                 "outputs": [{"name": "y", "type": "as x"}]})";
  ir::register_op({"test.copied",
                   schema,
                   "",
                   {.cpu = [](const ir::RegisteredOp&, auto in,
                              auto out) { std::ranges::copy(in[0].bytes(), out[0].bytes().begin()); },
                    .bounds = [](const ir::RegisteredOp&, double, auto, auto) {}}});
  ir::register_op({"test.doubled", schema, R"({"format": "plumb.graph/1", "inputs": {"x": {"type": "f32[2, 3]"}},
    "nodes": [{"label": "y", "op": "binary", "inputs": ["x", "x"], "function": "add"}], "results": ["y"]})"});
  expect_none_from_the_fourth_run_on(ir::formats::parse_graph(R"({"format": "plumb.graph/1",
    "inputs": {"x": {"type": "f32[5, 3]"}}, "nodes": [
    {"label": "same", "op": "test.copied", "inputs": ["x"]},
    {"label": "twice", "op": "test.doubled", "inputs": ["same"]}], "results": ["same", "twice"]})",
                                                              "."));
}

std::vector<std::filesystem::path> graphs() {
  std::vector<std::filesystem::path> all;
  for (const auto& entry : std::filesystem::directory_iterator(tests::source_dir() / "fixtures/graphs"))
    if (entry.path().filename() != "bert_base.json") all.push_back(entry.path());  // bert_tiny has its nodes
  std::ranges::sort(all);
  return all;
}

INSTANTIATE_TEST_SUITE_P(, Allocations, ::testing::ValuesIn(graphs()),
                         [](const auto& test) { return test.param.stem().string(); });

TEST(Scratch, IsTakenAgainOnceItWasGivenBack) {
  ScratchStack stack;
  std::byte* const first = static_cast<std::byte*>(stack.take(100));
  void* const second = stack.take(1);
  EXPECT_EQ(second, first + 128) << "multiples of 64";
  stack.give_back(first, 100);  // not the last
  EXPECT_EQ(stack.take(1), first + 192);
  stack.give_back(first + 192, 1);
  EXPECT_EQ(stack.take(64), first + 192);
  EXPECT_EQ(stack.peak(), 256u);
}

TEST(Scratch, IsInOneBlockOnceItIsKnownHowMuchThatIs) {
  Scratch scratch;
  const std::size_t sizes[] = {5000, 100000, 64, 70000};
  for (int run = 0; run < 3; ++run) {
    std::vector<std::byte*> places;
    {
      const ScratchScope scope({&scratch, &scratch.main()});
      std::vector<ScratchVector<std::byte>> all;
      for (const std::size_t size : sizes) {
        all.emplace_back(size);
        std::ranges::fill(all.back(), std::byte(all.size()));
        places.push_back(all.back().data());
      }
      for (std::size_t i = 0; i < all.size(); ++i) EXPECT_EQ(std::ranges::count(all[i], std::byte(i + 1)), sizes[i]);
    }
    scratch.settle();
    EXPECT_EQ(scratch.main().peak(), 5056u + 100032 + 64 + 70016);
    for (std::size_t i = 0; run > 0 && i + 1 < places.size(); ++i)
      EXPECT_EQ(places[i + 1] - places[i], (sizes[i] + 63) / 64 * 64);
  }
  EXPECT_EQ(current_scratch().stack, nullptr);
}

TEST(Scratch, IsOfTheHeapOutsideOfRuns) {
  ScratchVector<int> made(3, 7);
  {
    Scratch scratch;
    const ScratchScope scope({&scratch, &scratch.main()});
    made.resize(1000, 8);
    EXPECT_EQ(scratch.main().peak(), 0u);
  }
  EXPECT_EQ(std::ranges::count(made, 8), 997);
}

}  // namespace
}  // namespace plumb::ref_cpu::allocations_test
