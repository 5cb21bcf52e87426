// Whatever the bytes, a results file can be judged, shown, checked and fitted to, or there is an Error.

#include "ir/error.hpp"
#include "parity/policy/policy.hpp"
#include "parity/report/junit.hpp"
#include "parity/results/judge.hpp"
#include "parity/results/results_report.hpp"
#include "parity/results/results_schema.hpp"
#include "parity/studies/fit/fit.hpp"
#include "tests/fuzz/limits.hpp"

namespace {

using namespace plumb;
using namespace plumb::parity;

void judge(const std::filesystem::path& path) {
  const auto runs = results::judge_results(path, nullptr, policy::today(), "*");
  static_cast<void>(results::to_text(runs));
  const auto outcome = core::outcome_of(results::ends_of(runs), {.strict = true, .verified = true});
  static_cast<void>(report::to_junit(results::suites_of(runs, outcome)));
}

/// As one of judge, inspect, inspect --check-schema and fit does; each input is for one of them.
void read(const std::filesystem::path& path, std::uint64_t turn) {
  constexpr std::size_t all_nodes = -1;
  switch (turn % 4) {
    case 0:
      return judge(path);
    case 1:
      return static_cast<void>(results::results_report(path, {.nodes_a_run = all_nodes}));
    case 2:
      return static_cast<void>(results::check_schema(path));
    default:
      return static_cast<void>(studies::fit::fit(studies::fit::read_samples(path, 0).samples, {}));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static fuzz::Tally tally;
  const fuzz::WithinLimits limits;
  std::uint64_t sum = 0;  // the turn depends on the bytes alone, so that an input repeats what it did
  for (std::size_t at = 0; at < size; ++at) sum = sum * 31 + data[at];
  try {
    read(fuzz::scratch_file({data, size}, ".h5"), sum);
    ++tally.read;
  } catch (const ir::Error& error) {
    tally.refuse(error.what());
  }
  return 0;
}
