#pragma once

#include "parity/profile/emulator.hpp"

namespace plumb::parity::profile {

/// The sum of a row's weights, block after block, which a running maximum scales between them.
class RunningSum {
 public:
  /// As the record says, for blocks of so many terms. Each block is added up and then joined to those before, or lanes
  /// keep their terms of all blocks to the end. Nothing where the record says something else. Lanes that meet by
  /// shuffles, or inside a unit, are joined as pairs.
  static std::optional<RunningSum> of(const ir::Sum& sum, std::int64_t block, Subnormals subnormals);

  /// Scales what there is by `rescale` and adds a block.
  void take(float rescale, std::span<const float> terms);
  float total() const;

 private:
  RunningSum(ProductEmulator emulator, std::size_t lanes)
      : emulator_(std::move(emulator)), keeps_lanes_(lanes > 0), parts_(std::max<std::size_t>(lanes, 1), 0.0F) {}
  float added_up(std::span<const float> terms) const;

  ProductEmulator emulator_;  ///< adds up a block or, where lanes keep their terms, the lanes
  bool keeps_lanes_;
  std::vector<float> parts_;
};

}  // namespace plumb::parity::profile
