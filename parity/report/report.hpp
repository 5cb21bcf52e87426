#pragma once

#include <chrono>
#include <string>

#include "parity/cases/observer.hpp"

namespace plumb::parity::report {

/// How much of a case the table shows.
enum class Detail {
  verdicts,  ///< the totals, and nodes that did not pass
  worst,     ///< and the nodes with the largest ratios
  all,       ///< every node
};

/// A case for people: one line a node, worst first, then totals; a repro line for each
/// node that did not pass.
std::string to_table(const cases::CaseResult& result, Detail detail);

/// One line for a whole run: cases by verdict.
std::string summary_line(std::span<const cases::CaseResult> cases);

/// Cases for programs, as one JSON document. What was not computed is null.
std::string to_json(std::span<const cases::CaseResult> cases);

/// A progress bar on stderr when that is a terminal, for what takes more than a second.
class Progress final : public cases::Observer {
 public:
  Progress();
  ~Progress() override;
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void step(std::string_view what, std::size_t done, std::size_t steps) override;

 private:
  using Clock = std::chrono::steady_clock;

  bool is_terminal_, is_drawn_ = false;
  Clock::time_point start_, last_;
};

}  // namespace plumb::parity::report
