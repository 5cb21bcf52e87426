#include "ir/ops/einsum.hpp"

#include <map>

#include "parity/checks/exact/make_rule.hpp"

namespace plumb::parity::checks::exact {

/// The labels that an einsum sums are summed of single operands first: what comes in between is
/// bounded by the product of all that is counted here, not by the terms of the result.
Rule rule(const ir::ops::Einsum& op, ir::Types in, ir::Types) {
  Term term{.operands = {}};
  for (std::size_t i = 0; i < in.size(); ++i) term.operands.push_back(i);
  for (const ir::kernels::EinsumStep& step : op.plan(in).steps) {
    std::map<ir::kernels::Label, std::int64_t> summed;
    for (const ir::kernels::EinsumTerm& part : step.terms)
      for (const ir::kernels::Label label : part.view.labels) summed[label] = part.view.extent(label);
    for (const ir::kernels::Label label : step.result) summed.erase(label);
    for (const auto& [label, extent] : summed) term.count *= extent;
  }
  return adds({term});
}

}  // namespace plumb::parity::checks::exact
