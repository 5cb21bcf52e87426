// Verifies small cases from memory.
#include "parity/studies/selfcheck/small_cases.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "ir/raw/hash.hpp"

namespace plumb::parity::studies::selfcheck {
namespace {

std::vector<SmallCase> in_mixed_order(std::span<const SmallCase> cases) {
  std::vector<SmallCase> mixed(cases.begin(), cases.end());
  std::ranges::sort(mixed, {},
                    [](const SmallCase& one) { return ir::raw::hash_bytes(std::as_bytes(std::span(one.name))); });
  return mixed;
}

/// Whether it has f32 that another dtype could take the place of.
bool has_f32(const SmallCase& one) { return one.text.find("\"f32[") != std::string_view::npos; }

std::string why(const cases::CaseResult& result) {
  for (const cases::NodeResult& node : result.nodes)
    if (!core::is_fine(node.verdict) && !node.why.empty()) return node.name() + ": " + node.why;
  return result.plain.why.empty() ? result.message : result.plain.why;
}

void take(Held& held, const cases::CaseResult& result) {
  using core::Verdict;
  for (const cases::NodeResult& node : result.nodes) held.elements += node.oracle.asked;
  ++held.all;
  if (result.verdict == Verdict::passed) {
    ++held.passed;
    return;
  }
  if (result.verdict == Verdict::failed || result.verdict == Verdict::error ||
      result.verdict == Verdict::nondeterministic) {
    const std::string dtype = result.subject.dtype ? fmt::format(" in {}", ir::info(*result.subject.dtype).name) : "";
    held.wrong.push_back(
        fmt::format("{}{}: {}: {}", result.subject.name, dtype, ir::enum_name(result.verdict), why(result)));
    return;
  }
  ++held.unverified;
}

}  // namespace

verify::FillOptions fill_of(const SmallCase& one) {
  return {.read = [text = one.text](const std::filesystem::path&) { return ir::formats::parse_graph(text, {}); }};
}

cases::Case filled(const SmallCase& one) { return verify::load_case(std::string(one.name), fill_of(one)); }

Held hold(std::span<const SmallCase> cases, const cases::Executors& executors, const Effort& effort) {
  const auto start = std::chrono::steady_clock::now();
  const verify::VerifyOptions options{.repeat = effort.repeat, .plain = effort.plain};
  const std::vector<SmallCase> mixed = in_mixed_order(cases);
  cases::Observer nobody;
  Held held;
  for (const std::optional<ir::DType>& dtype : effort.dtypes)
    for (const SmallCase& one : mixed) {
      if (dtype && !has_f32(one)) continue;
      if (std::chrono::steady_clock::now() - start > effort.time) {
        ++held.left;
        continue;
      }
      verify::FillOptions fill = fill_of(one);
      fill.dtype = dtype;
      take(held, verify::verify_file(std::string(one.name), fill, executors, options, nobody));
    }
  return held;
}

std::vector<std::string> differing(std::span<const SmallCase> cases, std::span<ir::Executor* const> executors) {
  std::vector<std::string> names;
  for (const SmallCase& one : cases) {
    const cases::Case subject = filled(one);
    const ir::Graph& graph = subject.file->graph;
    std::optional<ir::Tensors> first;
    bool differs = false;
    for (ir::Executor* const executor : executors) {
      const ir::Tensors now = executor->compile(graph, subject.feeds, {.wanted = graph.results()})->run(subject.feeds);
      if (!first) first = now;
      for (const ir::Value result : graph.results())
        differs |= !std::ranges::equal(first->at(result).bytes(), now.at(result).bytes());
    }
    if (differs) names.emplace_back(one.name);
  }
  return names;
}

}  // namespace plumb::parity::studies::selfcheck
