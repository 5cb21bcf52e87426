// Tries an op's own code against its body before graphs may use it.
#include "library/register_op.hpp"

#include "ir/fill.hpp"
#include "ir/passes/widen.hpp"
#include "library/reference.hpp"
#include "parity/bounds/bounded.hpp"

namespace plumb::library {
namespace {

namespace core = parity::core;

/// The op as a segment of its own, in reference precision.
core::Segment segment_of(const ir::RegisteredOp& op) {
  core::Segment segment;
  segment.graph = ir::passes::widen(*op.of->code.body(op, op.of->example));
  segment.outputs = segment.graph.results();
  segment.judged.error_class = ir::ErrorClass::comp;
  return segment;
}

void try_cpu(const ir::DeclaredOp& declared) {
  ir::RegisteredOp op{&declared, {}};
  for (const auto& field : declared.fields) {
    if (field.presence == ir::Presence::required) return;  // its values are not known
    op.attributes.emplace(field.name, field.usual);
  }
  const core::Segment segment = segment_of(op);
  ir::Feeds feeds;
  std::vector<ir::TensorView> in;
  for (ir::Value v = 0; v < segment.graph.inputs().size(); ++v) {
    const ir::TensorType& type = segment.graph.type(v);
    const auto& made = feeds.emplace(segment.graph.inputs()[v],
                                     ir::fill(type, ir::default_fill(type.dtype), 1, static_cast<std::uint32_t>(v)));
    in.emplace_back(made.first->second);
  }
  std::vector<ir::Tensor> got;
  std::vector<ir::MutableView> out;
  for (const ir::Value v : segment.outputs) got.emplace_back(segment.graph.type(v));
  for (ir::Tensor& one : got) out.push_back(one.view());
  ir::run_guarded(op, "cpu", declared.code.cpu, in, out);
  ref_cpu::CpuExecutor reference = reference_executor();
  parity::bounds::Bounded bounded;
  try {
    bounded = parity::bounds::evaluate_bounded(reference, segment, feeds, parity::bounds::Manner{});
  } catch (const parity::bounds::NoModel&) {
    return;  // verify judges it by runs
  }
  for (std::size_t k = 0; k < got.size(); ++k) {
    const auto compared = parity::compare::compare(bounded.truth.outputs[k], got[k], bounded.allowed[k]);
    if (compared.agrees()) continue;
    const parity::compare::Worst worst = compared.worst.empty() ? parity::compare::Worst{} : compared.worst.front();
    ir::fail("the op '", declared.name, "': cpu is not what its body says: element ", worst.index, " of '",
             declared.results[k].name, "' is ", worst.got, ", by the body ", worst.expected);
  }
}

}  // namespace

void register_tried_op(const ir::NewOp& op) {
  ir::DeclaredOp declared = ir::declared(op);
  if (declared.code.cpu && declared.code.body) try_cpu(declared);
  ir::add_registered_op(std::move(declared));
}

}  // namespace plumb::library
