#pragma once

#include "parity/cases/executors.hpp"
#include "parity/cases/node_result.hpp"

namespace plumb::parity::checks::relations {

/// Holds the logits of a decoder's last step, the first result of its case, to those that the prompt's graph gives of
/// all tokens in one run, and adds what it found to the result of the step. `whole` is that run's case, whose first
/// result they are. Both compute the same rows by the same ops, so that each may be as far from the truth as the limits
/// of that run say, those of sign runs over the whole graph (verdict.md V44, V46). `how` names both.
void add_decoding(const cases::Case& whole, const ir::Tensor& logits, const cases::Executors& executors,
                  const std::string& how, cases::CaseResult& step);

}  // namespace plumb::parity::checks::relations
