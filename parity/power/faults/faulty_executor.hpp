#pragma once

#include <string>

#include "parity/power/faults/fault.hpp"
#include "parity/power/faults/witness.hpp"

namespace plumb::parity::power::faults {

/// How much of a fault is planted. A run that does not give the output may be an error, or stay as it is.
struct Amount {
  Place place = Place::whole;
  double share = 1;
  bool may_be_absent = false;
};

/// An executor with one fault at one output of one node: it alters what another computed there, before anybody
/// sees it. Nothing downstream is computed again.
class FaultyExecutor final : public ir::Executor {
 public:
  /// `output` is a name as NodeResult::name() gives it; `earlier` what the run before was fed, empty for none. All
  /// that is referred to must outlive it.
  FaultyExecutor(ir::Executor& inner, ir::Executor& reference, const Fault& fault, std::string output,
                 ir::Feeds earlier = {}, Place place = Place::whole)
      : FaultyExecutor(inner, reference, fault, std::move(output), Amount{.place = place}, std::move(earlier)) {}
  FaultyExecutor(ir::Executor& inner, ir::Executor& reference, const Fault& fault, std::string output, Amount amount,
                 ir::Feeds earlier = {})
      : witness_(inner, std::move(earlier)),
        reference_(reference),
        fault_(fault),
        output_(std::move(output)),
        amount_(amount) {}

  std::string_view name() const override { return witness_.name(); }
  bool has_kernel(const ir::OpSchema& schema) const override { return witness_.has_kernel(schema); }
  std::unique_ptr<ir::Executable> compile(const ir::Graph& graph, const ir::Feeds& params,
                                          const ir::Capture& capture) override;

 private:
  class Program;

  Witness witness_;
  ir::Executor& reference_;
  const Fault& fault_;
  const std::string output_;
  const Amount amount_;
};

}  // namespace plumb::parity::power::faults
