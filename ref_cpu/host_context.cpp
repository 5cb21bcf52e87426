// Runs of the CPU executor on buffers.
#include "ref_cpu/host_context.hpp"

#include <algorithm>

#include "ir/raw/copy_bytes.hpp"
#include "ir/raw/threads.hpp"

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

/// How a run of a context ended. A fence has it, and the context for a later run once the fence is gone.
class HostContext::RunEnd final : public ir::Fence::State {
 public:
  bool ready() noexcept override { return ticket().is_over(); }
  bool wait(double seconds) override { return ticket().wait_for(seconds); }
  void get() override {
    ticket().wait();
    const std::lock_guard lock(mutex_);
    if (error_) std::rethrow_exception(error_);
  }

  void set_ticket(const Ticket& ticket) {
    const std::lock_guard lock(mutex_);
    ticket_ = ticket;
  }
  void set_error(std::exception_ptr error) {
    const std::lock_guard lock(mutex_);
    error_ = std::move(error);
  }

 private:
  Ticket ticket() {
    const std::lock_guard lock(mutex_);
    return ticket_;
  }

  std::mutex mutex_;  ///< guards what follows, which the fence of an earlier run may have read on another thread
  Ticket ticket_;
  std::exception_ptr error_;
};

/// Runs of a context on one arrangement of its memory.
class HostContext::Run final : public HostTask {
 public:
  Run(HostContext& of, const ir::Arrangement& arrangement);

  /// Puts the inputs that a run is given where it reads them, once nobody else uses that memory.
  void upload(const ir::Feeds& rest);
  /// The next run ends with this, and has as many threads as the calling thread may have.
  void prepare(RunEnd& end);
  void run() noexcept override;

  std::span<const Use> uses() const { return uses_; }

 private:
  struct Copy {
    std::span<const std::byte> from;
    std::span<std::byte> to;
  };
  using Copies = std::vector<Copy>;

  Copies copies(const std::vector<ir::MemoryCopy>& all);
  void compute();

  const HostProgram& program_;
  HostProgram::Workspace& workspace_;
  StepCalls calls_;
  std::vector<std::uint64_t> nanoseconds_;
  std::vector<std::pair<ir::Value, ir::Memory*>> uploads_;
  std::vector<Use> uses_;
  Copies before_, after_, last_;
  RunEnd* end_ = nullptr;
  int threads_ = 0;
};

HostContext::Run::Run(HostContext& of, const ir::Arrangement& arrangement)
    : program_(*of.program_),
      workspace_(of.workspace_),
      calls_(program_, of.layout_),
      nanoseconds_(program_.steps().size()),
      before_(copies(arrangement.before)),
      after_(copies(arrangement.after)),
      last_(copies(arrangement.last)) {
  for (std::size_t c = 0; c < of.cells().size(); ++c) {
    const ir::Cell& cell = of.cells()[c];
    const ir::Memory& home = *arrangement.homes[c];
    const bool is_written = cell.is_written || (!cell.input && !cell.is_known);
    uses_.push_back({&HostMemory::uses_of(home), is_written});
    if (!cell.is_known)
      calls_.place(of.layout_.homes[cell.input ? *cell.input : cell.results.front()], HostMemory::bytes_of(home));
  }
  for (const ir::Value v : arrangement.uploads) uploads_.emplace_back(v, arrangement.homes[of.cell_of(v)].get());
  uses_.push_back({&program_.params().uses(), false});
}

HostContext::Run::Copies HostContext::Run::copies(const std::vector<ir::MemoryCopy>& all) {
  Copies made;
  for (const ir::MemoryCopy& one : all) {
    made.push_back({HostMemory::bytes_of(*one.from), HostMemory::bytes_of(*one.to)});
    uses_.push_back({&HostMemory::uses_of(*one.from), false});
    uses_.push_back({&HostMemory::uses_of(*one.to), true});
  }
  return made;
}

void HostContext::Run::upload(const ir::Feeds& rest) {
  for (const auto& [v, home] : uploads_) {
    HostMemory::uses_of(*home).last().wait();
    ir::raw::copy_bytes(ir::fed(program_.graph(), rest, v).bytes(), HostMemory::bytes_of(*home));
  }
}

void HostContext::Run::prepare(RunEnd& end) {
  end.set_error({});
  end_ = &end;
  threads_ = ir::raw::thread_limit();
}

void HostContext::Run::run() noexcept {
  try {
    const ir::raw::ThreadLimit as_the_callers(threads_);
    compute();
  } catch (...) {
    end_->set_error(std::current_exception());
  }
}

void HostContext::Run::compute() {
  const auto copy = [](const Copies& all) {
    for (const Copy& one : all) ir::raw::copy_bytes(one.from, one.to);
  };
  copy(before_);
  program_.run(calls_, workspace_, nanoseconds_);
  copy(after_);
  copy(last_);
}

HostContext::HostContext(std::shared_ptr<const HostProgram> program, std::shared_ptr<HostQueue> queue)
    : HostContext(program, program->layout(true), std::move(queue)) {}

HostContext::HostContext(const std::shared_ptr<const HostProgram>& program, HostProgram::Layout layout,
                         std::shared_ptr<HostQueue> queue)
    : ResidentContext({program, &program->graph()}, cells_of(*program, layout), HostMemory::everywhere()),
      program_(program),
      layout_(std::move(layout)),
      queue_(std::move(queue)),
      blocks_(program->calls_back()) {}

HostContext::~HostContext() { settle(); }

void HostContext::rearranged() {
  settle();
  runs_ = {};
}

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

/// The end of a run whose fence is gone, or a new one. Others have theirs for as long as they like.
std::shared_ptr<HostContext::RunEnd> HostContext::unused_end() {
  auto found = std::ranges::find_if(ends_, [](const auto& one) { return one == nullptr || one.use_count() == 1; });
  if (found == ends_.end()) {
    std::rotate(ends_.begin(), ends_.begin() + 1, ends_.end());
    found = ends_.end() - 1;
    found->reset();
  }
  if (*found == nullptr) *found = std::make_shared<RunEnd>();
  return *found;
}

ir::Fence HostContext::begin(const ir::Arrangement& arrangement, std::size_t turn, const ir::Feeds& rest) {
  if (runs_[turn] == nullptr) runs_[turn] = std::make_unique<Run>(*this, arrangement);
  Run& run = *runs_[turn];
  run.upload(rest);
  const auto end = unused_end();
  run.prepare(*end);
  if (blocks_) {
    for (const Use& use : run.uses()) use.of->last().wait();
    run.run();
    end->set_ticket({});
  } else {
    last_ = queue_->add(run, run.uses());
    end->set_ticket(last_);
  }
  return ir::Fence(end);
}

}  // namespace plumb::ref_cpu
