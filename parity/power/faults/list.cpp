// All faults in one list, and a fault planted at a share of its size.
#include <fmt/format.h>

#include <cmath>

#include "parity/power/faults/fault.hpp"

namespace plumb::parity::power::faults {

std::span<const Fault> all_faults() {
  static const std::vector<Fault> all = [] {
    std::vector<Fault> list;
    for (const auto family : {faults_of_values(), faults_of_layout(), faults_of_rounding(), faults_of_memory(),
                              faults_of_sums(), faults_of_lines(), faults_of_operands(), faults_of_attributes()})
      list.insert(list.end(), family.begin(), family.end());
    return list;
  }();
  return all;
}

std::span<const Fault> faults_of_computation() {
  const std::size_t others =
      faults_of_values().size() + faults_of_layout().size() + faults_of_rounding().size() + faults_of_memory().size();
  return all_faults().subspan(others);
}

ir::Tensor planted(const Site& site, const Numbers& faulty, double share) {
  if (share == 1) return tensor_of(site.type, faulty);
  Numbers part = site.got;
  for (std::size_t i = 0; i < part.size(); ++i)
    if (faulty[i] != part[i]) part[i] += share * (faulty[i] - part[i]);
  return tensor_of(site.type, part);
}

std::string fault_list() {
  std::string text;
  for (const Fault& fault : all_faults())
    text += fmt::format("{:<22} {}  {} ({})\n", fault.name, fault.required ? "required" : "        ", fault.summary,
                        fault.where);
  return text;
}

}  // namespace plumb::parity::power::faults
