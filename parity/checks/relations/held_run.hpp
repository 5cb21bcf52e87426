#pragma once

#include "parity/cases/executors.hpp"
#include "parity/checks/relations/node_check.hpp"

namespace plumb::parity::checks::relations {

/// A run of one op alone, held to its truth as verify holds it, output by output.
struct HeldRun {
  std::vector<ir::Tensor> truth;   ///< widened; of a recurrence that of each step on the state that the run gave
  std::vector<ir::Tensor> limits;  ///< f64: how far each element may be from it, half of that where it is within half
  std::vector<ir::Tensor> apart;   ///< f64: 1 for elements that are not judged, else 0
  std::string broken = {};         ///< the defect of the run by itself; "": none
};

/// Elements that are off by more than half of their limit are looked at one by one; what is within half of its limit is
/// known to be (verdict.md V15). `lambda`: standard deviations that limits allow for; 0: as many as this run alone asks
/// for. Throws Unsupported where elements have no limits of their own.
HeldRun hold(const cases::Executors& executors, const ir::Op& op, const Operands& operands, const ir::OpRun& run,
             double lambda);

/// The defect of a run by itself, as verify judges it, choices by the real numbers that decide them; "": none.
std::string defect_of(const cases::Executors& executors, const ir::Op& op, const Operands& operands,
                      const ir::OpRun& run, double lambda);

}  // namespace plumb::parity::checks::relations
