// Comparisons of runs: what counts as a change, its cause, how often there is a false alarm, and what is found.
#include "parity/studies/drift/drift.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <random>

#include "ir/error.hpp"
#include "parity/policy/drift_rules.hpp"
#include "parity/policy/policy_file.hpp"
#include "parity/report/junit.hpp"
#include "parity/studies/drift/baseline.hpp"
#include "parity/studies/drift/drift_report.hpp"

namespace plumb::parity::studies::drift::drift_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

/// A graph of so many nodes, each with errors that depend on the seed, and that another kernel makes otherwise.
class Histories {
 public:
  explicit Histories(std::uint64_t seed, std::size_t nodes = 60) : random_(seed), nodes_(nodes) {}

  /// Runs of seeds from `first` on. Every run of a seed has errors of its own: spreads of log2 are 0.02 for the rms and
  /// 0.2 for the largest, as clean runs of bert_tiny have them, and a quarter of that is common to all nodes of a seed.
  std::vector<Record> runs(std::size_t seeds, std::uint64_t first = 1) {
    std::vector<Record> made;
    for (std::uint64_t seed = first; seed < first + seeds; ++seed) {
      Record& run = made.emplace_back();
      run.id = "bert.json";
      run.subject = "graph=1\n";
      run.options = "fuse=on\n";
      run.device = "a device";
      run.tool = "0.1.0 abc";
      run.seed = seed;
      run.param_seed = 1;
      run.verdict = core::Verdict::passed;
      const double common = normal_(random_);
      for (std::size_t n = 0; n < nodes_; ++n) run.outputs.push_back(output(n, common));
    }
    return made;
  }

 private:
  Output output(std::size_t n, double common) {
    const auto log2 = [&](double spread) { return spread * (0.5 * common + std::sqrt(0.75) * normal_(random_)); };
    return {.node = "n" + std::to_string(n),
            .op = "matmul",
            .dtype = "f32",
            .kernel = "gemm",
            .verdict = core::Verdict::passed,
            .out_hash = random_(),
            .rms = std::exp2(-20 + log2(0.02)),
            .max_abs = std::exp2(-18 + log2(0.2)),
            .scale = 1,
            .ratio = 0.5,
            .bias = static_cast<float>(0.02 * normal_(random_)),
            .rho = static_cast<float>(0.5 + 0.01 * normal_(random_))};
  }

  std::mt19937_64 random_;
  std::normal_distribution<double> normal_;
  std::size_t nodes_;
};

/// How many simulated histories a test takes; docs/drift.md has the numbers of many.
std::size_t histories() {
  const char* const wanted = std::getenv("PLUMB_DRIFT_HISTORIES");  // NOLINT(concurrency-mt-unsafe)
  return wanted == nullptr ? 200 : std::strtoul(wanted, nullptr, 10);
}

bool is_thorough() { return histories() > 200; }

/// A binomial number with this mean exceeds it once in a thousand tests.
double at_most(double mean) { return mean + 3.1 * std::sqrt(mean) + 1; }

TEST(Drift, RaisesNoMoreFalseAlarmsThanItSays) {
  struct Kind {
    std::size_t seeds;
    std::uint64_t first;  ///< seed of now
  };
  std::vector<Kind> kinds = {{8, 1}, {6, 1000}};
  if (is_thorough()) kinds.insert(kinds.end(), {{10, 1}, {12, 1}, {8, 1000}});
  for (const Kind kind : kinds) {
    Histories made(21 + kind.seeds);
    std::size_t failed = 0, found = 0;
    for (std::size_t h = 0; h < histories(); ++h) {
      const Drift drift = compare(made.runs(kind.seeds), made.runs(kind.seeds, kind.first), {.false_alarm = 0.01});
      EXPECT_EQ(drift.is_paired, kind.first == 1);
      ASSERT_GE(drift.hypotheses, 240u);
      failed += drift.fails();
      found += std::ranges::any_of(drift.changes, [&](const Change& one) {
        return std::ranges::any_of(one.effects, [](const Effect& effect) { return effect.tested.p <= 0.01; });
      });
    }
    const auto count = static_cast<double>(histories());
    std::cout << kind.seeds << " seeds" << (kind.first == 1 ? "" : ", others") << ": found something in " << found
              << ", ended with 1 in " << failed << " of " << count << '\n';
    EXPECT_LE(static_cast<double>(found), at_most(0.01 * count));
    EXPECT_LE(static_cast<double>(failed), at_most(0.01 * count));
  }
}

