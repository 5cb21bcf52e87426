// Faults inside fused nodes: planted in a node that the kernel swallowed, and carried on to what it puts out.
#include "parity/power/faults/inner.hpp"

#include "ir/passes/widen.hpp"

namespace plumb::parity::power::faults {
namespace {

ir::Value output_of(const Site& outer, std::size_t node) { return outer.segment.graph.nodes()[node].outputs.front(); }

/// All that is behind a value.
core::Segment behind(const Site& outer, ir::Value value) {
  const ir::Graph& graph = outer.segment.graph;
  return core::segment_of(graph, graph.nodes().size() - 1,
                          [&, value](ir::Value v) { return graph.is_source(v) || v == value; });
}

/// The truth of a value inside of the outer segment.
ir::Tensor truth_of(const Site& outer, ir::Value value) {
  const ir::Graph wide = ir::passes::widen(outer.segment.graph);
  ir::Feeds feeds;
  for (std::size_t k = 0; k < outer.operands.size(); ++k)
    feeds.emplace(wide.inputs()[k], ir::passes::widen(outer.operands[k].now));
  return outer.reference.run(wide, feeds, {value}).at(value);
}

Site site_of(const Site& outer, const core::Segment& segment, const ir::TensorType& type) {
  Site site{.segment = segment,
            .operands = {},
            .type = type,
            .truth = {},
            .got = {},
            .before = {},
            .reference = outer.reference,
            .flushes_subnormals = outer.flushes_subnormals,
            .sums = outer.sums,
            .tile_rows = outer.tile_rows,
            .tile_columns = outer.tile_columns,
            .slice = outer.slice};
  const ir::Graph& graph = outer.segment.graph;
  for (const ir::Value v : segment.fed)
    site.operands.push_back(graph.is_source(v) ? outer.operands[v]
                                               : Operand{ir::convert(truth_of(outer, v), graph.type(v).dtype), {}});
  site.truth = site.truth_of(site.inputs());
  site.got = numbers_of(tensor_of(type, site.truth));
  return site;
}

}  // namespace

Inner::Inner(const Site& outer, std::size_t node)
    : outer_(outer),
      value_(output_of(outer, node)),
      segment_(core::segment_of(outer.segment.graph, node)),
      rest_(behind(outer, value_)),
      truth_(numbers_of(faults::truth_of(outer, value_))),
      site_(site_of(outer, segment_, outer.segment.graph.type(value_))) {}

Numbers Inner::carried_out(const Numbers& faulty) const {
  Numbers numbers = truth_;
  for (std::size_t i = 0; i < numbers.size(); ++i)
    if (faulty[i] != site_.got[i]) numbers[i] += faulty[i] - site_.got[i];
  const ir::TensorType wide{ir::passes::wider(site_.type.dtype), site_.type.shape};
  const ir::Tensor changed = tensor_of(wide, numbers);
  const auto fed = [&](ir::Value v) { return v == value_ ? changed : ir::passes::widen(outer_.operands[v].now); };
  return outer_.carried(numbers_of(core::evaluate_widened(outer_.reference, rest_, fed).outputs[outer_.output]));
}

std::vector<std::size_t> inner_nodes(const Site& site) {
  std::vector<std::size_t> nodes;
  const ir::Graph& graph = site.segment.graph;
  for (std::size_t n = 0; n + 1 < graph.nodes().size(); ++n)
    if (!ir::is_complex(graph.type(output_of(site, n)).dtype)) nodes.push_back(n);
  return nodes;
}

}  // namespace plumb::parity::power::faults
