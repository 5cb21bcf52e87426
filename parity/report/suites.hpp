#pragma once

// The results of a run as suites of tests, for test frameworks. Reports to these are written from suites.

#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "parity/cases/node_result.hpp"
#include "parity/core/demands.hpp"

namespace plumb::parity::report {

/// The end of a test as test frameworks count it, the worst last.
enum class TestEnd { passed, skipped, failure, error };

using Properties = std::vector<std::pair<std::string, std::string>>;

struct Test {
  std::string group = {};                                     ///< the path of the graph, or an op
  std::string name = {};                                      ///< unique in its group, once it is written
  std::string node = {}, op = {};                             ///< where it is about a node
  TestEnd end = TestEnd::passed;                              ///< never better than what the exit code is made of
  std::string type = {};                                      ///< a verdict by name, or "device_fault"
  std::string message = {};                                   ///< one line: why it did not pass
  std::string details = {};                                   ///< several, the command that repeats it last
  std::string pattern = {};                                   ///< pattern of the failing elements, if any
  bool ends_soon = false;                                     ///< its failure is excused for a few days more
  bool is_unmet = false;                                      ///< it fails by what was demanded of the run alone
  double seconds = std::numeric_limits<double>::quiet_NaN();  ///< NaN where it was not timed
  double ratio = std::numeric_limits<double>::quiet_NaN();    ///< its largest error over its limit
  Properties properties = {};
  std::vector<std::string> attempts = {};  ///< how attempts at it ended that device faults had made again
};

struct Suite {
  std::string name = {};
  std::string file = {};     ///< the graph's; "" where it is not known
  std::string verdict = {};  ///< verdict of the case as a whole; "" for a suite about the run
  double seconds = std::numeric_limits<double>::quiet_NaN();
  Properties properties = {};
  std::vector<Test> tests = {};
};

/// Facts that hold for all cases of a run.
struct RunFacts {
  std::string device = {}, driver = {};  ///< "" without a device
  std::string profile = {};
  std::string tool_version = {}, commit = {};  ///< which program ran; "": this one
  core::Outcome outcome = {};                  ///< by what was demanded: what does not meet that fails
};

/// The end of a test by its verdict, before the demands of a file on its own case; under --strict (verdict.md V11) a
/// node that was not verified is a failure.
TestEnd end_of(core::Verdict verdict, bool strict);

/// Adds "(case)" where the case came to something worse than any test of its suite says.
void add_case(Suite& suite, Test of_case);

/// A suite for each run of a case, with a test for each output that was judged, each relation, each tensor that another
/// implementation gave, and "(case)" where the case as a whole came to something worse, or was not verified as was
/// demanded. What was not judged is counted in the property "not_judged". Then what is wrong with the run as a whole.
std::vector<Suite> suites_of(std::span<const cases::CaseResult> cases, const RunFacts& facts);

/// The suite "plumb", with a test "(run)" for each finding about the run as a whole; none where there are none.
std::vector<Suite> suites_of_run(const core::Outcome& outcome);

}  // namespace plumb::parity::report
