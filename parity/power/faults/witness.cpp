// An executor that remembers what was computed, now and in an earlier run, of which stale memory would hold traces.
#include "parity/power/faults/witness.hpp"

namespace plumb::parity::power::faults {

class Witness::Program final : public ir::Executable {
 public:
  Program(Witness& witness, std::unique_ptr<ir::Executable> inner) : witness_(witness), inner_(std::move(inner)) {}

  ir::Tensors run(const ir::Feeds& inputs) override {
    if (!witness_.earlier_.empty()) try {
        witness_.before_ = inner_->run(witness_.earlier_);
      } catch (const ir::DeviceError&) {
        throw;
      } catch (const ir::Error&) {  // those inputs had an index out of range, say: then there is no earlier run
      }
    witness_.now_ = inner_->run(inputs);
    return witness_.now_;
  }

  std::vector<ir::NodeReport> nodes() const override { return inner_->nodes(); }

 private:
  Witness& witness_;
  const std::unique_ptr<ir::Executable> inner_;
};

std::unique_ptr<ir::Executable> Witness::compile(const ir::Graph& graph, const ir::Feeds& params,
                                                 const ir::Capture& capture) {
  now_.clear();
  before_.clear();
  return std::make_unique<Program>(*this, inner_.compile(graph, params, capture));
}

std::optional<Site> site_of(const Witness& witness, const ir::Graph& graph, const ir::Feeds& feeds, std::size_t node,
                            const core::Segment& segment, std::size_t output, const ir::TensorView& truth,
                            const ir::TensorView& got, ir::Executor& reference) {
  if (ir::is_complex(got.dtype())) return {};
  Site site{.segment = segment,
            .output = output,
            .operands = {},
            .type = got.type(),
            .truth = numbers_of(truth),
            .got = numbers_of(got),
            .before = {},
            .reference = reference};
  for (const ir::Value v : segment.fed) {
    Operand operand;
    if (graph.is_source(v)) {
      operand.now = ir::fed(graph, feeds, v);
      operand.origin = v < graph.inputs().size() ? Origin::upload : Origin::param;
      if (!witness.earlier().empty()) operand.before = ir::fed(graph, witness.earlier(), v);
    } else {
      operand.now = witness.now().at(v);
      if (const auto found = witness.before().find(v); found != witness.before().end()) operand.before = found->second;
    }
    site.operands.push_back(std::move(operand));
  }
  const auto before = witness.before().find(graph.nodes()[node].outputs[output]);
  if (before != witness.before().end()) site.before = numbers_of(before->second);
  return site;
}

}  // namespace plumb::parity::power::faults
