#include "parity/verify.hpp"

#include "parity/case_run.hpp"
#include "parity/relations/metamorphic.hpp"

namespace plumb::parity {

CaseResult verify(const Case& subject, const Executors& executors, const VerifyOptions& options, Observer& observer) {
  if (executors.candidate == nullptr) throw ir::Unsupported(executors.why_not);
  observer.begins(subject);
  CaseResult result = CaseRun(subject, executors, options, observer).finish();
  if (options.metamorphic && !result.nodes.empty()) relations::add(subject, executors, options.filter, result);
  result.exit = exit_code(result.verdict);
  if (!subject.proofs.empty()) result.notes.push_back(to_text(subject.proofs));
  if (result.verdict == Verdict::skipped) result.message = "no node was compared";
  if (subject.file->must == ir::Must::fail && result.verdict == Verdict::passed)
    result.notes.push_back("the file says that it must fail, and nothing failed");
  return result;
}

}  // namespace plumb::parity
