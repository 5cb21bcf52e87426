#pragma once

#include "parity/cases/oracle_sample.hpp"
#include "parity/checks/samples/program_check.hpp"
#include "parity/checks/samples/sample.hpp"
#include "parity/settle/subject.hpp"

namespace plumb::parity::checks::samples {

/// How much is asked of an output.
struct OracleEffort {
  std::size_t drawn = 31;                           ///< elements at random, and as many that tell
  double least_work = 0x1p10, most_work = 0x1p18;   ///< elements that may be looked at for them
  ProgramEffort programs = ProgramEffort::in_runs;  ///< how limits of composed ops are held to steps of elements
};

/// Evaluates a sample of output `k` again by the definitions of its ops, on what the segment was fed, and compares the
/// truth with it (verdict.md V57): the first element, the last and those that are drawn, half of them among those
/// that are not small beside their limits. An element is bad where the truth differs by more than an evaluation in f64
/// may be off. How much may be looked at is bounded by the work of the ops (docs/truth.md), so that less is asked of
/// elements that are made of many others; nothing of one that alone costs more. Limits of sums are held to the terms of
/// the elements (limit_check.hpp), for which `bounded` has to be as it was evaluated.
cases::OracleSample ask_oracles(const settle::Subject& subject, std::size_t k, const bounds::Bounded& bounded,
                                Draws draws, const OracleEffort& effort = {});

}  // namespace plumb::parity::checks::samples
