// Limits of softmax, norms, attention and recurrences beside the steps of their element programs, in every fixture
// (verdict.md V58).
#include <gtest/gtest.h>

#include <filesystem>

#include "parity/verify/verify.hpp"
#include "ref_cpu/cpu_executor.hpp"

namespace plumb::parity::program_check_test {
namespace {

TEST(ProgramCheck, FormulasAllowWhatTheStepsOfElementsOfEveryFixtureGive) {
  ref_cpu::CpuExecutor cpu;
  cases::Observer nobody;
  for (const char* const op : {"softmax", "log_softmax", "layer_norm", "rms_norm", "group_norm", "instance_norm",
                               "mean_variance_norm", "lp_norm", "attention", "rnn", "gru", "lstm"}) {
    std::uint64_t asked = 0;
    const std::filesystem::path folder = std::filesystem::path(PLUMB_SOURCE_DIR) / "fixtures/ops" / op;
    for (const auto& file : std::filesystem::directory_iterator(folder)) {
      const cases::CaseResult result =
          verify::verify_file(file.path(), {}, {.reference = cpu, .candidate = &cpu, .candidate_is_host = true},
                              {.asks_programs = true}, nobody);
      for (const cases::NodeResult& one : result.nodes) {
        EXPECT_FALSE(one.why.starts_with("wrong limit")) << file.path() << ' ' << one.name() << ": " << one.why;
        if (one.op == op) asked += one.oracle.limits;
      }
    }
    EXPECT_GT(asked, 0u) << op;
  }
}

}  // namespace
}  // namespace plumb::parity::program_check_test
