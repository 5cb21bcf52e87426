#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "parity/power/faults/site.hpp"

namespace plumb::parity::power::faults {

/// One way to be wrong. What it gives is rounded to the output's dtype and judged as a device's
/// result would be.
struct Fault {
  std::string_view name;
  std::string_view summary;  ///< what goes wrong, for people
  std::string_view where;    ///< the ops and dtypes it applies to, for people
  /// Whether no correct implementation comes as far from the truth, so that a verdict has to see it.
  /// The contract allows some of the other faults, on some data.
  bool required;
  /// The output with the fault; nothing where it does not apply.
  std::optional<Numbers> (*plant)(const Site& site);
};

/// The families, a file each.
std::span<const Fault> faults_of_values();
std::span<const Fault> faults_of_layout();
std::span<const Fault> faults_of_rounding();
std::span<const Fault> faults_of_memory();
std::span<const Fault> faults_of_sums();
std::span<const Fault> faults_of_lines();
std::span<const Fault> faults_of_operands();
std::span<const Fault> faults_of_attributes();

/// All of them, by family; and those of the computation: of sums, lines, operands, attributes.
std::span<const Fault> all_faults();
std::span<const Fault> faults_of_computation();

/// The output with a share of the fault: got + share (faulty - got), rounded to the dtype. A share of
/// 1 is the fault itself. Where either is not finite the fault cannot be had in part.
ir::Tensor planted(const Site& site, const Numbers& faulty, double share = 1);

/// Every fault for people, one a line.
std::string fault_list();

}  // namespace plumb::parity::power::faults
