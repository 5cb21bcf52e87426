// Single faults in small results that can be computed by hand.
#include <gtest/gtest.h>

#include <cmath>

#include "parity/power/faults/faulty_executor.hpp"
#include "tests/parity/small_case.hpp"

namespace plumb::testing::faults_test {
namespace {

using parity::power::faults::Fault;
using parity::power::faults::Numbers;
using parity::power::faults::Place;

const Fault& fault_named(std::string_view name) {
  for (const Fault& fault : parity::power::faults::all_faults())
    if (fault.name == name) return fault;
  throw ir::Error("no such fault");
}

/// The output y of a graph, computed with a fault in it.
Numbers with(std::string_view fault, std::string_view inputs, std::string_view node, Place place = Place::whole) {
  const auto subject = make_case(R"({"format": "plumb.graph/1", "inputs": {)" + std::string(inputs) +
                                 R"(}, "nodes": [{"label": "y", )" + std::string(node) + R"(}], "results": ["y"]})");
  ref_cpu::CpuExecutor cpu;
  parity::power::faults::FaultyExecutor faulty(cpu, cpu, fault_named(fault), "y", {}, place);
  const ir::Graph& graph = subject.file->graph;
  const auto made = faulty.compile(graph, subject.feeds, {graph.results()})->run(subject.feeds);
  return parity::power::faults::numbers_of(made.at(graph.results().front()));
}

/// A product of a row of ones and a column of ones.
Numbers of_ones(std::string_view fault, int terms) {
  const std::string n = std::to_string(terms), one = R"(", "fill": {"distribution": "constant", "value": 1}})";
  return with(fault, R"("a": {"type": "f32[1, )" + n + "]" + one + R"(, "b": {"type": "f32[)" + n + ", 1]" + one,
              R"("op": "matmul", "inputs": ["a", "b"])");
}

TEST(Faults, OfPartialSumsCountTheirTerms) {
  EXPECT_EQ(of_ones("term_twice", 64), Numbers{65});
  EXPECT_EQ(of_ones("tile_twice", 64), Numbers{80});
  EXPECT_EQ(of_ones("slice_missing", 64), Numbers{48});
  EXPECT_EQ(of_ones("slice_twice", 64), Numbers{80});
  EXPECT_EQ(of_ones("split_missing", 64), Numbers{48});
  EXPECT_EQ(of_ones("lane_missing", 64), Numbers{62});
  EXPECT_EQ(of_ones("garbage_tail", 64), Numbers{64});  // whole slices have no tail
  EXPECT_TRUE(std::isnan(of_ones("garbage_tail", 60).front()));
}

TEST(Faults, OfAccumulatorsThatAreNotCleared) {
  const auto sum = R"("op": "matmul", "inputs": ["a", "b"])";
  EXPECT_EQ(with("uncleared_between_batches",
                 R"("a": {"type": "f32[3, 1, 2]", "values": [1, 1, 2, 2, 3, 3]},
                    "b": {"type": "f32[3, 2, 1]", "fill": {"distribution": "constant", "value": 1}})",
                 sum),
            (Numbers{2, 6, 10}));
}

TEST(Faults, OfCachesPutRowsWhereTheyDoNotBelong) {
  const auto cache_with = [](std::string_view fault, int start) {
    return with(
        fault,
        R"("cache": {"type": "f32[1, 3, 1]", "values": [1, 2, 3]}, "rows": {"type": "f32[1, 1, 1]", "values": [9]},
                   "start": {"type": "i32[1]", "values": [)" +
            std::to_string(start) + "]}",
        R"("op": "tensor_scatter", "inputs": ["cache", "rows", "start"], "axis": 1, "has_write_indices": true)");
  };
  EXPECT_EQ(cache_with("stale_rows", 1), (Numbers{1, 2, 3}));
  EXPECT_EQ(cache_with("shifted_rows", 1), (Numbers{1, 2, 9}));
  EXPECT_EQ(cache_with("shifted_rows", 2), (Numbers{1, 9, 3}));  // there is no row behind it
  EXPECT_EQ(cache_with("wrapped_rows", 1), (Numbers{9, 2, 3}));
}

TEST(Faults, OfPrecisionLoseTheirBits) {
  const auto product = R"("op": "matmul", "inputs": ["a", "b"])";
  // 1 + 2^-20 is half way between two numbers of 20 bits.
  const auto small = R"("a": {"type": "f32[1, 2]", "values": [1, 9.5367431640625e-7]},
                        "b": {"type": "f32[2, 1]", "values": [1, 1]})";
  EXPECT_EQ(with("accumulator_20_bits", small, product), Numbers{1});
  EXPECT_EQ(with("accumulator_22_bits", small, product), Numbers{1 + 0x1p-20});
  // 1 + 2^-9 + 2^-18: a high part of 1, a low part of 2^-9 in bf16.
  const auto split = R"("a": {"type": "f32[1, 2]", "values": [1.001956939697265625, 0]},
                        "b": {"type": "f32[2, 1]", "values": [1.001956939697265625, 0]})";
  EXPECT_EQ(with("bf16x3_products", split, product), Numbers{1 + 0x1p-8});
  EXPECT_EQ(with("operands_12_bits", split, product), Numbers{1.001953125 * 1.001953125});
}

