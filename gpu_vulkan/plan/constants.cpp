// Specialization constants by name: joined, looked up and changed; what a pipeline gets are their values in order.
#include "gpu_vulkan/plan/constants.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace plumb::gpu_vulkan::plan {

Constants Constants::then(const Constants& own) const {
  Constants both = *this;
  both.all_.insert(both.all_.end(), own.all_.begin(), own.all_.end());
  return both;
}

std::uint32_t Constants::operator[](std::string_view name) const {
  const auto found = std::ranges::find(all_, name, &Constant::name);
  if (found == all_.end()) throw std::out_of_range("no specialization constant is called " + std::string(name));
  return found->value();
}

void Constants::set(std::string_view name, std::uint32_t value) {
  for (Constant& constant : all_)
    if (constant.name_ == name) constant.value_ = value;
}

std::vector<std::uint32_t> Constants::values() const {
  std::vector<std::uint32_t> values;
  for (const Constant& constant : all_) values.push_back(constant.value());
  return values;
}

}  // namespace plumb::gpu_vulkan::plan
