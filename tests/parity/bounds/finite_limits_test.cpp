// Where a result has a truth it has a limit, whatever else there is among the operands (verdict.md V36, V37).
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <random>
#include <set>

#include "ir/ops/quantize_blocks.hpp"
#include "ir/ops/sample.hpp"
#include "ir/passes/widen.hpp"
#include "parity/bounds/bounded.hpp"
#include "parity/verify/verify.hpp"
#include "ref_cpu/cpu_executor.hpp"
#include "tests/support/paths.hpp"

namespace plumb::parity::bounds::finite_limits_test {
namespace {

using ir::Tensor;

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Numbers put among a fuzzed operand's own: the extremes of f32, or of the dtype where it has fewer.
constexpr std::array extremes = {0.0,  -0.0,  infinity, -infinity, 3.4e38, -3.4e38,
                                 1e30, 1e-30, 1e-38,    1e-45,     -1e-45, std::numeric_limits<double>::quiet_NaN(),
                                 1.0,  -1.0,  65504.0};

/// One of `every` elements becomes an extreme.
Tensor fuzzed(const Tensor& x, unsigned every, std::mt19937& generator) {
  Tensor wide = ir::convert(x, ir::DType::f64);
  for (double& value : wide.as<double>())
    if (generator() % every == 0) value = extremes[generator() % extremes.size()];
  return ir::convert(wide, x.dtype());
}

/// How many elements have a truth, and of these no limit.
struct Found {
  std::size_t finite = 0, without = 0;
};

Found found_in(const compare::Allowed& allowed, std::span<const double> truth) {
  Found found;
  const auto probable = allowed.limits->probable.as<double>(), certain = allowed.limits->certain.as<double>();
  for (std::size_t i = 0; i < truth.size(); ++i) {
    if (!std::isfinite(truth[i])) continue;
    ++found.finite;
    if (!std::isfinite(probable[i]) || !std::isfinite(certain[i])) ++found.without;
  }
  return found;
}

/// Fuzzes the float operands of every node of a graph, which otherwise has its own.
void fuzz(const std::filesystem::path& path, std::set<const ir::OpSchema*>& seen, std::mt19937& generator) {
  const cases::Case subject = verify::load_case(path, {});
  const ir::Graph& graph = subject.file->graph;
  ref_cpu::CpuExecutor cpu;
  std::vector<ir::Value> all;
  for (ir::Value v = 0; v < graph.value_count(); ++v) all.push_back(v);
  const ir::Tensors values = cpu.run(graph, subject.feeds, all);
  for (std::size_t n = 0; n < graph.nodes().size(); ++n) {
    const ir::Node& node = graph.nodes()[n];
    const core::Segment segment = core::segment_of(graph, n);
    if (is_modelled_by_class(node.op.error_class())) continue;
    if (node.op.is<ir::ops::QuantizeBlocks>()) continue;  // it refuses what is not finite
    if (node.op.is<ir::ops::Sample>()) continue;          // it refuses NaN
    for (const unsigned every : {2u, 7u, 40u})
      for (const bool flushes : {false, true}) {
        const auto lookup = [&](ir::Value v) {
          const Tensor& x = values.at(v);
          return ir::passes::widen(ir::is_float(x.dtype()) ? fuzzed(x, every, generator) : x);
        };
        const Bounded bounded = evaluate_bounded(cpu, segment, core::feeds_of(segment, lookup), {{}, flushes});
        for (std::size_t k = 0; k < bounded.allowed.size(); ++k) {
          const Tensor& truth = bounded.truth.outputs[k];
          if (!bounded.allowed[k].limits || truth.dtype() != ir::DType::f64) continue;
          const Found found = found_in(bounded.allowed[k], truth.as<double>());
          EXPECT_EQ(found.without, 0u) << path.filename() << ", node '" << node.label << "' (" << node.op.name()
                                       << "), one of " << every << (flushes ? ", flushed, " : ", ") << "of "
                                       << found.finite << " elements with a truth";
          if (found.finite > 0) seen.insert(&node.op.schema());
        }
      }
  }
}

TEST(Limits, AreFiniteWhereTheTruthIs) {
  std::set<const ir::OpSchema*> seen;
  std::mt19937 generator(1);
  for (const char* folder : {"ops", "verdict"})
    for (const auto& entry : std::filesystem::recursive_directory_iterator(tests::source_dir() / "fixtures" / folder)) {
      if (entry.path().extension() != ".json" || entry.file_size() > 100'000) continue;
      // Sizes of their doubles add up to more than doubles hold: such elements have no limit and are apart (V34).
      if (const auto name = entry.path().filename();
          name == "sizes_beyond_doubles.json" || name == "near_the_largest_double.json")
        continue;
      cases::Case subject = verify::load_case(entry.path(), {});
      double elements = 0;
      for (ir::Value v = 0; v < subject.file->graph.value_count(); ++v)
        elements += static_cast<double>(subject.file->graph.type(v).shape.elements());
      if (elements > 3e5) continue;
      try {
        fuzz(entry.path(), seen, generator);
      } catch (const NoModel&) {  // which is said of the node, and no limit
      }
    }
  // Limits of these are ulps, or nothing, and not made of other elements.
  const std::set<std::string_view> without_formula = {"binary", "cast",         "clamp", "dynamic_quantize_linear",
                                                      "fma",    "make_complex", "prelu"};
  for (const ir::OpSchema* op : modelled_ops())
    EXPECT_TRUE(seen.contains(op) || without_formula.contains(op->name))
        << "no graph has a '" << op->name << "' that was fuzzed";
}

}  // namespace
}  // namespace plumb::parity::bounds::finite_limits_test
