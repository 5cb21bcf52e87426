// Params of the CPU executor that are replaced after compile.
#include "ref_cpu/cpu_executor.hpp"
#include "tests/support/paths.hpp"
#include "tests/support/replaced_params.hpp"

namespace plumb::ref_cpu::replaced_params_test {
namespace {

TEST(ReplacedParams, HaveTheBitsOfAFreshCompile) {
  CpuExecutor cpu;
  const auto file = ir::formats::read_graph(tests::source_dir() / "fixtures/graphs/bert_tiny.json");
  plumb::testing::expect_set_equals_compiled(cpu, file.graph, ir::formats::materialise(file, 1),
                                             ir::formats::materialise(file, 2));
}

TEST(ReplacedParams, StayWhereSomebodyMayHaveFoldedThem) {
  CpuExecutor cpu;
  plumb::testing::expect_fixed_params_are_refused(cpu);
}

}  // namespace
}  // namespace plumb::ref_cpu::replaced_params_test
