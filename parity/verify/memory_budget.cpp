// Estimates what verifying a case needs, shares a budget out, and moves values to a file that have no room.
#include "parity/verify/memory_budget.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "ir/raw/process_memory.hpp"
#include "ir/raw/threads.hpp"
#include "parity/verify/shares.hpp"

namespace plumb::parity::verify {
namespace {

constexpr double mebibyte = 0x1p20;
/// Tables, stacks, kernels that are compiled, and pieces of memory that an allocator keeps.
constexpr double beside = 48 * mebibyte;
/// Panels of weights and of sums, and stretches that are looked at, for each thread.
constexpr double by_thread = 12 * mebibyte;
/// Two runs of a program differ by so much before a case begins: the least that one names is enough for the next.
constexpr double differing = 16 * mebibyte;
/// A value below this costs more in a file than in memory.
constexpr std::size_t least_spilled = std::size_t{1} << 15;

/// Bytes that verifying a graph needs at one time or another.
struct Needs {
  double sources = 0, values = 0;  ///< all of them
  double source = 0;               ///< the largest
  double truths = 0;               ///< the most that are alive at once
  double node = 0;                 ///< the largest node's by itself
};

Needs needs_of(const ir::Graph& graph) {
  Needs needs;
  for (ir::Value v = 0; graph.is_source(v); ++v) {
    needs.sources += bytes_of(graph.type(v));
    needs.source = std::max(needs.source, bytes_of(graph.type(v)));
  }
  const std::vector<double> truths = truths_held(graph);
  for (std::size_t n = 0; n < truths.size(); ++n) {
    const ir::Node& node = graph.nodes()[n];
    for (const ir::Value v : node.outputs) needs.values += bytes_of(graph.type(v));
    needs.truths = std::max(needs.truths, truths[n]);
    needs.node = std::max(needs.node, judging_bytes(graph, node));
  }
  return needs;
}

/// Bytes that the process has now, and what it needs beside values.
double bytes_beside() {
  return static_cast<double>(ir::raw::resident_bytes()) + beside + by_thread * ir::raw::allowed_threads();
}

/// The bytes that the candidate's runs need beside what is there before: the values that it hands back and the param
/// that is looked at; a software device has params and values of its own, and what other programs need is theirs.
double run_bytes(const cases::Executors& executors, const Needs& needs) {
  const double of_device = executors.computes_in_memory ? needs.sources + needs.values : 0;
  return of_device + needs.values + needs.source;
}

}  // namespace

/// A value in memory, which counts as long as anybody has it.
struct MemoryBudget::Held {
  Held(ir::Tensor value, std::shared_ptr<std::atomic<std::int64_t>> count)
      : tensor(std::move(value)), held(std::move(count)) {}
  ~Held() { *held -= static_cast<std::int64_t>(tensor.bytes().size()); }
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;

  const ir::Tensor tensor;
  const std::shared_ptr<std::atomic<std::int64_t>> held;
};

MemoryBudget::MemoryBudget(std::uint64_t most_bytes, std::filesystem::path scratch)
    : most_(most_bytes), folder_(std::move(scratch)), held_(std::make_shared<std::atomic<std::int64_t>>(0)) {}

std::string size_text(double bytes) {
  const double mebibytes = std::ceil(bytes / mebibyte);
  return mebibytes < 1024 ? fmt::format("{:.0f} MiB", mebibytes)
                          : fmt::format("{:.2f} GiB", std::ceil(mebibytes / 1024 * 100) / 100);
}

void MemoryBudget::begin(const cases::Case& subject, const cases::Executors& executors, core::Mode mode) {
  const Needs needs = needs_of(subject.file->graph);
  for (const auto& [name, tensor] : subject.feeds) ir::raw::release_after_use(tensor.bytes());
  constexpr double sign_runs = 8;
  const double there = bytes_beside();
  const double kept =
      (mode == core::Mode::propagate ? (1 + sign_runs) * needs.truths : 0) + (subject.as_written ? needs.truths : 0);
  share_out(subject.name + ": cannot be verified", there + std::max(run_bytes(executors, needs), needs.node + kept),
            there + needs.node + kept, needs.values + needs.truths);
}

void MemoryBudget::begin_dump(const cases::Case& subject, const cases::Executors& executors, const Dumped& dumped) {
  const ir::Graph& graph = subject.file->graph;
  const Needs needs = needs_of(graph);
  for (const auto& [name, tensor] : subject.feeds) ir::raw::release_after_use(tensor.bytes());
  const auto bytes = [&](ir::Value v) {
    return bytes_of(graph.type(v)) + (dumped.has_truth ? wide_bytes(graph.type(v)) : 0);
  };
  const double more = dumped.candidate_runs > 1 ? (dumped.candidate_runs - 1) * needs.values : 0;
  const double run = dumped.candidate_runs > 0 ? run_bytes(executors, needs) + more : 0;
  double node = 0, values = dumped.candidate_runs > 0 ? needs.values : 0;
  for (const ir::Node& one : graph.nodes()) {
    double own = 0;
    for (const auto* const all : {&one.inputs, &one.outputs})
      for (const ir::Value v : *all) own += bytes(v);
    for (const ir::Value v : one.outputs) values += bytes(v);
    node = std::max(node, own);
  }
  const double at_once = bytes_beside() + std::max(run, node);
  share_out(subject.name + ": cannot be dumped", at_once, at_once, values);
}

/// Refuses `what` where there is less than `least`. What is left beside what must be there at once is for values first,
/// since these save writing and reading; one node at a time is enough.
void MemoryBudget::share_out(const std::string& what, double least, double at_once, double values) {
  const double most = static_cast<double>(most_);
  ir::require(least <= most, what, " within ", size_text(most), " of memory (--memory): at least ",
              size_text(least + differing), " are needed");
  for_values_ = (most - at_once) / 2;
  const double waiting = values - for_values_;
  const double room = waiting > 0 ? static_cast<double>(ir::files::free_bytes(folder_)) : 0;
  ir::require(waiting <= room, what, ": ", size_text(waiting), " of values may have to wait in ", folder_.string(),
              ", where ", size_text(room), " are free: --scratch names another folder");
}

double MemoryBudget::for_nodes() const {
  const double held = static_cast<double>(*held_);
  return std::max(0.0, static_cast<double>(most_) - (bytes_beside() - held) - for_values_);
}

ir::Tensor MemoryBudget::hold(ir::Tensor tensor) {
  const auto size = std::as_const(tensor).bytes().size();
  if (size == 0) return tensor;
  const auto bytes = static_cast<std::int64_t>(size);
  ir::TensorType type = tensor.type();
  if (static_cast<double>(*held_ += bytes) <= for_values_ || size < least_spilled) {
    const auto held = std::make_shared<const Held>(std::move(tensor), held_);
    return ir::Tensor::shared(std::move(type), held->tensor.bytes(), held);
  }
  *held_ -= bytes;
  {
    const std::lock_guard lock(mutex_);
    if (!file_) file_ = ir::files::ScratchFile::make(folder_);
  }
  ir::files::ScratchFile::Part part = file_->write(std::as_const(tensor).bytes());
  spilled_ += size;
  return ir::Tensor::shared(std::move(type), part.bytes, std::move(part.owner));
}

}  // namespace plumb::parity::verify
