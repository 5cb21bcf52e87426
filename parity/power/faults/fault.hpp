#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "parity/power/faults/site.hpp"

namespace plumb::parity::power::faults {

/// One way to be wrong. What it gives is rounded to the output's dtype and judged as a device's
/// result would be.
struct Fault {
  std::string_view name;
  std::string_view summary;  ///< the mistake, for people
  std::string_view where;    ///< the ops and dtypes it applies to, for people
  /// Whether no correct implementation comes as far from the truth. The contract allows some of the others, on some
  /// data. Which of them a verdict has to see is a matter of their effect alone (verdict.md V74).
  bool forbidden;
  /// The output with the fault; nothing where it does not apply.
  std::optional<Numbers> (*plant)(const Site& site);
};

/// The families, a file each.
std::span<const Fault> faults_of_values();
std::span<const Fault> faults_of_layout();
std::span<const Fault> faults_of_memory();
std::span<const Fault> faults_of_caches();
std::span<const Fault> faults_of_rounding();
std::span<const Fault> faults_of_precision();
std::span<const Fault> faults_of_sums();
std::span<const Fault> faults_of_partial_sums();
std::span<const Fault> faults_of_lines();
std::span<const Fault> faults_of_operands();
std::span<const Fault> faults_of_packed();
std::span<const Fault> faults_of_attributes();
std::span<const Fault> faults_of_attention();
std::span<const Fault> faults_of_epilogues();

/// All of them, by family; those that may be in a part of the output as well as in all of it, from roundings on; and of
/// these the ones of the computation, from precision on.
std::span<const Fault> all_faults();
std::span<const Fault> faults_of_results();
std::span<const Fault> faults_of_computation();
/// Whether it is one of faults_of_results().
bool may_be_in_part(const Fault& fault);

/// Where in the output a fault is (verdict.md V75).
enum class Place {
  whole,
  tile,  ///< one tile, as the kernel's record names it
  line,  ///< one row
};
constexpr auto enum_names(Place) { return std::array<std::string_view, 3>{"whole", "tile", "line"}; }

/// The fault in that place alone, what the candidate gave around it. Nothing where the place is the whole output, or
/// where the fault changes nothing in it.
std::optional<Numbers> placed(const Site& site, const Numbers& faulty, Place place);

/// The output with a share of the fault: got + share (faulty - got), rounded to the dtype. A share of
/// 1 is the fault itself. Where either is not finite the fault cannot be had in part.
ir::Tensor planted(const Site& site, const Numbers& faulty, double share = 1);

/// Every fault for people, one a line.
std::string fault_list();

}  // namespace plumb::parity::power::faults
