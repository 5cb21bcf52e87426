// A gelu that stands for the products, the erf or tanh and the sum that exporters spell it with is held to what these
// may be off (verdict.md V2), which near 0 is less than its own contract: every spelling, over numbers of every size.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "ir/ops/binary.hpp"
#include "ir/ops/cast.hpp"
#include "ir/ops/constant.hpp"
#include "ir/ops/unary.hpp"
#include "ir/passes/widen.hpp"
#include "parity/bounds/bounded.hpp"
#include "ref_cpu/cpu_executor.hpp"
#include "tests/gpu_vulkan/device.hpp"
#include "tests/support/samples.hpp"

namespace plumb::gpu_vulkan::gelu_limits_test {
namespace {

using ir::DType;
using ir::Tensor;
using ir::Value;
using ir::ops::Binary;
using ir::ops::BinaryFunction;
using ir::ops::Unary;
using ir::ops::UnaryFunction;
using parity::compare::Comparison;

/// A gelu in primitives of f32 numbers, those of x cast to it and the result cast back.
class Spelling {
 public:
  Spelling(std::string what, std::int64_t elements, DType stored = DType::f32) : what(std::move(what)) {
    given_ = graph.input("x", {stored, {elements}});
    x = stored == DType::f32 ? given_ : graph.add("wide", ir::ops::Cast{DType::f32}, {given_});
  }

  Value number(float v) {
    ir::ops::Constant one{DType::f32, {}, {}};
    const auto bytes = std::as_bytes(std::span(&v, 1));
    one.data.assign(bytes.begin(), bytes.end());
    return graph.add(label(), one, {});
  }
  Value binary(BinaryFunction f, Value a, Value b) { return graph.add(label(), Binary{f}, {a, b}); }
  Value multiply(Value a, Value b) { return binary(BinaryFunction::multiply, a, b); }
  Value one_plus(UnaryFunction f, Value t) {
    return binary(BinaryFunction::add, graph.add(label(), Unary{f}, {t}), number(1));
  }
  Spelling& gives(Value y) {
    const DType stored = graph.type(given_).dtype;
    result = stored == DType::f32 ? y : graph.add("narrow", ir::ops::Cast{stored}, {y});
    graph.returns(result);
    return *this;
  }

  std::string what;
  ir::Graph graph = {};
  Value x = 0, result = 0;

 private:
  std::string label() { return ir::cat('n', graph.nodes().size()); }
  Value given_ = 0;
};

Spelling by_erf(std::string what, std::int64_t n, bool divides, bool half_first, DType stored = DType::f32) {
  Spelling s(ir::cat("erf, ", what), n, stored);
  const Value t =
      divides ? s.binary(BinaryFunction::divide, s.x, s.number(1.41421356f)) : s.multiply(s.x, s.number(0.707106781f));
  const Value plus = s.one_plus(UnaryFunction::erf, t);
  return s.gives(half_first ? s.multiply(s.multiply(s.number(0.5f), s.x), plus)
                            : s.multiply(s.multiply(s.x, plus), s.number(0.5f)));
}

Spelling by_tanh(std::string what, std::int64_t n, bool by_power, DType stored = DType::f32) {
  Spelling s(ir::cat("tanh, ", what), n, stored);
  const Value cube =
      by_power ? s.binary(BinaryFunction::power, s.x, s.number(3)) : s.multiply(s.x, s.multiply(s.x, s.x));
  const Value sum = s.binary(BinaryFunction::add, s.x, s.multiply(s.number(0.044715f), cube));
  const Value plus = s.one_plus(UnaryFunction::tanh, s.multiply(sum, s.number(0.797884561f)));
  return s.gives(s.multiply(s.multiply(s.number(0.5f), s.x), plus));
}

/// Where kernels that took a rounded tail from x were furthest off for these limits (fixtures/graphs/gelus_near_zero):
/// 1.05 and 1.08 of those of erf, by quotient and by product, 1.03 of x < 0, 0.9 of those of tanh. Then codes of either
/// sign evenly from 2^-24 to 13.
Tensor numbers() {
  std::vector<float> x = {0.0320628025f, -0.0330825858f, -0.0672813728f, -0.00197038776f, -0.00197038753f,
                          0.0320627242f, 0.0f,           -0.0f,          0x1p-149f,       -0x1p-126f};
  for (std::uint32_t code = std::bit_cast<std::uint32_t>(0x1p-24f); code < std::bit_cast<std::uint32_t>(13.0f);
       code += 2003)
    for (const std::uint32_t sign : {0u, 0x80000000u}) x.push_back(std::bit_cast<float>(code | sign));
  return Tensor::of<float>({std::ssize(x)}, x);
}

class GeluLimits : public testing::OnDevice {
 protected:
  /// The spelled graph as the device computes it, f32 in a single kernel, beside its truth.
  static Comparison judged(const Spelling& s, const Tensor& x) {
    const auto device = testing::executor_with([](device::VulkanOptions& options) { options.fuse = true; });
    const auto executable = device->compile(s.graph, {}, {{s.result}});
    const Tensor got = executable->run({{"x", x}}).at(s.result);
    const std::vector<ir::NodeReport> reports = executable->nodes();
    const auto kernels = std::ranges::count(reports, ir::Placement::gpu, &ir::NodeReport::placement);
    EXPECT_TRUE(kernels == 1 || x.dtype() != DType::f32) << s.what;
    return held(s, x, got);
  }

