// The proof by brute force: sums of a twin are the same bits in every order that was tried.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <random>

#include "ir/ops/gemm.hpp"
#include "parity/checks/exact/twin.hpp"
#include "tests/parity/small_case.hpp"

namespace plumb::parity::checks::exact::order_test {
namespace {

/// A chain of everything that sums, of these extents.
std::string graph_text(int rows, int k, int columns, const std::string& dtype) {
  const auto type = [&](const std::string& shape) { return "{\"type\": \"" + dtype + "[" + shape + "]\"}"; };
  const auto m = std::to_string(rows), kk = std::to_string(k), n = std::to_string(columns);
  return R"({"format": "plumb.graph/1", "inputs": {"x": )" + type(m + ", " + kk) + R"(},
  "params": {"w": )" +
         type(kk + ", " + n) + R"(, "v": )" + type(n + ", " + n) + R"(, "c": )" + type(n) + R"(},
  "nodes": [{"label": "first", "op": "matmul", "inputs": ["x", "w"]},
            {"label": "kept", "op": "unary", "inputs": ["first"], "function": "relu"},
            {"label": "second", "op": "gemm", "inputs": ["kept", "v", "c"], "has_c": true, "alpha": 0.5, "beta": 2},
            {"label": "sums", "op": "reduce", "inputs": ["second"], "function": "sum", "axes": [1]},
            {"label": "squares", "op": "reduce", "inputs": ["first"], "function": "sum_square", "axes": [0]}],
  "results": ["sums", "squares"]})";
}

/// Every product of one element of a [m, k] x [k, n] product, and what else is added.
std::vector<float> terms_of(const ir::Tensor& a, const ir::Tensor& b, std::int64_t i, std::int64_t j) {
  std::vector<float> terms;
  const auto k = static_cast<std::size_t>(a.shape()[1]), n = static_cast<std::size_t>(b.shape()[1]);
  const ir::Tensor left = ir::convert(a, ir::DType::f32), right = ir::convert(b, ir::DType::f32);
  for (std::size_t s = 0; s < k; ++s)
    terms.push_back(left.as<float>()[static_cast<std::size_t>(i) * k + s] *
                    right.as<float>()[s * n + static_cast<std::size_t>(j)]);
  return terms;
}

float in_a_row(const std::vector<float>& terms) {
  float sum = 0;
  for (const float term : terms) sum += term;
  return sum;
}

float pairwise(std::vector<float> terms) {
  if (terms.empty()) return 0;
  for (; terms.size() > 1; terms.resize((terms.size() + 1) / 2))
    for (std::size_t i = 0; i < (terms.size() + 1) / 2; ++i)
      terms[i] = 2 * i + 1 < terms.size() ? terms[2 * i] + terms[2 * i + 1] : terms[2 * i];
  return terms[0];
}

/// The different sums of some orders.
std::set<float> sums_of(std::vector<float> terms, std::mt19937& random) {
  std::set<float> sums;
  for (int order = 0; order < 6; ++order) {
    std::shuffle(terms.begin(), terms.end(), random);
    sums.insert(in_a_row(terms));
    sums.insert(pairwise(terms));
  }
  std::sort(terms.begin(), terms.end());  // the largest partial sums there are
  sums.insert(in_a_row(terms));
  return sums;
}

struct Evaluated {
  cases::Case subject;
  ir::Tensors values;

  const ir::Tensor& operator[](const std::string& name) const { return values.at(*subject.file->graph.find(name)); }
  const ir::Tensor& operand(const std::string& node, std::size_t i) const {
    for (const ir::Node& one : subject.file->graph.nodes())
      if (one.label == node) return values.at(one.inputs.at(i));
    throw std::runtime_error("no node " + node);
  }
};

Evaluated evaluate(cases::Case subject) {
  ref_cpu::CpuExecutor cpu;
  const ir::Graph& graph = subject.file->graph;
  auto values = cpu.compile(graph, subject.feeds, {graph.results(), true})->run(subject.feeds);
  for (ir::Value v = 0; graph.is_source(v); ++v) values.emplace(v, ir::fed(graph, subject.feeds, v));
  return {std::move(subject), std::move(values)};
}

/// How many elements of the product `node` have more than one sum.
int elements_with_several_sums(const Evaluated& run, const std::string& node, std::mt19937& random) {
  const ir::Tensor &a = run.operand(node, 0), &b = run.operand(node, 1);
  int several = 0;
  for (std::int64_t i = 0; i < a.shape()[0]; ++i)
    for (std::int64_t j = 0; j < b.shape()[1]; j += 3) several += sums_of(terms_of(a, b, i, j), random).size() > 1;
  return several;
}

int lines_with_several_sums(const ir::Tensor& x, std::mt19937& random, bool squared) {
  const ir::Tensor wide = ir::convert(x, ir::DType::f32);
  const auto rows = static_cast<std::size_t>(x.shape()[0]), columns = static_cast<std::size_t>(x.shape()[1]);
  int several = 0;
  for (std::size_t line = 0; line < (squared ? columns : rows); ++line) {
    std::vector<float> terms;
    for (std::size_t s = 0; s < (squared ? rows : columns); ++s) {
      const float value = wide.as<float>()[squared ? s * columns + line : line * columns + s];
      terms.push_back(squared ? value * value : value);
    }
    several += sums_of(terms, random).size() > 1;
  }
  return several;
}

TEST(ExactTwin, EveryOrderOfEverySumGivesTheSameBits) {
  std::mt19937 random(7);
  ref_cpu::CpuExecutor cpu;
  for (int trial = 0; trial < 40; ++trial) {
    const auto one_of = [&](int least, int most) { return std::uniform_int_distribution(least, most)(random); };
    const std::string dtype = std::array{"f32", "f16", "bf16"}[static_cast<std::size_t>(trial % 3)];
    const int k = trial % 10 == 0 ? 1500 : one_of(1, 90);
    const cases::Case original = testing::make_case(graph_text(one_of(1, 5), k, one_of(1, 40), dtype), 1 + trial);
    const Evaluated twin = evaluate(make_twin(original, cpu));
    for (const core::Proof& proof : twin.subject.proofs) EXPECT_EQ(proof.exact, core::Exactness::proved) << proof.why;
    for (const auto* product : {"first", "second"})
      EXPECT_EQ(elements_with_several_sums(twin, product, random), 0) << product << " of trial " << trial;
    EXPECT_EQ(lines_with_several_sums(twin.operand("sums", 0), random, false), 0) << trial;
    EXPECT_EQ(lines_with_several_sums(twin.operand("squares", 0), random, true), 0) << trial;
  }
}

TEST(ExactTwin, OrdinaryNumbersDoNotGiveTheSameBits) {
  std::mt19937 random(7);
  const Evaluated run = evaluate(testing::make_case(graph_text(5, 90, 40, "f32")));
  EXPECT_GT(elements_with_several_sums(run, "first", random), 50);
  EXPECT_GT(lines_with_several_sums(run.operand("sums", 0), random, false), 2);
}

}  // namespace
}  // namespace plumb::parity::checks::exact::order_test
