// Runs of the CPU executor on buffers.
#include "ref_cpu/host_context.hpp"

#include <algorithm>

#include "ir/raw/copy_bytes.hpp"

namespace plumb::ref_cpu {
namespace {

std::vector<ir::Cell> cells_of(const HostProgram& program, const HostProgram::Layout& layout) {
  const ir::Graph& graph = program.graph();
  std::vector<ir::Cell> cells;
  std::map<ir::Value, std::size_t> by_home;
  const auto cell_at = [&](ir::Value v) -> ir::Cell& {
    const auto [found, is_new] = by_home.emplace(layout.homes[v], cells.size());
    if (is_new) cells.push_back({.bytes = graph.type(v).bytes()});
    return cells[found->second];
  };
  for (ir::Value v = 0; v < graph.inputs().size(); ++v) {
    ir::Cell& cell = cell_at(v);
    cell.input = v;
    cell.is_written = layout.homes[v] != v;
  }
  for (const ir::Value v : program.wanted()) {
    ir::Cell& cell = cell_at(v);
    cell.results.push_back(v);
    const auto kept = program.kept().find(v);
    if (kept == program.kept().end()) continue;
    cell.is_known = true;
    cell.known_bytes = kept->second.bytes();
  }
  return cells;
}

}  // namespace

HostContext::HostContext(std::shared_ptr<const HostProgram> program) : HostContext(program, program->layout(true)) {}

HostContext::HostContext(const std::shared_ptr<const HostProgram>& program, HostProgram::Layout layout)
    : ResidentContext({program, &program->graph()}, cells_of(*program, layout), HostMemory::everywhere()),
      program_(program),
      layout_(std::move(layout)),
      reports_(program->reports()) {}

std::string HostContext::why_apart(ir::Value input, ir::Value result) const {
  const ir::Graph& graph = program_->graph();
  const std::string written = ir::cat("'", graph.name(result), "' is not written over '", graph.name(input), "'");
  if (program_->wanted().contains(input)) return ir::cat(written, ": the input is wanted");
  if (program_->is_given(result)) return ir::cat(written, ": no node of a run makes it");
  std::optional<std::size_t> last;
  for (std::size_t n = 0; n < graph.nodes().size(); ++n)
    if (std::ranges::count(graph.nodes()[n].inputs, input) > 0) last = n;
  if (!last) return ir::cat(written, ": no node reads the input");
  const ir::Node& node = graph.nodes()[*last];
  return ir::cat(written, ": node '", node.label, "' (", node.op.name(),
                 ") reads the input last, and is none that changes", " a part of its first operand alone");
}

ir::Fence HostContext::begin(const ir::Arrangement& arrangement, std::size_t, const ir::Feeds& rest) {
  return ir::ended_run([&] { run(arrangement, rest); });
}

void HostContext::run(const ir::Arrangement& arrangement, const ir::Feeds& rest) {
  const ir::Graph& graph = program_->graph();
  const auto copy = [](const std::vector<ir::MemoryCopy>& copies) {
    for (const ir::MemoryCopy& one : copies)
      ir::raw::copy_bytes(HostMemory::bytes_of(*one.from), HostMemory::bytes_of(*one.to));
  };
  copy(arrangement.before);
  std::map<ir::Value, std::span<std::byte>> homes;  // by home of a cell's values
  for (std::size_t c = 0; c < cells().size(); ++c) {
    const ir::Value any = cells()[c].input ? *cells()[c].input : cells()[c].results.front();
    homes.emplace(layout_.homes[any], HostMemory::bytes_of(*arrangement.homes[c]));
  }
  for (const ir::Value v : arrangement.uploads)
    ir::raw::copy_bytes(ir::fed(graph, rest, v).bytes(), homes.at(layout_.homes[v]));
  std::vector<ir::TensorView> values(graph.value_count());
  std::vector<ir::MutableView> targets = layout_.places;
  for (ir::Value v = 0; v < graph.value_count(); ++v)
    if (const auto home = homes.find(layout_.homes[v]); home != homes.end() && graph.defined(v)) {
      targets[v] = {graph.type(v), home->second};
      values[v] = {graph.type(v), home->second};
    }
  for (const auto& [v, view] : program_->kept()) values[v] = view;
  program_->run(std::move(values), targets, reports_);
  copy(arrangement.after);
  copy(arrangement.last);
}

}  // namespace plumb::ref_cpu