TEST(Drift, FindsHalfABitInOneNodeOfSixty) {
  for (const double bits : is_thorough() ? std::vector<double>{0.1, 0.15, 0.25, 0.5} : std::vector<double>{0.5}) {
    Histories made(31);
    std::size_t found = 0, others = 0;
    for (std::size_t h = 0; h < histories(); ++h) {
      auto base = made.runs(8), now = made.runs(8);
      for (Record& run : now) run.outputs[17].rms *= std::exp2(bits);
      const Drift drift = compare(base, now, {.least_log2 = 0.05});
      found += drift.fails() && drift.changes.front().node == "n17";
      others += std::ranges::any_of(drift.changes,
                                    [&](const Change& one) { return one.node != "n17" && one.fails(drift.rules); });
    }
    const auto count = static_cast<double>(histories());
    std::cout << bits << " bits in one of 60 nodes, 8 seeds: found in " << found << " of " << count << ", another in "
              << others << '\n';
    EXPECT_GE(static_cast<double>(found), (bits == 0.5 ? 199.0 / 200 : 0.2) * count);
    EXPECT_LE(static_cast<double>(others), at_most(0.01 * count));
  }
}

TEST(Drift, EqualBitsAreNoChange) {
  Histories made(1, 3);
  const auto base = made.runs(8);
  auto now = base;
  for (Record& run : now) {
    run.device = "another device";
    run.outputs[1].ratio = 0.7;
    run.outputs[2].rms *= 2;  // that is so only where another rms was computed of the same bits
  }
  const Drift drift = compare(base, now, {});
  EXPECT_THAT(drift.changes, IsEmpty());
  EXPECT_EQ(drift.outputs, 3u);
  EXPECT_EQ(drift.limits, 1u);
  EXPECT_EQ(exit_code(drift), core::ExitCode::passed);
}

/// The one change of two runs of 8 seeds, of which `alter` makes now of base.
Change change_by(const std::function<void(Record&)>& alter) {
  Histories made(2, 1);
  const auto base = made.runs(8);
  auto now = base;
  for (Record& run : now) {
    run.outputs[0].out_hash += 1;
    alter(run);
  }
  Drift drift = compare(base, now, {});
  EXPECT_THAT(drift.changes, SizeIs(1));
  return std::move(drift.changes.at(0));
}

TEST(Drift, NamesTheFirstCauseThatHolds) {
  EXPECT_EQ(change_by([](Record&) {}).cause, DriftCause::unexplained);
  EXPECT_EQ(change_by([](Record& run) { run.tool = "0.2.0 def"; }).about, "0.1.0 abc -> 0.2.0 def");
  EXPECT_EQ(change_by([](Record& run) { run.options = "fuse=off\n"; }).about, "-fuse=on +fuse=off");
  const auto also = [](auto first, auto second) {
    return change_by([&](Record& run) {
             first(run);
             second(run);
           })
        .cause;
  };
  const auto options = [](Record& run) {
    run.options = "fuse=off\n";
    run.tool = "0.2.0 def";
  };
  const auto operands = [](Record& run) { run.outputs[0].operands_hash = 9; };
  const auto driver = [](Record& run) { run.driver = "590"; };
  const auto device = [](Record& run) { run.device = "another"; };
  const auto sums = [](Record& run) { run.outputs[0].sums = "blocks"; };
  const auto tile = [](Record& run) { run.outputs[0].tile = "32x32"; };
  const auto kernel = [](Record& run) { run.outputs[0].kernel = "split_k"; };
  EXPECT_EQ(also(options, options), DriftCause::options);
  EXPECT_EQ(also(options, operands), DriftCause::inherited);
  EXPECT_EQ(also(operands, driver), DriftCause::driver);
  EXPECT_EQ(also(driver, device), DriftCause::device);
  EXPECT_EQ(also(device, sums), DriftCause::sums);
  EXPECT_EQ(also(sums, tile), DriftCause::tile);
  EXPECT_EQ(also(tile, kernel), DriftCause::kernel);
  EXPECT_EQ(change_by(kernel).about, "gemm -> split_k");
}

