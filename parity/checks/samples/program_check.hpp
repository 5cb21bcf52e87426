#pragma once

#include <cstdio>

#include "parity/cases/oracle_sample.hpp"
#include "parity/checks/samples/sample.hpp"
#include "parity/settle/subject.hpp"

namespace plumb::parity::checks::samples {

/// As check_limits(), of ops that are made of sums and functions of them, such as softmax, norms and attention: limits
/// of a sample of output `k` are held to those that the roundings of the steps of their element programs give
/// (verdict.md V58). A limit that is less, or more than some times as large, is a bad one. Only ops are asked whose
/// element programs name their sums.
void check_program_limits(const settle::Subject& subject, std::size_t k, const bounds::Bounded& bounded, Draws draws,
                          cases::OracleSample& found);

std::FILE* limits_file();

}  // namespace plumb::parity::checks::samples
