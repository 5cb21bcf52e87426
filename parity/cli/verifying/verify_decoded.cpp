// --decode of `plumb verify`: the prompt and each step behind it are a case each, and one table shows all.
#include "parity/cli/verifying/verify_run.hpp"
#include "parity/report/progress.hpp"
#include "parity/report/steps.hpp"
#include "parity/verify/shared_case.hpp"
#include "parity/verify/steps.hpp"

namespace plumb::parity::cli {

/// A prompt and its steps, until one could not be run; false when the run is to stop.
bool VerifyRun::run_decoded(const Batch& batch, const std::string& path, Judging& judging,
                            results::Recorder* recorder) {
  const std::int64_t steps = batch.flags.graph.model.gguf.decode;
  const std::size_t first = results_.size();
  report::Progress progress;
  std::vector<cases::Observer*> observers = {&progress};
  if (recorder != nullptr) observers.push_back(recorder);
  cases::Observers all(std::move(observers));
  const auto take = [&](cases::CaseResult made) {
    if (!is_taken_) policy::excuse_device_fault(judging.options.gate, made);
    if (!flags_.counts.empty()) counts_.add(made);
    record(std::move(made), recorder);
  };
  const auto goes_on = [&] {
    const cases::CaseResult& last = results_.back();
    return !last.nodes.empty() && !(flags_.fail_fast && core::is_failure(last.exit));
  };
  verify::LoadedCase loaded = verify::load_file(path, batch.fill, judging.executors, judging.options, all);
  const std::shared_ptr<verify::SharedCase> prompt = loaded.shared;
  take(result_of(judging, path, batch.fill, std::move(loaded), all, recorder));
  if (goes_on()) {
    const auto whole = [&](const ir::Tensor& tokens) {
      return verify::load_case(path, flags::prompt_options(batch.flags.graph, batch.fill, tokens));
    };
    verify::StepCases cases(*prompt->subject,
                            verify::load_case(path, flags::step_options(batch.flags.graph, batch.fill)),
                            judging.executors, steps, whole);
    const auto earlier = [&](cases::CaseResult& named) { return earlier_of_case(named, recorder); };
    while (!cases.is_over() && goes_on()) take(cases.verify_next(judging.options, all, earlier));
  }
  progress.erase();
  const std::span<const cases::CaseResult> done = std::span(results_).subspan(first);
  leave_out(batch.runs() - done.size(), recorder);
  report(*judging.candidate, report::of_all_steps(done), false, report::Times::of_first_run);
  return !(flags_.fail_fast && core::is_failure(done.back().exit));
}

}  // namespace plumb::parity::cli
