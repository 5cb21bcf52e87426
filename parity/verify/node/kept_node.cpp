// Nodes of a case that an earlier start of the program judged and that are what they were: on the same operands the
// candidate gave the same bits by the same kernels, and the whole graph has the same truth there. Others are kept as
// they are judged.
#include <algorithm>
#include <cstring>
#include <iterator>
#include <span>
#include <utility>

#include "ir/raw/hash.hpp"
#include "ir/raw/mappings.hpp"
#include "parity/policy/policy_gate.hpp"
#include "parity/verify/case_run.hpp"

namespace plumb::parity::verify {

/// In mode isolate operands come from judging, and in an exact twin verdicts hang on those before them: there every
/// node is judged.
void CaseRun::begin_keeping() {
  if (options_.kept == nullptr || isolates() || !subject_.proofs.empty()) return;
  keeps_ = true;
  for (ir::Value v = 0; v < graph_.inputs().size(); ++v) {
    const auto bytes = ir::fed(graph_, subject_.feeds, v).bytes();
    input_hashes_.emplace(v, ir::raw::hash_bytes(bytes));
    ir::raw::release_after_use(bytes);
  }
  // Limits of totals hang on how all nodes before add.
  const bool hang_on_others = options_.mode == core::Mode::propagate;
  for (std::size_t n = 0; n < graph_.nodes().size(); ++n)
    keys_.push_back(key_of(n, hang_on_others && n > 0 ? keys_.back() : 0));
  kept_ = options_.kept->begin(cases::identity_of(subject_, options_.mode, options_.settings), result_.judged_by.text);
}

/// A hash of all that the judgement of a node hangs on, but for what names the run: its model, whose params these are,
/// and its options. `before`: the key of what it hangs on besides.
std::uint64_t CaseRun::key_of(std::size_t n, std::uint64_t before) const {
  const NodeState& node = state_.node(n);
  std::string text = ir::cat(node.group(), ' ', ir::enum_name(result_.plain.plain), ' ', rules_.deviations, '\n');
  const auto add = [&](ir::Value v) {
    const auto input = input_hashes_.find(v);
    const std::uint64_t hash = input != input_hashes_.end() ? input->second : state_.value(v).hash.value_or(0);
    text += ir::cat(v, ' ', hash, ' ', state_.dtype_of(v), ' ', state_.value(v).is_unstable, '\n');
  };
  for (const ir::Value v : node.segment.fed) add(v);
  for (const ir::Value v : graph_.nodes()[n].outputs) add(v);
  if (node.report) {
    text += ir::cat(ir::enum_name(node.report->placement), '\n', node.report->kernel, '\n', node.report->tile, '\n',
                    node.report->marked_bools, '\n');
    for (const ir::Sum& sum : node.report->sums) text += ir::to_text(sum) + '\n';
  }
  if (options_.gate != nullptr)
    text += ir::cat(options_.gate->today.time_since_epoch().count(), ' ', options_.gate->explain);
  return ir::raw::hash_bytes(std::as_bytes(std::span(text)), before);
}

std::uint64_t CaseRun::hash_of_truths(std::size_t n) const {
  std::uint64_t hash = 0;
  for (const ir::Value v : graph_.nodes()[n].outputs)
    if (const auto& truth = state_.value(v).truth) hash = ir::raw::hash_bytes(std::as_const(*truth).bytes(), hash + v);
  return hash;
}

const cases::KeptNode* CaseRun::find_kept(std::size_t n) const {
  const auto found = kept_.find(n);
  const bool is_it = found != kept_.end() && found->second.outputs.size() == graph_.nodes()[n].outputs.size() &&
                     is_chosen(n) && !is_told_of(n) && found->second.key == keys_[n];
  return is_it ? &found->second : nullptr;
}

/// Keys have nothing of what a file, another implementation or a candidate's own account says of a node.
bool CaseRun::is_told_of(std::size_t n) const {
  const auto is_said = [this](ir::Value v) { return stated_.has(v) || given_output(v) != nullptr; };
  return !state_.node(n).claimed.empty() || std::ranges::any_of(graph_.nodes()[n].outputs, is_said);
}

/// The truth behind a choice follows it, and a claim that was tested changes what is known of the node.
bool CaseRun::is_to_be_kept(std::size_t n, const Examination& found) const {
  if (!keeps_ || !found.own.no_model.empty() || found.claim.is_there || !found.decided().empty() || is_told_of(n))
    return false;
  return std::ranges::none_of(found.results, [](const cases::NodeResult& result) {
    return result.verdict == core::Verdict::error || result.verdict == core::Verdict::unsupported;
  });
}

/// Judging a node on clean operands may have computed elements of its truth again, which is that of the whole graph
/// then: those that evaluating the node alone does not give.
std::vector<cases::TruthWord> CaseRun::truer_words(std::size_t n, const Examination& found) {
  std::vector<cases::TruthWord> words;
  const auto& outputs = graph_.nodes()[n].outputs;
  const auto may_be = [&](std::size_t k) {
    const auto& truth = state_.value(outputs[k]).truth;
    const ir::Tensor& local = found.own.local.truth.outputs[k];
    const bool was_made_again =
        found.results[k].certificate.recomputed > 0 || graph_.type(outputs[k]).dtype == ir::DType::f64;
    return truth && was_made_again && std::ranges::equal(std::as_const(*truth).bytes(), local.bytes());
  };
  bool is_any = false;
  for (std::size_t k = 0; k < outputs.size(); ++k) is_any |= may_be(k);
  if (!is_any) return words;
  const core::Segment alone = core::segment_of(graph_, n);
  LentTruths lent(state_);
  lent.feed(graph_, alone);
  const core::Evaluated made = core::evaluate_widened(executors_.reference, alone, lent.feeds());
  for (std::size_t k = 0; k < outputs.size(); ++k) {
    if (!state_.value(outputs[k]).truth) continue;
    const auto is = std::as_const(*state_.value(outputs[k]).truth).bytes(), plain = made.outputs[k].bytes();
    for (std::size_t at = 0; at + sizeof(std::uint64_t) <= is.size(); at += sizeof(std::uint64_t)) {
      if (std::memcmp(is.data() + at, plain.data() + at, sizeof(std::uint64_t)) == 0) continue;
      cases::TruthWord word{.output = k, .word = at / sizeof(std::uint64_t)};
      std::memcpy(&word.bits, is.data() + at, sizeof word.bits);
      words.push_back(word);
    }
  }
  return words;
}

/// Keeps a node whose outputs are the last that were judged, with the notes and origins from those numbers on.
void CaseRun::keep(std::size_t n, const Examination& found, std::size_t first_note, std::size_t first_origin) {
  cases::KeptNode node{.key = keys_[n], .truth = hash_of_truths(n), .truer = truer_words(n, found)};
  std::ranges::copy(std::span(result_.notes).subspan(first_note), std::back_inserter(node.notes));
  std::ranges::copy(std::span(result_.non_finite).subspan(first_origin), std::back_inserter(node.non_finite));
  const auto& outputs = graph_.nodes()[n].outputs;
  const std::size_t first = result_.nodes.size() - outputs.size();
  for (std::size_t k = 0; k < outputs.size(); ++k) {
    const cases::NodeResult& result = result_.nodes[first + k];
    const ValueState& state = state_.value(outputs[k]);
    node.outputs.push_back({result, result, result, state.error, state.is_clean});
  }
  options_.kept->keep(n, node);
}

/// Has the truth of the whole graph be what it was; false where it is another one, since a choice before the node was
/// taken otherwise this time.
bool CaseRun::carry_kept(std::size_t n, const cases::KeptNode& kept) {
  const auto& outputs = graph_.nodes()[n].outputs;
  std::map<std::size_t, ir::Tensor> truer;
  for (const cases::TruthWord& one : kept.truer) {
    if (one.output >= outputs.size() || !state_.value(outputs[one.output]).truth) return false;
    ir::Tensor& truth = truer.try_emplace(one.output, *state_.value(outputs[one.output]).truth).first->second;
    const std::span<std::byte> bytes = truth.bytes();
    if (one.word >= bytes.size() / sizeof one.bits) return false;
    std::memcpy(bytes.data() + one.word * sizeof one.bits, &one.bits, sizeof one.bits);
  }
  for (auto& [k, truth] : truer) truth = std::exchange(*state_.value(outputs[k]).truth, held(std::move(truth)));
  if (hash_of_truths(n) != kept.truth) {
    for (auto& [k, truth] : truer) state_.value(outputs[k]).truth = std::move(truth);
    return false;
  }
  for (std::size_t k = 0; k < outputs.size(); ++k) state_.value(outputs[k]).is_clean = kept.outputs[k].is_clean;
  return true;
}

/// Takes over the judgement of a node; where its outputs come from is said anew.
void CaseRun::take_kept(std::size_t n, const Pending& pending) {
  const cases::KeptNode& node = *pending.kept;
  const auto& outputs = graph_.nodes()[n].outputs;
  for (std::size_t k = 0; k < outputs.size(); ++k) {
    const cases::KeptOutput& kept = node.outputs[k];
    ValueState& state = state_.value(outputs[k]);
    cases::NodeResult result{describe(n, k), kept.measured, kept.checked, kept.judged};
    result.hash = state.hash;
    state.error = kept.error;
    if (state.stored_in) ++stored_[*state.stored_in];
    result_.nodes.push_back(std::move(result));
  }
  result_.notes.insert(result_.notes.end(), node.notes.begin(), node.notes.end());
  for (const cases::NonFiniteOrigin& origin : node.non_finite) {
    const auto is_such = [&](const cases::NonFiniteOrigin& one) { return one.kind == origin.kind; };
    if (std::ranges::none_of(result_.non_finite, is_such)) result_.non_finite.push_back(origin);
  }
  ++n_taken_;
  hand_on(n);
}

void CaseRun::note_kept() {
  if (n_taken_ > 0)
    result_.notes.push_back(ir::cat(n_taken_, " of ", graph_.nodes().size(),
                                    " nodes were judged before the run was cut off, and are what they were"));
}

}  // namespace plumb::parity::verify
