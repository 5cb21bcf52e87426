// The graph as it is compiled for its results alone, held against the watched run of a case.
#include "parity/verify/plain_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "ir/passes/widen.hpp"
#include "parity/core/other_inputs.hpp"

namespace plumb::parity::verify {
namespace {

bool is_same(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b) || (std::isnan(a) && std::isnan(b));
}

/// How many elements differ, widened, which every dtype but complex can be without loss.
struct Difference {
  std::uint64_t count = 0, first = 0;
};
Difference difference(const ir::Tensor& a, const ir::Tensor& b) {
  if (std::ranges::equal(a.bytes(), b.bytes())) return {};
  Difference found;
  const ir::Tensor x = ir::passes::widen(a), y = ir::passes::widen(b);
  const std::size_t width = ir::info(a.dtype()).bytes;
  for (std::uint64_t i = 0; i < static_cast<std::uint64_t>(a.shape().elements()); ++i) {
    const bool same = x.dtype() == ir::DType::f64 ? is_same(x.as<double>()[i], y.as<double>()[i])
                                                  : std::ranges::equal(a.bytes().subspan(i * width, width),
                                                                       b.bytes().subspan(i * width, width));
    if (!same && found.count++ == 0) found.first = i;
  }
  return found;
}

/// "3 of 512 elements of 'y', the first 17": the first result in which two runs differ; "" where they are equal.
std::string first_difference(const ir::Graph& graph, const ir::Tensors& one, const ir::Tensors& other) {
  for (const ir::Value v : graph.results()) {
    if (!one.contains(v) || !other.contains(v)) continue;
    const Difference found = difference(one.at(v), other.at(v));
    if (found.count > 0)
      return fmt::format("{} of {} elements of '{}', the first {}", found.count, one.at(v).shape().elements(),
                         graph.name(v), found.first);
  }
  return "";
}

std::string kernel_of(const ir::NodeReport& report) {
  if (report.placement != ir::Placement::fused) return ir::cat(report.kernel, ' ', report.tile);
  return ir::cat("part of ", report.kernel);
}

std::vector<cases::OtherKernel> other_kernels(const ir::Graph& graph, const std::vector<ir::NodeReport>& watched,
                                              const std::vector<ir::NodeReport>& plain) {
  std::vector<cases::OtherKernel> others;
  const std::size_t count = std::min({graph.nodes().size(), watched.size(), plain.size()});
  for (std::size_t n = 0; n < count; ++n)
    if (const auto was = kernel_of(watched[n]), is = kernel_of(plain[n]); was != is)
      others.push_back({graph.nodes()[n].label, was, is});
  return others;
}

}  // namespace

PlainFinding run_plain(ir::Executor& candidate, foreign::Storage storage, const cases::Case& subject,
                       const CandidateRun& watched) {
  const ir::Graph& graph = subject.file->graph;
  PlainFinding found;
  ir::Tensors first, second;
  std::vector<ir::NodeReport> nodes;
  {
    const auto executable = candidate.compile(graph, subject.feeds, {graph.results()});
    // A run on other inputs leaves behind nothing that is right for these. Some inputs are right in their own order
    // alone and refused in another; then what is left behind is that of the run before.
    core::run_unless_refused(*executable, core::turned(graph, subject.feeds));
    first = executable->run(subject.feeds);
    second = executable->run(subject.feeds);
    nodes = executable->nodes();
    found.said.kernels = other_kernels(graph, watched.nodes, nodes);
  }
  const auto ends = [&](cases::Plain plain, std::string why) {
    found.said.plain = plain;
    found.said.why = std::move(why);
    return std::move(found);
  };
  if (const auto why = first_difference(graph, first, second); !why.empty())
    return ends(cases::Plain::nondeterministic, "two runs of it differ in " + why);
  const auto why = first_difference(graph, first, watched.values);
  if (why.empty()) return ends(cases::Plain::equal, "");
  CandidateRun tapped;
  try {
    tapped = run_tapped(candidate, storage, graph, subject.feeds);
  } catch (const ir::Unsupported&) {  // it cannot copy values out of what it runs for results alone
    const std::set<ir::Value> results(graph.results().begin(), graph.results().end());
    std::erase_if(first, [&](const auto& kept) { return !results.contains(kept.first); });
    found.tapped = make_run(graph, std::move(first), std::move(nodes));
    return ends(cases::Plain::whole, why);
  }
  if (const auto again = first_difference(graph, first, tapped.values); !again.empty())
    return ends(cases::Plain::nondeterministic, "its results change when its values are copied: " + again);
  found.tapped = std::move(tapped);
  return ends(cases::Plain::tapped, why);
}

}  // namespace plumb::parity::verify
