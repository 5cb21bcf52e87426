// The loops that ops declare, held to what the reference computes of the nodes of all fixtures, in f64.
#include "ir/loops.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <filesystem>
#include <functional>
#include <numeric>
#include <set>

#include "ir/cost.hpp"
#include "ir/passes/widen.hpp"
#include "parity/checks/relations/rearrange.hpp"
#include "parity/verify/verify.hpp"
#include "ref_cpu/cpu_executor.hpp"
#include "tests/support/paths.hpp"

namespace plumb::parity::checks::relations::loops_test {
namespace {

constexpr std::int64_t most_elements = 20'000;
constexpr double most_flops = 2e6;

using Operands = std::vector<ir::Tensor>;

/// A node of a fixture by itself, on the values that the graph gives it.
struct Subject {
  const ir::Node& node;
  const Operands& operands;
  ir::Loops loops;
  std::string where;
};

/// The parts of all elements as numbers, of complex ones both.
std::vector<double> numbers_of(const ir::Tensor& x) {
  std::vector<double> numbers;
  if (ir::is_complex(x.dtype())) {
    for (const std::complex<double> one : x.as<std::complex<double>>())
      numbers.insert(numbers.end(), {one.real(), one.imag()});
  } else {
    const ir::Tensor wide = ir::convert(x, ir::DType::f64);
    numbers.assign(wide.as<double>().begin(), wide.as<double>().end());
  }
  return numbers;
}

bool is_finite(const ir::Tensor& x) {
  return std::ranges::all_of(numbers_of(x), [](double one) { return std::isfinite(one); });
}

bool is_small(const ir::Graph& graph, const ir::Node& node) {
  for (const ir::Value v : node.inputs)
    if (graph.type(v).shape.elements() > most_elements) return false;
  return graph.type(node.outputs[0]).shape.elements() <= most_elements && ir::cost_of(graph, node).flops <= most_flops;
}

void for_each_node_of(const std::filesystem::path& file, ref_cpu::CpuExecutor& cpu,
                      const std::function<void(const Subject&)>& visit) {
  const cases::Case subject = verify::load_case(file, {});
  const ir::Graph graph = ir::passes::widen(subject.file->graph);
  ir::Feeds feeds;
  for (const auto& [name, tensor] : subject.feeds) feeds.emplace(name, ir::passes::widen(tensor));
  std::vector<ir::Value> all;
  for (const ir::Node& node : graph.nodes()) all.insert(all.end(), node.inputs.begin(), node.inputs.end());
  std::ranges::sort(all);
  all.erase(std::unique(all.begin(), all.end()), all.end());
  const ir::Tensors values = cpu.run(graph, feeds, all);
  for (const ir::Node& node : graph.nodes()) {
    if (!is_small(graph, node)) continue;
    Operands operands;
    for (const ir::Value v : node.inputs) operands.push_back(values.at(v));
    if (!std::ranges::all_of(operands, is_finite)) continue;
    visit({node, operands, ir::loops_of(graph, node), file.filename().string() + ": " + node.label});
  }
}

/// Visits the nodes of all fixtures of single ops that have a truth.
void for_each_node(ref_cpu::CpuExecutor& cpu, const std::function<void(const Subject&)>& visit) {
  for (const auto& entry : std::filesystem::recursive_directory_iterator(tests::source_dir() / "fixtures/ops")) {
    if (entry.path().extension() != ".json") continue;
    try {
      for_each_node_of(entry.path(), cpu, visit);
    } catch (const ir::Unsupported&) {  // the bits of a float, which has others when it is wider
    }
  }
}

/// Whether two results are the same but for roundings of f64, which cancellation may have made larger.
::testing::AssertionResult agree(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.size() != b.size()) return ::testing::AssertionFailure() << a.size() << " numbers, not " << b.size();
  double largest = 1;
  for (const double one : a) largest = std::isfinite(one) ? std::max(largest, std::abs(one)) : largest;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const bool is_same = a[i] == b[i] || (std::isnan(a[i]) && std::isnan(b[i]));
    if (!is_same && !(std::abs(a[i] - b[i]) <= 1e-9 * largest))
      return ::testing::AssertionFailure() << a[i] << ", not " << b[i] << ", at " << i;
  }
  return ::testing::AssertionSuccess();
}

std::vector<double> result_of(ir::Executor& executor, const ir::Op& op, const Operands& operands) {
  return numbers_of(ir::run_op(executor, op, operands).front());
}

/// The positions of a loop; 0 where no operand has an axis of it.
std::int64_t extent_of(const Subject& subject, const ir::Loop& loop) {
  for (std::size_t i = 0; i < loop.in.size(); ++i)
    if (loop.in[i]) return subject.operands[i].shape()[*loop.in[i]];
  return 0;
}

