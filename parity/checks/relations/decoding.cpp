// The relation `decoding`: a prompt and steps give what one run of all tokens does.
#include "parity/checks/relations/decoding.hpp"

#include "parity/bounds/error_model.hpp"
#include "parity/checks/relations/whole_run.hpp"

namespace plumb::parity::checks::relations {

void add_decoding(const cases::Case& whole, const ir::Tensor& logits, const cases::Executors& executors,
                  const std::string& how, cases::CaseResult& step) {
  const ir::Graph& of_step = step.subject.file->graph;
  const ir::Value stepped = of_step.results().front(), at_once = whole.file->graph.results().front();
  cases::RelationResult found{*of_step.producer(stepped), of_step.name(stepped), cases::Relation::decoding, how};
  const double lambda = step.false_alarms.lambda();
  try {
    const WholeRun run = whole_run_of(whole, executors, lambda);
    const Limited own = limits_of(run, at_once, run.results.at(at_once), lambda);
    hold_within(run.results.at(at_once), logits, both(own, limits_of(run, at_once, logits, lambda)), found);
  } catch (const bounds::NoModel& lack) {
    found.verdict = core::Verdict::error;
    found.why = lack.what();
  }
  if (core::is_worse(found.verdict, step.verdict)) {
    step.verdict = found.verdict;
    step.exit = core::exit_code(step.verdict);
  }
  step.relations.push_back(std::move(found));
}

}  // namespace plumb::parity::checks::relations
