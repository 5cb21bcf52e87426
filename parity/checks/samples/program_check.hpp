#pragma once

#include "parity/cases/oracle_sample.hpp"
#include "parity/checks/samples/sample.hpp"
#include "parity/settle/subject.hpp"

namespace plumb::parity::checks::samples {

/// How limits are held to programs. In runs few elements are asked, and all of them have to disagree, by more than a
/// factor of two, or of four where limits are too large: what formulas know of data that are extremes is no fault. Of
/// fixtures each element is asked by itself.
enum class ProgramEffort { in_runs, of_each };

/// As check_limits(), of ops that are made of sums and functions of them, such as softmax, norms and attention: limits
/// of a sample of output `k` are held to those that the roundings of the steps of their element programs give
/// (verdict.md V58). A limit that is less, or more than some times as large, is a bad one. Only ops are asked whose
/// element programs name their sums, and of recurrences the first step. `bounded` has the limits of whole tensors or,
/// of outputs that are judged together, those of their judge.
void check_program_limits(const settle::Subject& subject, std::size_t k, const bounds::Bounded& bounded, Draws draws,
                          ProgramEffort effort, cases::OracleSample& found);

}  // namespace plumb::parity::checks::samples
