#pragma once

#include "ir/executor.hpp"
#include "parity/power/faults/site.hpp"

namespace plumb::parity::power::faults {

/// An executor that remembers what another computed: of the run that it passes on, and before it of a run on
/// earlier inputs. It holds one graph at a time.
class Witness final : public ir::Executor {
 public:
  /// `earlier`: what an earlier run was fed, inputs and params; empty for none.
  Witness(ir::Executor& inner, ir::Feeds earlier) : inner_(inner), earlier_(std::move(earlier)) {}

  std::string_view name() const override { return inner_.name(); }
  bool has_kernel(const ir::OpSchema& schema) const override { return inner_.has_kernel(schema); }
  std::unique_ptr<ir::Executable> compile(const ir::Graph& graph, const ir::Feeds& params,
                                          const ir::Capture& capture) override;

  const ir::Tensors& now() const { return now_; }
  const ir::Tensors& before() const { return before_; }
  const ir::Feeds& earlier() const { return earlier_; }

 private:
  class Program;

  ir::Executor& inner_;
  const ir::Feeds earlier_;
  ir::Tensors now_, before_;
};

/// The site of one output of a node that a witness saw computed; `segment` is the node's. Nothing for complex outputs.
std::optional<Site> site_of(const Witness& witness, const ir::Graph& graph, const ir::Feeds& feeds, std::size_t node,
                            const core::Segment& segment, std::size_t output, const ir::TensorView& truth,
                            const ir::TensorView& got, ir::Executor& reference);

}  // namespace plumb::parity::power::faults
