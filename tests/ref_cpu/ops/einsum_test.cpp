#include "ir/ops/einsum.hpp"

#include <gtest/gtest.h>

#include <map>

#include "ir/ops/dot_general.hpp"
#include "tests/ref_cpu/run_one.hpp"
#include "tests/support/op_check.hpp"

namespace plumb::ref_cpu::einsum_test {
namespace {

using ir::DType;
using ir::Shape;
using ir::Tensor;
using ir::ops::DotGeneral;
using ir::ops::Einsum;
using plumb::testing::check_cpu;
using plumb::testing::random_tensor;

using Index = std::map<char, std::int64_t>;

double at(const Tensor& x, const std::string& term, const Index& index) {
  std::int64_t flat = 0;
  for (std::size_t k = 0; k < term.size(); ++k) flat = flat * x.shape()[k] + index.at(term[k]);
  return x.as<double>()[static_cast<std::size_t>(flat)];
}

/// The definition: for every value of every letter, the product is added where the result's letters say.
Tensor by_definition(const std::vector<std::string>& terms, const std::string& result, const std::vector<Tensor>& in) {
  Index extents;
  for (std::size_t i = 0; i < in.size(); ++i)
    for (std::size_t k = 0; k < terms[i].size(); ++k) extents[terms[i][k]] = in[i].shape()[k];
  Shape shape;
  for (const char letter : result) shape.push_back(extents[letter]);
  Tensor y({DType::f64, shape});
  std::int64_t count = 1;
  for (const auto& [letter, extent] : extents) count *= extent;
  for (std::int64_t i = 0; i < count; ++i) {
    Index index;
    std::int64_t rest = i, flat = 0;
    for (const auto& [letter, extent] : extents) {
      index[letter] = rest % extent;
      rest /= extent;
    }
    double product = 1;
    for (std::size_t t = 0; t < in.size(); ++t) product *= at(in[t], terms[t], index);
    for (const char letter : result) flat = flat * extents[letter] + index[letter];
    y.as<double>()[static_cast<std::size_t>(flat)] += product;
  }
  return y;
}

TEST(CpuEinsum, IsTheDefinition) {
  const Index extents = {{'a', 2}, {'b', 3}, {'c', 4}, {'d', 5}, {'e', 1}};
  const std::pair<std::vector<std::string>, std::string> equations[] = {
      {{"ab", "bc"}, "ac"},
      {{"ab", "cb"}, "ca"},
      {{"abc", "cbd"}, "da"},
      {{"abcd", "dbc"}, "cab"},
      {{"aab", "bc"}, "ca"},
      {{"abb"}, "ab"},
      {{"abc"}, ""},
      {{"abc"}, "ca"},
      {{"ab", "bc", "cd"}, "da"},
      {{"ab", "b", "bc"}, "acb"},
      {{"a", "b", "c"}, "cab"},
      {{"abd", "ecd", "be"}, "ac"},
      {{"ab", "ab"}, "ba"},
      {{"abcd", "abcd"}, ""},
      {{"aed", "de"}, "aed"},
      {{"cc", "cc"}, "c"},
  };
  for (const auto& [terms, result] : equations) {
    std::string equation;
    std::vector<Tensor> in;
    for (const std::string& term : terms) {
      Shape shape;
      for (const char letter : term) shape.push_back(extents.at(letter));
      equation += (equation.empty() ? "" : ",") + term;
      in.push_back(random_tensor({DType::f64, shape}, 1 + in.size()));
    }
    SCOPED_TRACE(equation + "->" + result);
    check_cpu(Einsum{equation + "->" + result}, in, {by_definition(terms, result, in)});
  }
}

TEST(CpuEinsum, IntegersWrap) {
  const Tensor x = Tensor::of<std::int32_t>({2, 2}, {1 << 30, 1 << 30, 1 << 30, 1 << 30});
  check_cpu(Einsum{"ij->"}, {x}, {Tensor::of<std::int32_t>({}, {0})});
  check_cpu(Einsum{"ij,ji->j"}, {x, x}, {Tensor::of<std::int32_t>({2}, {0, 0})});
}

TEST(CpuDotGeneral, IsTheDefinition) {
  const Tensor a = random_tensor({DType::f64, {2, 3, 4, 5}}, 7), b = random_tensor({DType::f64, {5, 4, 2, 3}}, 8);
  check_cpu(DotGeneral{{2}, {1}, {0, 3}, {2, 0}}, {a, b}, {by_definition({"sbct", "tcsd"}, "cbd", {a, b})});
  check_cpu(DotGeneral{{}, {}, {3}, {0}}, {a, b}, {by_definition({"abct", "tdef"}, "abcdef", {a, b})});
}

TEST(CpuEinsum, ThreadsDoNotChangeABit) {
  const Tensor a = random_tensor({DType::f32, {67, 5, 93}}, 1), b = random_tensor({DType::f32, {93, 67, 4}}, 2);
  const Tensor one = run_one(Einsum{"xij,jxk->ik"}, {a, b}, 1);
  for (const int threads : {2, 7, 16})
    EXPECT_TRUE(std::ranges::equal(one.bytes(), run_one(Einsum{"xij,jxk->ik"}, {a, b}, threads).bytes())) << threads;
}

}  // namespace
}  // namespace plumb::ref_cpu::einsum_test