  static Comparison held(const Spelling& s, const Tensor& x, const Tensor& got) {
    ref_cpu::CpuExecutor cpu;
    const auto segment =
        parity::core::segment_of(s.graph, s.graph.nodes().size() - 1, [&](Value v) { return s.graph.is_source(v); });
    const auto bounded = parity::bounds::evaluate_bounded(cpu, segment, [&](Value) { return ir::passes::widen(x); },
                                                          {.flushes_subnormals = true});
    return parity::compare::compare(bounded.truth.outputs.at(0), got, bounded.allowed.at(0));
  }
};

std::vector<Spelling> spellings(std::int64_t n, DType stored = DType::f32) {
  return {by_erf("x by √2, half last", n, true, false, stored),
          by_erf("x by √2, half first", n, true, true, stored),
          by_erf("x times √½, half last", n, false, false, stored),
          by_erf("x times √½, half first", n, false, true, stored),
          by_tanh("power", n, true, stored),
          by_tanh("products", n, false, stored)};
}

/// The largest ratio of all numbers is 0.59, whether fma rounds once or twice (docs/bounds.md).
TEST_F(GeluLimits, OfEverySpellingAreFarFromReached) {
  const Tensor x = numbers();
  for (const Spelling& s : spellings(x.elements())) {
    const Comparison c = judged(s, x);
    EXPECT_TRUE(c.agrees()) << s.what << ": " << parity::compare::summary(c);
    EXPECT_LT(c.ratio(), 0.75) << s.what << ": x is " << x.as<float>()[c.worst.at(0).index];
  }
}

/// Half a unit of what is stored is all of the limit but for 2^-10 of it, and is reached.
TEST_F(GeluLimits, HoldForNumbersStoredInSixteenBits) {
  for (const DType stored : {DType::f16, DType::bf16}) {
    const Tensor x = plumb::testing::all_codes(stored);
    for (const Spelling& s : spellings(x.elements(), stored)) {
      const Comparison c = judged(s, x);
      EXPECT_TRUE(c.agrees()) << s.what << " of " << x.type() << ": " << parity::compare::summary(c);
    }
  }
}

TEST_F(GeluLimits, TellTheTwoGelusApart) {
  const Tensor x = numbers();
  const Spelling exact = by_erf("x by √2", x.elements(), true, true), other = by_tanh("power", x.elements(), true);
  ref_cpu::CpuExecutor cpu;
  const auto of = [&](const Spelling& s) { return cpu.run(s.graph, {{"x", x}}, {s.result}).at(s.result); };
  EXPECT_GT(held(exact, x, of(other)).ratio(), 100);
  EXPECT_GT(held(other, x, of(exact)).ratio(), 100);
}

}  // namespace
}  // namespace plumb::gpu_vulkan::gelu_limits_test
