#pragma once

#include <map>

#include "parity/bounds/runs/sign_runs.hpp"
#include "parity/cases/case.hpp"
#include "parity/cases/executors.hpp"
#include "parity/checks/relations/limited.hpp"

namespace plumb::parity::checks::relations {

/// A candidate's run of a whole graph: the results, and how far the roundings of sign runs moved each (verdict.md V44).
struct WholeRun {
  const cases::Case& of;
  ir::Tensors results;
  std::map<ir::Value, bounds::runs::Spread> spreads;
};

/// `lambda`: standard deviations that limits allow for. Throws as the executors do.
WholeRun whole_run_of(const cases::Case& of, const cases::Executors& executors, double lambda);

/// The limits of all elements of a value that a run like this one gave, those that a choice leaves it among them. `got`
/// is what it gave.
Limited limits_of(const WholeRun& run, ir::Value value, const ir::Tensor& got, double lambda);

}  // namespace plumb::parity::checks::relations
