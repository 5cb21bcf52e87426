#pragma once

// Reports of a run to people have this in common, whatever they are written in.

#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "parity/report/suites.hpp"

namespace plumb::parity::report {

/// A test, and where it is from.
struct Told {
  const Suite* suite = nullptr;
  const Test* test = nullptr;
};

/// Whether a test is a failure or an error.
bool fails(const Test& test);

/// Tests of which this holds, the worst first: errors, then the largest ratios.
std::vector<Told> worst_first(std::span<const Suite> suites, const std::function<bool(const Test&)>& holds);

/// Makes text safe for what it is written into.
using Escape = std::function<std::string(std::string_view)>;

/// "1 test failed", "not verified: no driver", "cut off: 31 of 200 cases". Findings are escaped, too: some name a file.
std::string headline_of(std::span<const Told> failed, const RunFacts& facts, const Escape& safe);

/// How many cases there are of each verdict.
std::map<std::string, std::size_t> cases_by_verdict(std::span<const Suite> suites);

/// The value of a property; "" where there is none.
std::string property(const Test& test, std::string_view name);

/// The command that repeats a test; "" where nothing does.
std::string_view repro_of(const Test& test);

/// The pattern of the failing elements or, where it is not their errors that failed, the message of the test.
std::string reason_of(const Test& test);

}  // namespace plumb::parity::report