TEST(Drift, AcceptsACauseAndForbidsOtherBits) {
  Histories made(3, 4);
  const auto base = made.runs(8);
  auto now = base;
  for (Record& run : now) {
    run.outputs[2].kernel = "split_k";
    run.outputs[2].out_hash += 1;
    run.outputs[2].rms *= 1.9;
    run.outputs[3].out_hash += 1;
    run.outputs[3].operands_hash = 4;
  }
  const Drift drift = compare(base, now, {});
  EXPECT_TRUE(drift.fails());
  ASSERT_THAT(drift.changes, SizeIs(2));
  EXPECT_EQ(drift.changes[0].node, "n2");
  EXPECT_EQ(drift.changes[0].standing, Standing::worse);
  EXPECT_EQ(drift.changes[1].standing, Standing::changed);
  EXPECT_THAT(drift.changes[0].effect_text(), HasSubstr("rms 1.9 times (1.9 to 1.9), p = 0.0078"));
  EXPECT_FALSE(compare(base, now, {.accept = {DriftCause::kernel}}).fails());
  // A change that a result inherits of an accepted kernel is accepted, too; one of another change is not.
  auto heir = now;
  for (Record& run : heir) run.outputs[3].rms *= 2;
  EXPECT_FALSE(compare(base, heir, {.accept = {DriftCause::kernel}}).fails());
  for (Record& run : heir) run.outputs[0].out_hash += 1;
  EXPECT_TRUE(compare(base, heir, {.accept = {DriftCause::kernel}}).fails());
  EXPECT_TRUE(compare(base, now, {.accept = {DriftCause::tile}}).fails());
  EXPECT_TRUE(compare(base, now, {.accept = {DriftCause::tile}, .bits = policy::DriftBits::forbid}).fails());
  EXPECT_FALSE(compare(now, base, {}).fails());
  EXPECT_EQ(compare(now, base, {}).changes[0].standing, Standing::better);
}

TEST(Drift, SaysWhereThereAreTooFewSeeds) {
  Histories made(4, 2);
  const Drift few = compare(made.runs(7), made.runs(7), {});
  EXPECT_EQ(exit_code(few), core::ExitCode::nothing_ran);
  EXPECT_EQ(few.wanted_seeds, 8u);
  EXPECT_EQ(few.changes.at(0).standing, Standing::untold);
  const auto base = made.runs(2);
  auto now = base;
  EXPECT_EQ(exit_code(compare(base, now, {})), core::ExitCode::passed);
  now[1].outputs[1].out_hash += 1;
  now[1].outputs[1].verdict = core::Verdict::failed;
  now[1].verdict = core::Verdict::failed;
  const Drift failed = compare(base, now, {});
  EXPECT_EQ(exit_code(failed), core::ExitCode::failed);
  ASSERT_THAT(failed.changes, SizeIs(1));
  EXPECT_EQ(failed.changes[0].verdicts, "passed -> failed");
  EXPECT_EQ(failed.changes[0].differing, 1u);
  // A case that came to nothing has no nodes that say so.
  now[1].outputs.clear();
  now[1].verdict = core::Verdict::error;
  EXPECT_EQ(compare(base, now, {}).changes.at(0).node, "(case)");
}

