// Feeds each step what the candidate made before it, and holds decoding in place to decoding by way of the host.
#include "parity/verify/steps.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "ir/raw/float_environment.hpp"
#include "parity/checks/relations/decoding.hpp"
#include "parity/foreign/candidate.hpp"
#include "parity/policy/policy_gate.hpp"
#include "parity/verify/callers_candidate.hpp"
#include "parity/verify/must.hpp"

namespace plumb::parity::verify {
namespace {

/// "3 of 96 elements of the logits, the first 5"; "" where both have the same bits.
std::string difference(const std::string& name, const ir::Tensor& one, const ir::Tensor& other) {
  const std::size_t width = ir::info(one.dtype()).bytes;
  const auto differs = [&](std::size_t i) {
    return !std::ranges::equal(one.bytes().subspan(i * width, width), other.bytes().subspan(i * width, width));
  };
  const auto elements = static_cast<std::size_t>(one.shape().elements());
  std::size_t count = 0, first = 0;
  for (std::size_t i = 0; i < elements; ++i)
    if (differs(i) && count++ == 0) first = i;
  return count == 0 ? "" : fmt::format("{} of {} elements of {}, the first {}", count, elements, name, first);
}

}  // namespace

StepCases::StepCases(const cases::Case& prompt, cases::Case step, const cases::Executors& executors, std::int64_t steps,
                     WholeCase whole)
    : prompt_(prompt), step_(std::move(step)), executors_(executors), steps_(steps), whole_(std::move(whole)) {
  step_.origin = prompt.origin;
  step_.step = 0;
  if (!step_.as_written) return;
  written_ = std::make_shared<cases::Written>(*step_.as_written);
  step_.as_written = written_;
}

/// Runs the prompt, and decodes in the candidate's memory where it can.
void StepCases::begin() {
  candidate_ = std::make_unique<CallersCandidate>(*executors_.candidate);
  if (executors_.foreign != nullptr) executors_.foreign->begins(prompt_);
  try {
    resident_ = ir::decode(*candidate_, graphs(), prompt_.feeds, steps_);
  } catch (const ir::Unsupported&) {  // it has no contexts; what else it cannot do it says again below
  }
  by_host_.emplace(*candidate_, graphs(), prompt_.feeds);
  by_host_->run();
}

void StepCases::feed_step() {
  for (const auto& [name, tensor] : by_host_->inputs()) {
    step_.feeds.insert_or_assign(name, tensor);
    if (written_)
      written_->feeds.insert_or_assign(name,
                                       ir::convert(tensor, written_->graph.type(*written_->graph.find(name)).dtype));
  }
}

/// The first row of a cache [B, .., C, D] that decoding in place has otherwise, and who writes it, or the first state;
/// "" where there is none.
std::string StepCases::other_row(const ir::Decoded& resident) const {
  for (const auto& [name, cache] : resident.caches) {
    const ir::Tensor& own = by_host_->inputs().at(name);
    const std::string why = difference(name, own, cache);
    if (why.empty()) continue;
    if (!name.starts_with("cache_")) return fmt::format("{} ({})", name, why);  // every step makes all of it
    const ir::Shape& shape = own.shape();
    const auto off = std::ranges::mismatch(own.bytes(), cache.bytes()).in1 - own.bytes().begin();
    const std::int64_t line = off / static_cast<std::int64_t>(ir::info(own.dtype()).bytes) / shape.back();
    const std::int64_t rows = shape[shape.size() - 2], row = line % rows;
    const auto of_batch = static_cast<std::size_t>(line / (shape.elements() / shape[0] / shape.back()));
    const std::int64_t start = prompt_.feeds.at("write_at").as<std::int32_t>()[of_batch],
                       step = row - start - prompt_.feeds.at("tokens").shape().back() + 1;
    const std::string writer = step > 0       ? fmt::format("step {} writes", step)
                               : row >= start ? "the prompt writes"
                                              : "nothing writes";
    return fmt::format("row {} of {}, which {} ({})", row, name, writer, why);
  }
  return "";
}

/// Says which bits decoding in place gave otherwise in this step, and where; "" where nothing is.
std::string StepCases::other_bits() const {
  const ir::Decoded& host = by_host_->decoded();
  const auto at = static_cast<std::size_t>(step_.step);
  std::string why = difference("the tokens", host.tokens[at], resident_->tokens[at]);
  if (why.empty()) why = difference("the logits", host.logits[at - 1], resident_->logits[at - 1]);
  if (why.empty()) return step_.step == steps_ ? other_row(*resident_) : "";
  const std::string row = other_row(ir::decode(*candidate_, graphs(), prompt_.feeds, step_.step));
  return row.empty() ? why + ", and no cache: what reads them is wrong" : row + ", then " + why;
}

/// The step fails where decoding in place gave something else.
void StepCases::hold_to_resident(cases::CaseResult& result) {
  const bool is_last = step_.step == steps_;
  if (!resident_) {
    if (is_last) result.notes.emplace_back("caches passed through the host: the candidate keeps no tensors");
    return;
  }
  if (is_last) result.notes.push_back("decoded in its own memory, too: " + ir::how_text(*resident_));
  const std::string why = other_bits();
  if (why.empty()) return;
  is_broken_ = true;
  const std::string text =
      fmt::format("step {}: in its own memory it gives other bits than by way of the host: {}", step_.step, why);
  result.notes.push_back(text);
  if (!core::is_worse(core::Verdict::failed, result.verdict)) return;
  result.verdict = core::Verdict::failed;
  result.exit = core::exit_code(result.verdict);
  result.message = text;
}

/// The last step's logits are those of a run of all tokens.
void StepCases::hold_to_whole(cases::CaseResult& result) {
  const ir::Decoded& decoded = by_host_->decoded();
  const auto starts = prompt_.feeds.at("write_at").bytes();
  if (std::ranges::any_of(starts, [](std::byte one) { return one != std::byte{}; })) {
    result.notes.emplace_back("relation decoding is not asked: the prompt does not begin at row 0");
    return;
  }
  std::vector<const ir::Tensor*> parts = {&prompt_.feeds.at("tokens")};
  for (std::size_t run = 0; run + 1 < decoded.tokens.size(); ++run) parts.push_back(&decoded.tokens[run]);
  const cases::Case whole = whole_(ir::joined_rows(parts));
  checks::relations::add_decoding(whole, decoded.logits.back(), executors_,
                                  fmt::format("{} steps behind the prompt, and all in one run", steps_), result);
}

/// Runs the step for those behind it.
void StepCases::run_unwatched() {
  if (executors_.foreign != nullptr) executors_.foreign->begins(step_);
  by_host_->run();
  is_broken_ = false;
}

cases::CaseResult StepCases::verify_next(const VerifyOptions& options, cases::Observer& observer,
                                         const Earlier& earlier) {
  const ir::raw::FloatEnvironment own;
  ++step_.step;
  cases::CaseResult result;
  result.subject = cases::without_numbers(step_);
  result.mode = options.mode;
  result.settings = options.settings;
  result.judged_by = policy::judged_by(options.gate);
  const cases::Identity identity = result.identity = cases::identity_of(result.subject, result.mode, result.settings);
  is_broken_ = true;
  if (std::optional<cases::CaseResult> known = earlier ? earlier(result) : std::nullopt) {
    carry_out(step_.name, *known, [&] {
      if (!by_host_) begin();
      feed_step();
      run_unwatched();
    });
    return std::move(*known);
  }
  carry_out(step_.name, result, [&] {
    if (!by_host_) begin();
    feed_step();
    result = verify(step_, executors_, options, observer);
    run_unwatched();
    hold_to_resident(result);
    if (options.metamorphic && step_.step == steps_) hold_to_whole(result);
  });
  result.identity = identity;
  result.uuid = cases::new_uuid();
  return result;
}

}  // namespace plumb::parity::verify
