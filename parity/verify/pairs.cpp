// Compares the results of several candidates with one another, bit by bit and as numbers.
#include "parity/verify/pairs.hpp"

#include <algorithm>
#include <cstring>

#include "ir/passes/widen.hpp"
#include "parity/compare/measure.hpp"

namespace plumb::parity::verify {
namespace {

std::uint64_t other_bits(const ir::Tensor& a, const ir::Tensor& b) {
  const std::size_t size = ir::info(a.dtype()).bytes;
  const std::byte *const of_a = a.bytes().data(), *const of_b = b.bytes().data();
  std::uint64_t count = 0;
  for (std::size_t at = 0; at < a.bytes().size(); at += size)
    if (std::memcmp(of_a + at, of_b + at, size) != 0) ++count;
  return count;
}

cases::PairResult pair_of(const KeptResults::Kept& first, const KeptResults::Kept& second) {
  cases::PairResult pair{.error_of_first = first.error, .error_of_second = second.error};
  pair.elements = static_cast<std::uint64_t>(first.got.elements());
  pair.differing = other_bits(first.got, second.got);
  if (pair.differing == 0) {
    pair.max_abs = pair.max_ulp = 0;
    return pair;
  }
  const compare::Comparison difference = compare::measure(ir::passes::widen(first.got), second.got);
  pair.max_abs = difference.max_abs.value;
  pair.max_ulp = difference.max_ulp.value;
  return pair;
}

}  // namespace

void KeptResults::begins(const cases::Case& subject) {
  const ir::Graph& graph = subject.file->graph;
  for (std::size_t n = 0; n < graph.nodes().size(); ++n)
    for (std::size_t k = 0; k < graph.nodes()[n].outputs.size(); ++k) {
      const ir::Value value = graph.nodes()[n].outputs[k];
      if (std::ranges::count(graph.results(), value) != 0) names_.emplace(std::pair(n, k), graph.name(value));
    }
}

void KeptResults::compared(const cases::NodeResult& result, const ir::TensorView& /*truth*/,
                           const ir::TensorView& got) {
  const auto name = names_.find({result.node, result.output});
  if (name == names_.end()) return;
  const compare::Comparison& total = result.of_run();
  results_.insert_or_assign(name->second, Kept{ir::Tensor(got), total.n == 0 ? compare::not_computed : total.rms});
}

std::vector<cases::PairResult> pairs_of(const cases::CaseResult& one, std::span<const NamedResults> candidates) {
  std::vector<cases::PairResult> pairs;
  for (std::size_t a = 0; a < candidates.size(); ++a)
    for (std::size_t b = a + 1; b < candidates.size(); ++b)
      for (const auto& [value, first] : candidates[a].kept->results()) {
        const auto second = candidates[b].kept->results().find(value);
        if (second == candidates[b].kept->results().end() || second->second.got.type() != first.got.type()) continue;
        cases::PairResult pair = pair_of(first, second->second);
        pair.graph = one.subject.name;
        pair.seed = one.subject.seed;
        pair.value = value;
        pair.first = candidates[a].name;
        pair.second = candidates[b].name;
        pair.first_at = a;
        pair.second_at = b;
        pairs.push_back(std::move(pair));
      }
  return pairs;
}

}  // namespace plumb::parity::verify