/// Runs that do not depend on the seed are one run.
TEST(Drift, CountsEqualSeedsOnce) {
  Histories made(5, 2);
  auto base = made.runs(1), now = made.runs(1);
  for (std::uint64_t seed = 2; seed <= 12; ++seed)
    for (auto* const side : {&base, &now}) {
      side->push_back(side->front());
      side->back().seed = seed;
    }
  const Drift drift = compare(base, now, {});
  EXPECT_EQ(drift.seeds, 1u);
  EXPECT_EQ(exit_code(drift), core::ExitCode::nothing_ran);
  EXPECT_THAT(drift.notes, ElementsAre("11 runs have all bits of another seed's, and not counted"));
}

TEST(Drift, PairsByOptionsWhereThereAreSeveral) {
  Histories made(6, 1);
  auto base = made.runs(2), now = base;
  for (Record one : made.runs(2)) {
    one.options = "fuse=off\n";
    now.push_back(one);
  }
  EXPECT_THAT(compare(base, now, {}).changes, IsEmpty());
  EXPECT_THAT(compare(base, {now[2], now[3]}, {}).changes, SizeIs(1));
  // The latest of two runs with one name counts.
  base[0].utc = now[0].utc = 1;
  now.push_back(made.runs(1)[0]);
  now.back().utc = 2;
  EXPECT_THAT(compare(base, now, {}).changes, SizeIs(1));
}

std::string error_of(std::vector<Record> base, std::vector<Record> now) try {
  compare(std::move(base), std::move(now), {});
  return "";
} catch (const ir::Error& error) {
  return error.what();
}

TEST(Drift, RefusesWhatHasNothingInCommon) {
  Histories made(7, 1);
  auto base = made.runs(2), now = made.runs(2);
  for (Record& run : now) {
    run.subject = "graph=2\n";
    run.id = "bret.json";
  }
  base[1].id = "other.json";
  EXPECT_EQ(error_of(base, now),
            "no run of now was fed as one of base: of 'bret.json' base has no run; nearest are 'bert.json', "
            "'other.json'");
  now[1].device = "another device";
  EXPECT_THAT(error_of(base, now), HasSubstr("now has runs on several devices, a device, another device; --device"));
  EXPECT_EQ(error_of(base, {}), "now has no runs");
  // Without common seeds all must have the same params, or each its own: else what params do looks like a change.
  auto others = made.runs(2, 100);
  for (Record& run : others) run.param_seed = 100;
  EXPECT_THAT(error_of(made.runs(2), others),
              HasSubstr("no seed of bert.json is common to base and now, and their params are others"));
  for (Record& run : others) run.param_seed = run.seed;
  auto own = made.runs(2);
  for (Record& run : own) run.param_seed = run.seed;
  EXPECT_EQ(error_of(own, others), "");
  // Runs without a name are paired by what earlier files know.
  for (Record& run : base) run.options.clear();
  for (Record& run : now) run.device = "a device";
  EXPECT_EQ(error_of(base, now), "");
}

TEST(Drift, ABaselineSaysWhatItsFileSays) {
  const auto path = std::filesystem::path(::testing::TempDir()) / "plumb_drift_base.h5";
  std::filesystem::remove(path);
  Histories made(8, 65);
  const auto base = made.runs(12);
  auto now = base;
  for (Record& run : now) {
    run.outputs[3].out_hash += 1;
    run.outputs[3].rms *= 1.5;
  }
  write_baseline(path, base, std::vector<std::string>{"first"});
  EXPECT_LT(std::filesystem::file_size(path), 120u * 1024);
  EXPECT_TRUE(is_baseline(path));
  EXPECT_THAT(reasons_of(path), ElementsAre("first"));
  const auto kept = read_records(path);
  ASSERT_EQ(kept.size(), base.size());
  EXPECT_EQ(kept[3].outputs[4].out_hash, base[3].outputs[4].out_hash);
  EXPECT_THAT(compare(kept, base, {}).changes, IsEmpty());
  EXPECT_EQ(compare(kept, base, {}).limits, 0u);
  const Drift drift = compare(kept, now, {});
  ASSERT_THAT(drift.changes, SizeIs(1));
  EXPECT_EQ(drift.changes[0].effect_text(), compare(base, now, {}).changes.at(0).effect_text());
  std::filesystem::remove(path);
}