TEST(Loops, RunAlongAxesOfOneExtent) {
  ref_cpu::CpuExecutor cpu;
  for_each_node(cpu, [](const Subject& subject) {
    for (const ir::Loop& loop : subject.loops.loops) {
      ASSERT_LE(loop.in.size(), subject.operands.size()) << subject.where;
      const std::int64_t extent = extent_of(subject, loop);
      for (std::size_t i = 0; i < loop.in.size(); ++i) {
        if (!loop.in[i]) continue;
        ASSERT_LT(*loop.in[i], subject.operands[i].shape().size()) << subject.where;
        EXPECT_EQ(subject.operands[i].shape()[*loop.in[i]], extent) << subject.where << ", operand " << i;
      }
    }
  });
}

TEST(Loops, StepsThatAreNotOrderedMayComeInAnyOrder) {
  ref_cpu::CpuExecutor cpu;
  std::set<std::string_view> seen;
  for_each_node(cpu, [&](const Subject& subject) {
    const ir::Op& op = subject.node.op;
    if (subject.loops.loops.empty()) return;
    const ir::Tensor y = ir::run_op(cpu, op, subject.operands).front();
    for (const ir::Loop& loop : subject.loops.loops) {
      std::vector<std::int64_t> positions(static_cast<std::size_t>(extent_of(subject, loop)));
      if (loop.steps == ir::StepOrder::ordered || positions.size() < 2) continue;
      std::iota(positions.rbegin(), positions.rend(), 0);
      const auto holds_for = [&] {
        Operands operands = subject.operands;
        for (std::size_t i = 0; i < loop.in.size(); ++i)
          if (loop.in[i]) operands[i] = taken(operands[i], *loop.in[i], positions);
        const ir::Tensor expected = loop.out ? taken(y, *loop.out, positions) : y;
        return agree(result_of(cpu, op, operands), numbers_of(expected));
      };
      EXPECT_TRUE(holds_for()) << subject.where << " in reverse order, axis "
                               << (loop.out ? std::to_string(*loop.out) : "that is summed");
      seen.insert(op.name());
      if (loop.steps != ir::StepOrder::independent) continue;
      positions.resize(positions.size() / 2);
      EXPECT_TRUE(holds_for()) << subject.where << ", half of axis " << *loop.out;
    }
  });
  EXPECT_GE(seen.size(), 50u);
}

/// The operand with the positions of an axis that `keeps` says, and zeros at all others.
ir::Tensor only(const ir::Tensor& x, std::size_t axis, const std::function<bool(std::int64_t)>& keeps) {
  ir::Tensor made(x.type());
  const ir::Lines lines = ir::along(x.shape(), static_cast<std::int64_t>(axis));
  const std::size_t width = ir::info(x.dtype()).bytes;
  for (std::int64_t line = 0; line < lines.count(); ++line)
    for (std::int64_t k = 0; k < lines.length; ++k)
      if (keeps(k))
        std::ranges::copy(x.bytes().subspan(lines.at(line, k) * width, width),
                          made.bytes().subspan(lines.at(line, k) * width, width).begin());
  return made;
}

/// The op's result on an operand that is 0 except where `keeps` holds, less its result on zeros.
std::vector<double> part_of(ir::Executor& executor, const Subject& subject, std::size_t operand, std::size_t axis,
                            const std::function<bool(std::int64_t)>& keeps) {
  Operands operands = subject.operands;
  operands[operand] = ir::Tensor(operands[operand].type());
  const std::vector<double> nothing = result_of(executor, subject.node.op, operands);
  operands[operand] = only(subject.operands[operand], axis, keeps);
  std::vector<double> part = result_of(executor, subject.node.op, operands);
  for (std::size_t i = 0; i < part.size(); ++i) part[i] -= nothing[i];
  return part;
}

TEST(Loops, LinearSumsAreTheSumsOfTheirSlices) {
  ref_cpu::CpuExecutor cpu;
  std::set<std::string_view> seen;
  for_each_node(cpu, [&](const Subject& subject) {
    for (const ir::Loop& loop : subject.loops.loops) {
      const std::int64_t extent = extent_of(subject, loop);
      if (loop.reduction != ir::Reduction::sum || extent < 2) continue;
      for (std::size_t i = 0; i < loop.in.size(); ++i) {
        if (!loop.in[i] || subject.loops.operand(i).degree != ir::Degree::linear) continue;
        if (!ir::is_float(subject.operands[i].dtype()) && !ir::is_complex(subject.operands[i].dtype())) continue;
        const auto slice = [&](std::int64_t from, std::int64_t to) {
          return part_of(cpu, subject, i, *loop.in[i], [=](std::int64_t k) { return from <= k && k < to; });
        };
        std::vector<double> sum = slice(0, extent / 2);
        const std::vector<double> rest = slice(extent / 2, extent);
        for (std::size_t k = 0; k < sum.size(); ++k) sum[k] += rest[k];
        EXPECT_TRUE(agree(sum, slice(0, extent))) << subject.where << ", operand " << i << ", axis " << *loop.in[i];
        seen.insert(subject.node.op.name());
      }
    }
  });
  EXPECT_GE(seen.size(), 15u);
}

}  // namespace
}  // namespace plumb::parity::checks::relations::loops_test
