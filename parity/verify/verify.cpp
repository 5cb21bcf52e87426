#include "parity/verify/verify.hpp"

#include "parity/relations/metamorphic.hpp"
#include "parity/verify/case_run.hpp"
#include "parity/verify/must.hpp"

namespace plumb::parity::verify {

cases::CaseResult verify(const cases::Case& subject, const cases::Executors& executors, const VerifyOptions& options,
                         cases::Observer& observer) {
  if (executors.candidate == nullptr) throw ir::Unsupported(executors.why_not);
  observer.begins(subject);
  cases::CaseResult result = CaseRun(subject, executors, options, observer).finish();
  if (options.metamorphic && !result.nodes.empty()) relations::add(subject, executors, options.filter, result);
  result.exit = core::exit_code(result.verdict);
  if (!subject.proofs.empty()) result.notes.push_back(core::to_text(subject.proofs));
  if (result.verdict == core::Verdict::skipped) result.message = "no node was compared";
  hold_to_must(result);
  return result;
}

}  // namespace plumb::parity::verify
