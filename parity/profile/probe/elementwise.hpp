#pragma once

#include <optional>

#include "parity/profile/probe/inquiry.hpp"
#include "parity/profile/profile.hpp"

namespace plumb::parity::profile::probe {

/// The handling of subnormal operands and results in products of two numbers. Nothing when the
/// executor cannot multiply this dtype, or only on the host in place of the device.
std::unique_ptr<Finding<SubnormalHandling>> inquire_subnormals(bool is_host, ir::DType dtype);
std::optional<SubnormalHandling> probe_subnormals(ir::Executor& executor, bool is_host, ir::DType dtype);

/// How often the op fma rounds; nothing as above.
std::unique_ptr<Finding<FmaHandling>> inquire_fma(bool is_host, ir::DType dtype);
std::optional<FmaHandling> probe_fma(ir::Executor& executor, bool is_host, ir::DType dtype);

}  // namespace plumb::parity::profile::probe
