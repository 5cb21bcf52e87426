#pragma once

#include "parity/cases/replay_sample.hpp"
#include "parity/checks/samples/sample.hpp"
#include "parity/settle/subject.hpp"

namespace plumb::parity::checks::samples {

/// Adds 8 to 64 elements of output `k` again as its kernel says that it adds, whatever their errors, and compares every
/// bit (verdict.md V22). Those can be asked that are a bare sum with nothing but storage behind it, whose truth and
/// result are finite and whose terms no device may take for 0.
cases::ReplaySample replay_sample(const settle::Subject& subject, std::size_t k, const ir::Tensor& truth,
                                  const ir::TensorView& got, Draws draws);

/// Whether elements whose limits are too wide to say something say it by their replays (verdict.md V39): 64 of them, or
/// as many as have 2^22 terms together, or all of fewer, are bit for bit what the kernel's own order gives, and not all
/// of them are 0.
bool replays_tell(const settle::Subject& subject, std::size_t k, const ir::Tensor& truth, const ir::TensorView& got,
                  Draws draws);

}  // namespace plumb::parity::checks::samples
