#pragma once

#include <string>
#include <vector>

#include "parity/core/terminal/style.hpp"
#include "parity/report/suites.hpp"
#include "parity/studies/drift/drift.hpp"

/// The findings of drift, for people, for programs and for test frameworks.
namespace plumb::parity::studies::drift {

/// The exit code: failed where something is worse, nothing_ran where too few seeds tell.
core::ExitCode exit_code(const Drift& drift);

/// A table of the changes, the worst first, no more of those that do not fail than so many; then a line for the whole.
std::string to_text(const Drift& drift, const core::terminal::Style& style, std::size_t most_others = 20);

/// A JSON document of schema "plumb.drift/1"; a number that is not known is null.
std::string to_json(const Drift& drift);

/// A suite for each case, with a test for each output that changed.
std::vector<report::Suite> to_suites(const Drift& drift);
report::RunFacts run_facts(const Drift& drift);

}  // namespace plumb::parity::studies::drift
