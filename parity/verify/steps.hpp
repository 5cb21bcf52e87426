#pragma once

// The steps of a decoder behind its prompt, a case each.

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "ir/decoding.hpp"
#include "parity/verify/verify.hpp"

namespace plumb::parity::verify {

/// Verifies the steps of a decoder one after the other. Each is a case of the step's graph on the tokens and caches
/// that the candidate made before it; so a total is what goes wrong in that step, on what the candidate had.
///
/// The candidate decodes all of it twice: by way of the host, which makes the inputs of cases, and in its own memory,
/// where caches are written in place. Both have the same bits (docs/spec/residency.md F): else the first step with
/// other ones fails.
class StepCases {
 public:
  /// A case of the prompt's graph for these tokens [B, N + M], all at once.
  using WholeCase = std::function<cases::Case(const ir::Tensor& tokens)>;

  /// `step`: a case of the step's graph with the same params as the prompt's case, whose inputs do not matter. `whole`
  /// is for the relation `decoding`, which --metamorphic asks for. Runs nothing yet.
  StepCases(const cases::Case& prompt, cases::Case step, const cases::Executors& executors, std::int64_t steps,
            WholeCase whole);

  /// The result of a case that was verified before; nothing where it was not. The case is given as it is named.
  using Earlier = std::function<std::optional<cases::CaseResult>(cases::CaseResult& named)>;

  /// Verifies the next step, or only runs it where it was verified before; what is thrown becomes the verdict of its
  /// case, behind which there is nothing to verify.
  cases::CaseResult verify_next(const VerifyOptions& options, cases::Observer& observer, const Earlier& earlier = {});
  bool is_over() const { return is_broken_ || step_.step == steps_; }

 private:
  void begin();
  void run_unwatched();
  ir::DecoderGraphs graphs() const { return {prompt_.file->graph, step_.file->graph}; }
  void feed_step();
  std::string other_row(const ir::Decoded& resident) const;
  std::string other_bits() const;
  void hold_to_resident(cases::CaseResult& result);
  void hold_to_whole(cases::CaseResult& result);

  const cases::Case& prompt_;
  cases::Case step_;
  std::shared_ptr<cases::Written> written_;  ///< that of step_, where it runs in another dtype
  const cases::Executors& executors_;
  const std::int64_t steps_;
  const WholeCase whole_;
  std::unique_ptr<ir::Executor> candidate_;
  std::optional<ir::DecodingByHost> by_host_;
  std::optional<ir::Decoded> resident_;  ///< none where the candidate keeps no tensors
  bool is_broken_ = false;
};

}  // namespace plumb::parity::verify