TEST(Drift, RulesComeFromThePolicy) {
  const auto rules_of = [](const std::string& text) {
    return policy::drift_rules_in("schema = \"plumb-policy/1\"\n" + text, "p.toml");
  };
  const auto rules = rules_of(
      "[drift]\nfalse_alarm = 0.02\nmin_effect = {log2 = 0.2, share = 0.1}\naccept = [\"kernel\"]\nbits = "
      "\"forbid\"\n");
  EXPECT_EQ(rules.false_alarm, 0.02);
  EXPECT_EQ(rules.least_log2, 0.2);
  EXPECT_EQ(rules.least_bias, 0.05);
  EXPECT_EQ(rules.least_share, 0.1);
  EXPECT_THAT(rules.accept, ElementsAre(DriftCause::kernel));
  EXPECT_EQ(rules.bits, policy::DriftBits::forbid);
  EXPECT_EQ(rules_of("").false_alarm, 0.01);
  const auto refusal = [&](const std::string& text) -> std::string {
    try {
      policy::parse("schema = \"plumb-policy/1\"\n" + text, "p.toml");
    } catch (const ir::Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(refusal("[drift]\naccept = [\"kernle\"]\n"),
            "p.toml:3: [drift] accept: wanted one of kernel, tile, sums, device, driver, inherited, options, tool, "
            "unexplained, found 'kernle'; did you mean kernel?");
  EXPECT_THAT(refusal("[drift]\nfalse_alarm = 0.9\n"), HasSubstr("p.toml:3: [drift] false_alarm: wanted a number"));
  EXPECT_THAT(refusal("[drift]\nmin_effect = 3\n"), HasSubstr("wanted a table, found an integer"));
  EXPECT_THAT(refusal("[drift]\nbits = \"some\"\n"), HasSubstr("[drift] bits: wanted one of report, forbid"));
  EXPECT_THAT(refusal("[drift]\nboth = 1\n"), HasSubstr("wanted one of false_alarm, min_effect, accept, bits"));
}

TEST(Drift, IsWrittenForProgramsAndFrameworks) {
  Histories made(9, 2);
  auto base = made.runs(8), now = base;
  for (std::vector<Record>* const side : {&base, &now})
    for (Record& run : *side) run.outputs[1].node = "a</script>\"'&::error::%0A]]>";
  for (Record& run : now) {
    run.outputs[1].out_hash += 1;
    run.outputs[1].rms *= 2;
  }
  const Drift drift = compare(base, now, {});
  const std::string json = to_json(drift), junit = report::to_junit(to_suites(drift));
  EXPECT_THAT(json, HasSubstr("\"schema\": \"plumb.drift/1\""));
  EXPECT_THAT(json, HasSubstr("\"exit\": 1"));
  EXPECT_THAT(json, HasSubstr("\"t\": \"inf\""));
  EXPECT_THAT(junit, HasSubstr("<testsuite name=\"bert.json\" tests=\"1\" failures=\"1\""));
  EXPECT_THAT(junit, HasSubstr("a&lt;/script&gt;&quot;'&amp;::error::%0A]]&gt;"));
  const std::string text = to_text(drift, {});
  EXPECT_THAT(text, HasSubstr("rms 2 times (2 to 2), p = 0.0078"));
  EXPECT_THAT(text, HasSubstr("1 case, 2 outputs, 8 common seeds: 1 changed, 1 worse, 0 better\n"));
  EXPECT_THAT(report::to_junit(to_suites(compare(base, base, {}))), HasSubstr("tests=\"1\" failures=\"0\""));
}

}  // namespace
}  // namespace plumb::parity::studies::drift::drift_test
