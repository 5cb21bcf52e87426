// Runs the candidate, on the whole graph or on one node, and hashes values so that repeated runs can be compared.
#include "parity/verify/candidate_run.hpp"

#include <algorithm>

#include "ir/passes/inline_bodies.hpp"
#include "ir/raw/hash.hpp"
#include "parity/foreign/received.hpp"

namespace plumb::parity::verify {
namespace {

/// Throws core::CandidateError where what a candidate gave is not what it was asked for: also for a float that is
/// narrower than the graph's, unless it is to be judged as it is stored.
void check_values(std::string_view candidate, foreign::Storage storage, const ir::Graph& graph,
                  const ir::Capture& asked, const ir::Tensors& values) {
  const auto require = [&](bool holds, const auto&... why) {
    if (!holds) throw core::CandidateError(ir::cat("candidate '", candidate, "': ", why...));
  };
  for (const auto& [value, tensor] : values) {
    require(value < graph.value_count(), "it gave a value that the graph does not have, number ", value);
    const bool is_stored =
        storage == foreign::Storage::observed && foreign::is_stored_in(tensor.type(), graph.type(value));
    require(is_stored || tensor.type() == graph.type(value), graph.name(value), " is ", tensor.type(),
            ", the graph says ", graph.type(value));
  }
  for (const ir::Value value : asked.wanted)
    require(graph.is_source(value) || values.contains(value), "it gave nothing for ", graph.name(value));
}

std::uint64_t hashed(const ir::Tensor& tensor) { return ir::raw::hash_bytes(tensor.bytes()); }

CandidateRun run(ir::Executor& candidate, foreign::Storage storage, const ir::Graph& graph, const ir::Feeds& feeds,
                 const ir::Capture& capture, unsigned repeat, const std::function<void()>& compiled = {}) {
  const auto executable = candidate.compile(graph, feeds, capture);
  if (compiled) compiled();
  ir::Tensors values = executable->run(feeds);
  check_values(candidate.name(), storage, graph, capture, values);
  CandidateRun made = make_run(graph, std::move(values), {});
  for (unsigned again = 1; again < repeat; ++again)
    for (const auto& [value, tensor] : executable->run(feeds)) {
      const auto first = made.hashes.find(value);
      if (!graph.is_source(value) && (first == made.hashes.end() || hashed(tensor) != first->second))
        made.unstable.insert(value);
    }
  made.nodes = executable->nodes();
  return made;
}

/// The values of a segment's only node, under their numbers in the graph that it is from.
CandidateRun renumbered(CandidateRun alone, const core::Segment& segment, const ir::Node& node) {
  CandidateRun made{.nodes = std::move(alone.nodes)};
  for (std::size_t k = 0; k < node.outputs.size(); ++k) {
    const ir::Value from = segment.outputs[k], to = node.outputs[k];
    made.values.emplace(to, std::move(alone.values.at(from)));
    made.hashes.emplace(to, alone.hashes.at(from));
    if (alone.unstable.contains(from)) made.unstable.insert(to);
  }
  return made;
}

}  // namespace

CandidateRun make_run(const ir::Graph& graph, ir::Tensors values, std::vector<ir::NodeReport> nodes) {
  CandidateRun made{.values = std::move(values), .nodes = std::move(nodes)};
  std::erase_if(made.values, [&](const auto& kept) { return graph.is_source(kept.first); });
  for (const auto& [value, tensor] : made.values) made.hashes.emplace(value, hashed(tensor));
  return made;
}

CandidateRun run_whole(ir::Executor& candidate, foreign::Storage storage, const ir::Graph& graph,
                       const ir::Feeds& feeds, unsigned repeat, const std::function<void()>& compiled,
                       std::optional<std::set<ir::Value>> of_interest) {
  const ir::Capture capture{
      .wanted = graph.results(), .surviving = true, .marks_bools = true, .of_interest = std::move(of_interest)};
  return run(candidate, storage, graph, feeds, capture, repeat, compiled);
}

CandidateRun run_tapped(ir::Executor& candidate, foreign::Storage storage, const ir::Graph& graph,
                        const ir::Feeds& feeds) {
  return run(candidate, storage, graph, feeds, {graph.results(), true, true}, 1);
}

namespace {

/// The node by itself with its own op, where the segment has the body of that.
core::Segment with_own_op(const ir::Node& node, const core::Segment& segment) {
  core::Segment own{.graph = {}, .fed = segment.fed, .outputs = {}, .judged = segment.judged};
  for (ir::Value v = 0; v < segment.fed.size(); ++v) own.graph.input(segment.graph.inputs()[v], segment.graph.type(v));
  std::vector<ir::Value> operands;
  for (const ir::Value v : node.inputs)
    operands.push_back(static_cast<ir::Value>(std::ranges::find(segment.fed, v) - segment.fed.begin()));
  own.outputs = own.graph.add_all(node.label, node.op, operands);
  for (const ir::Value v : own.outputs) own.graph.returns(v);
  return own;
}

}  // namespace

CandidateRun run_alone(ir::Executor& candidate, foreign::Storage storage, const ir::Node& node,
                       const core::Segment& segment, const core::Lookup& fed, unsigned repeat) {
  if (ir::passes::has_body(node) && !ir::passes::has_body(segment.graph.nodes().back()))
    return run_alone(candidate, storage, node, with_own_op(node, segment), fed, repeat);
  const auto refused = [](core::Verdict verdict, std::string why) {
    return CandidateRun{.refused = verdict, .why = std::move(why)};
  };
  if (std::string why = candidate.refusal(segment.graph, segment.graph.nodes().back()); !why.empty())
    return refused(core::Verdict::unsupported, std::move(why));
  try {
    const ir::Capture capture{.wanted = segment.outputs, .marks_bools = true};
    return renumbered(run(candidate, storage, segment.graph, core::feeds_of(segment, fed), capture, repeat), segment,
                      node);
  } catch (const ir::Unsupported& error) {
    return refused(core::Verdict::unsupported, error.what());
  } catch (const ir::DeviceError&) {
    throw;
  } catch (const core::CandidateError& error) {
    return refused(core::Verdict::failed, error.what());
  } catch (const ir::Error& error) {
    return refused(core::Verdict::failed, ir::cat("the candidate refuses what the reference runs: ", error.what()));
  }
}

bool is_refused(ir::Executor& executor, const ir::Graph& graph, const ir::Feeds& feeds) try {
  executor.run(graph, feeds, graph.results());
  return false;
} catch (const ir::Error&) {
  return true;
}

}  // namespace plumb::parity::verify
