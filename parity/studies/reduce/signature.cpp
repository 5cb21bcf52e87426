// Reads off a result how the case failed.
#include "parity/studies/reduce/signature.hpp"

#include <algorithm>

#include "ir/attribute.hpp"

namespace plumb::parity::studies::reduce {
namespace {

using core::Verdict;

bool is_wrong(const cases::NodeResult& node) {
  return node.verdict == Verdict::failed || node.verdict == Verdict::error || node.verdict == Verdict::nondeterministic;
}

/// The node at which it goes wrong first: one whose own error is beyond its limit before all others.
const cases::NodeResult* guilty_node(const cases::CaseResult& result) {
  if (const cases::NodeResult* const first = cases::first_guilty(result)) return first;
  const auto found = std::ranges::find_if(result.nodes, is_wrong);
  return found == result.nodes.end() ? nullptr : &*found;
}

std::string kind_of(const cases::NodeResult& node) {
  if (node.verdict == Verdict::error) return "oracle";
  if (node.is_of_plain_run) return "plain";
  const compare::Comparison& gated = node.gated();
  if (gated.n_nan_differ > 0) return "nan";
  if (gated.n_inf_differ > 0) return "inf";
  // An output that has to be exact has no other limit: moved alone it is proved wrong as in a fused kernel that rounds.
  const bool may_not_err = !gated.worst.empty() && gated.worst.front().allowed == 0;
  if (gated.n_bad > 0) return gated.ratio_certain > 1 || may_not_err ? "proved" : "mismatch";
  if (node.verdict == Verdict::nondeterministic) return "nondeterministic";
  if (node.replays.refutes()) return "replay";
  return node.verdict == Verdict::failed && !node.is_guilty ? "rounds_off" : "mismatch";
}

std::string property(const cases::NodeResult& node, const std::string& name) {
  if (name == "dtype") return ir::cat(node.type.dtype);
  if (name == "kernel") return node.kernel;
  std::string patterns;
  for (const cases::Pattern& one : node.patterns)
    patterns += ir::cat(patterns.empty() ? "" : "+", ir::enum_name(one.kind));
  return patterns.empty() ? "none" : patterns;
}

/// A case that failed as a whole, though no node of it did.
Signature signature_of_whole(const cases::CaseResult& result) {
  const auto failed = [](const auto& one) { return one.verdict == Verdict::failed; };
  if (std::ranges::any_of(result.expected, failed)) return {.kind = "expected"};
  if (result.plain.plain == cases::Plain::nondeterministic) return {.kind = "plain"};
  const auto relation = std::ranges::find_if(result.relations, failed);
  if (relation == result.relations.end()) return {.kind = ir::cat(ir::enum_name(result.verdict))};
  Signature made{.kind = ir::cat("relation:", ir::enum_name(relation->relation)), .label = relation->label};
  const auto node = std::ranges::find(result.nodes, relation->label, &cases::NodeResult::label);
  if (node != result.nodes.end()) made.op = node->op;
  return made;
}

}  // namespace

std::vector<std::string> keepable() { return {"dtype", "kernel", "pattern"}; }

Signature signature_of(const cases::CaseResult& result, const std::vector<std::string>& keep) {
  if (!result.message.empty() && (result.verdict == Verdict::error || result.exit == core::ExitCode::device_error))
    return signature_of_error(result.message, result.subject.name);
  const bool is_failure = result.verdict == Verdict::failed || result.verdict == Verdict::nondeterministic ||
                          result.verdict == Verdict::error;
  if (!is_failure) return {};
  const cases::NodeResult* const node = guilty_node(result);
  if (node == nullptr) return signature_of_whole(result);
  Signature made{.kind = kind_of(*node), .label = node->label, .op = node->op};
  for (const std::string& name : keep) made.kept.push_back(ir::cat(name, '=', property(*node, name)));
  return made;
}

Signature signature_of_error(std::string message, const std::string& path) {
  if (message.starts_with(path + ": ")) message.erase(0, path.size() + 2);
  message.erase(std::min(message.size(), message.find('\n')));
  std::erase_if(message, [](char c) { return c >= '0' && c <= '9'; });
  return {.kind = "error:" + message};
}

std::string to_text(const Signature& signature) {
  std::string text = signature.kind;
  if (!signature.label.empty()) text += ir::cat(" at '", signature.label, "' (", signature.op, ')');
  for (const std::string& one : signature.kept) text += ", " + one;
  return text;
}

}  // namespace plumb::parity::studies::reduce
