#pragma once

#include "parity/cases/oracle_sample.hpp"
#include "parity/checks/samples/sample.hpp"
#include "parity/settle/subject.hpp"

namespace plumb::parity::checks::samples {

/// Holds the limits of a sample of output `k`, as the error model of its op makes them for the whole tensor, to the
/// terms of these elements (verdict.md V58), where the output is a sum by itself: λσ of the formula must be that of the
/// terms, on the mean over their orders, within what the formula is evaluated to. Adds to `found` how many elements
/// were asked and which of them have another limit. `bounded` is as it was evaluated: no element was settled yet.
void check_limits(const settle::Subject& subject, std::size_t k, const bounds::Bounded& bounded, Draws draws,
                  cases::OracleSample& found);

}  // namespace plumb::parity::checks::samples
