// Adds up weights as kernels of attention do, which scale their sums whenever the largest score so far has risen.
#include "parity/profile/running_sum.hpp"

#include "parity/sums/tree.hpp"

namespace plumb::parity::profile {

std::optional<RunningSum> RunningSum::of(const ir::Sum& sum, std::int64_t block, Subnormals subnormals) {
  Levels levels = sum.levels;
  if (levels.empty() || sum.accumulator != ir::DType::f32) return std::nullopt;
  const Products plain = plain_products(false, subnormals);
  if (levels[0].count == 0) {
    std::size_t lanes = 1;
    for (std::size_t i = 1; i < levels.size(); ++i) {
      if (levels[i].count <= 0) return std::nullopt;
      lanes *= static_cast<std::size_t>(levels[i].count);
      if (levels[i].join == ir::SumJoin::unit) levels[i].join = ir::SumJoin::pair;
    }
    levels[0].count = 1;  // a lane has one number in the end
    return RunningSum(ProductEmulator(plain, levels), lanes);
  }
  const std::size_t last = levels.size() - 1;
  if (levels[last] != ir::SumLevel{} || sums::capacity_of(levels, last) != block) return std::nullopt;
  levels.pop_back();
  return RunningSum(ProductEmulator(plain, levels), 0);
}

void RunningSum::take(float rescale, std::span<const float> terms) {
  for (float& part : parts_) part = emulator_.kept(part * rescale);
  if (!keeps_lanes_) return void(parts_[0] = emulator_.kept(parts_[0] + added_up(terms)));
  for (std::size_t k = 0; k < terms.size(); ++k) {
    float& part = parts_[k % parts_.size()];
    part = emulator_.kept(part + terms[k]);
  }
}

float RunningSum::total() const { return keeps_lanes_ ? added_up(parts_) : parts_[0]; }

float RunningSum::added_up(std::span<const float> terms) const {
  return emulator_.dot(terms, std::vector<float>(terms.size(), 1.0F));
}

}  // namespace plumb::parity::profile
