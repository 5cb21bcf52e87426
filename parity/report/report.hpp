#pragma once

#include <functional>
#include <span>
#include <string>

#include "parity/cases/node_result.hpp"
#include "parity/cases/pair_result.hpp"
#include "parity/core/demands.hpp"
#include "parity/core/terminal/style.hpp"

namespace plumb::parity::report {

/// How much of a case the table shows.
enum class Detail {
  verdicts,  ///< the totals, and nodes that did not pass
  worst,     ///< and the nodes with the largest ratios
  all,       ///< every node
};

/// Which run of a graph's kernels the times on the device are of: in the first, a driver may still compile them.
enum class Times { of_first_run, of_later_run };

/// Whether the table has a column for the headroom of f16, and a line for the least (headroom.hpp).
enum class Headroom { hidden, shown };

/// A case for people: one line a node, worst first, then totals; a repro line for each node that did not pass. Lines
/// are no wider than the style says but repro lines, which are to be copied; Detail::all shows every column.
std::string to_table(const cases::CaseResult& result, Detail detail, const core::terminal::Style& style = {},
                     Times times = Times::of_later_run, Headroom headroom = Headroom::hidden);

/// The last line of that table, of a case called so: its verdict, its nodes by verdict, the largest ratio.
std::string case_line(const cases::CaseResult& result, const std::string& called,
                      const core::terminal::Style& style = {});

/// One line for a whole run: cases by verdict.
std::string summary_line(std::span<const cases::CaseResult> cases);

/// Cases for programs, as one JSON document, and what the run came to. What was not computed is null.
/// `pairs`: results of several candidates beside one another.
std::string to_json(std::span<const cases::CaseResult> cases, const core::Outcome& outcome = {},
                    std::span<const cases::PairResult> pairs = {});

/// So many cases, of which each is made when its turn comes, from a results file. What such a file does not keep
/// (docs/results.md) is null, too.
std::string to_json_of_record(std::size_t count, const std::function<cases::CaseResult(std::size_t)>& case_at,
                              const core::Outcome& outcome = {}, std::span<const cases::PairResult> pairs = {});

}  // namespace plumb::parity::report
