// A candidate that does not add as it says: what is said of it, to whom, and what it is held to.

#include <gmock/gmock.h>

#include "ir/executor.hpp"
#include "ir/ops/matmul.hpp"
#include "parity/policy/policy_file.hpp"
#include "parity/policy/policy_gate.hpp"
#include "ref_cpu/cpu_executor.hpp"
#include "tests/parity/small_case.hpp"

namespace plumb::parity::verify::account_test {
namespace {

using core::Verdict;
using ::testing::Contains;
using ::testing::HasSubstr;

constexpr auto product = R"({"format": "plumb.graph/1", "why": "one product with a long sum",
  "inputs": {"x": {"type": "f32[16, 600]"}}, "params": {"w": {"type": "f32[600, 16]"}},
  "nodes": [{"label": "y", "op": "matmul", "inputs": ["x", "w"]}],
  "results": ["y"]})";

/// How the CPU says that it adds.
ir::Sum account_of_cpu() {
  ref_cpu::CpuExecutor cpu;
  const std::vector<ir::Tensor> ones = {ir::Tensor::of<float>({1, 1}, {1}), ir::Tensor::of<float>({1, 1}, {1})};
  return ir::run_op_with_report(cpu, ir::ops::Matmul{}, ones).report.sums.at(0);
}

/// Verifies the product on the CPU, which says that its chunks are as long as `chunk`; they have 256 terms.
cases::CaseResult verified(std::int64_t chunk, const policy::Gate* gate = nullptr) {
  testing::Suspect suspect;
  suspect.describe = [chunk](const ir::Node&, ir::NodeReport& report) {
    report.kernel = "storyteller";
    report.sums = {account_of_cpu()};
    report.sums[0].levels.at(0).count = chunk;
  };
  return testing::verify_on(suspect, testing::make_case(product), {.gate = gate});
}

policy::Gate wants_equal_replays() {
  return {.policy = policy::parse("schema = \"plumb-policy/1\"\n[[rule]]\nid = \"r\"\nmatch = {}\n"
                                  "require = { bound = \"auto\", replay = \"equal\" }\n",
                                  "p.toml")};
}

TEST(Account, ThatIsTrueIsConfirmed) {
  const policy::Gate gate = wants_equal_replays();
  const cases::CaseResult result = verified(256, &gate);
  EXPECT_EQ(result.verdict, Verdict::passed) << result.nodes[0].why;
  EXPECT_EQ(result.nodes[0].replays.asked, 8u);
  EXPECT_EQ(result.nodes[0].replays.equal, 8u);
  EXPECT_TRUE(result.notes.empty());
}

TEST(Account, ThatIsFalseIsSaidAndNotBelieved) {
  const cases::CaseResult result = verified(200);
  EXPECT_EQ(result.verdict, Verdict::passed) << result.nodes[0].why;
  EXPECT_TRUE(result.nodes[0].replays.refutes());
  EXPECT_EQ(result.nodes[0].sums.at(0).levels.at(0).count, 200) << "the record is what was said";
  EXPECT_THAT(result.notes, Contains(HasSubstr("not as published")));
  EXPECT_THAT(result.notes, Contains(HasSubstr("'storyteller'")));
}

TEST(Account, ThatIsFalseFailsWhereAPolicyWantsIt) {
  const policy::Gate gate = wants_equal_replays();
  const cases::CaseResult result = verified(200, &gate);
  EXPECT_EQ(result.verdict, Verdict::failed);
  EXPECT_THAT(result.nodes[0].why, HasSubstr("does not add as it publishes"));
}

}  // namespace
}  // namespace plumb::parity::verify::account_test