/// Two keys with scores 0 and ln 2, in blocks of one: weights 1/2 and 1 by the larger, values 3 and 6.
Numbers of_attention(std::string_view fault) {
  return with(fault, R"("q": {"type": "f32[1, 1, 1, 1]", "values": [1]},
                        "k": {"type": "f32[1, 1, 2, 1]", "values": [0, 0.69314718056]},
                        "v": {"type": "f32[1, 1, 2, 1]", "values": [3, 6]})",
              R"("op": "attention", "inputs": ["q", "k", "v"], "scale": 1)");
}

TEST(Faults, OfAttentionForgetWhatBlocksNeed) {
  const auto is = [](std::string_view fault) { return of_attention(fault).front(); };
  EXPECT_NEAR(is("first_rescale_forgotten"), (3 + 6) / 1.5, 1e-5);
  EXPECT_NEAR(is("last_rescale_forgotten"), (3 + 6) / 1.5, 1e-5);
  EXPECT_NEAR(is("row_sum_short"), (1.5 + 6) / 0.5, 1e-5);
  EXPECT_NEAR(is("stale_keys"), 4.5, 1e-5);
  EXPECT_NEAR(is("stale_values"), 3, 1e-5);
  const double right = (1.5 + 6) / 1.5, coarse = is("attention_exp_14_bits");
  EXPECT_NE(coarse, right);
  EXPECT_NEAR(coarse, right, 6 * 0x1p-13);
}

/// One query of two keys of weights 1 and 1/2, beside a sink of weight 1/2.
TEST(Faults, OfSinksCountThemNotAtAllOrTwice) {
  const auto is = [](std::string_view fault) {
    return with(fault, R"("q": {"type": "f32[1, 1, 1, 1]", "values": [1]},
                          "k": {"type": "f32[1, 1, 2, 1]", "values": [0.69314718056, 0]},
                          "v": {"type": "f32[1, 1, 2, 1]", "values": [3, 6]},
                          "sinks": {"type": "f32[1]", "values": [0]})",
                R"("op": "attention", "inputs": ["q", "k", "v", "sinks"], "scale": 1, "has_sinks": true)")
        .front();
  };
  EXPECT_NEAR(is("sink_dropped"), (3 + 3) / 1.5, 1e-5);
  EXPECT_NEAR(is("sink_in_every_split"), (3 + 3) / 2.5, 1e-5);
}

TEST(Faults, OfEpiloguesTakeTheBiasOtherwise) {
  const auto inputs = R"("a": {"type": "f32[1, 1]", "values": [1]}, "b": {"type": "f32[1, 3]", "values": [1, 2, 3]},
                         "c": {"type": "f32[3]", "values": [10, 20, 30]})";
  const auto gemm = R"("op": "gemm", "inputs": ["a", "b", "c"], "alpha": 2, "has_c": true)";
  EXPECT_EQ(with("bias_twice", inputs, gemm), (Numbers{22, 44, 66}));
  EXPECT_EQ(with("bias_of_next_column", inputs, gemm), (Numbers{22, 34, 16}));
  EXPECT_EQ(with("alpha_on_c", inputs, gemm), (Numbers{22, 44, 66}));
}

TEST(Faults, OfLinesHaveTooFewBits) {
  const auto norm = R"("op": "layer_norm", "inputs": ["x"], "has_scale": false, "has_bias": false, "epsilon": 0)";
  const auto line = R"("x": {"type": "f32[1, 2]", "values": [-1, 1]})";
  EXPECT_NE(with("rsqrt_12_bits", line, norm), (Numbers{-1, 1}));
  EXPECT_NEAR(with("rsqrt_12_bits", line, norm)[1], 1, 0x1p-12);
  // A mean of 2^24 + 1 is no f32: rounded, it is off by as much as the elements are from it.
  const auto far = R"("x": {"type": "f32[1, 2]", "values": [16777216, 16777218]})";
  EXPECT_NEAR(with("rounded_mean", far, norm)[0], 0, 1e-6);
}

TEST(Faults, InOnePlaceLeaveTheRestAlone) {
  const auto inputs = R"("x": {"type": "f32[40, 40]", "fill": {"distribution": "constant", "value": 1}})";
  const auto node = R"("op": "unary", "function": "exp", "inputs": ["x"])";
  const auto changed = [&](Place place) {
    return 1600 - std::ranges::count(with("scaled", inputs, node, place), static_cast<double>(std::exp(1.0f)));
  };
  EXPECT_EQ(changed(Place::whole), 1600);
  EXPECT_EQ(changed(Place::tile), 256);
  EXPECT_EQ(changed(Place::line), 40);
}

TEST(Faults, OfIntegersAreOneOff) {
  EXPECT_EQ(with("element_one_off", R"("x": {"type": "f32[1, 3]", "values": [1, 9, 2]})",
                 R"("op": "arg_reduce", "function": "max", "axis": 1, "inputs": ["x"])"),
            Numbers{0});
}

}  // namespace
}  // namespace plumb::testing::faults_test
