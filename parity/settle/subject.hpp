// Who asks about an output that is judged, and of what.
#pragma once

#include <memory>
#include <optional>

#include "parity/bounds/bounded.hpp"
#include "parity/compare/ratio_map.hpp"

namespace plumb::parity::settle {

struct Summing;

/// The sums that a segment is, once somebody asked for them.
struct BareSum {
  bool was_asked = false;
  std::shared_ptr<const Summing> found = {};
};

/// An output of a segment that is judged, and who evaluates its truth. One thread at a time looks at it.
struct Subject {
  ir::Executor& reference;
  const core::Segment& segment;
  std::span<const ir::TensorView> inputs;  ///< the feeds of the segment, in the candidate's dtypes
  std::span<const ir::Sum> sums;           ///< as the kernel published them
  const bounds::Manner& manner;
  const ir::Feeds* widened = nullptr;  ///< the inputs in reference precision, by name, where a caller has them
  bool makes_maps = false;             ///< maps of ratios, of each output that is compared
  std::shared_ptr<BareSum> bare_sum = std::make_shared<BareSum>();
};

/// The matrices that the map of output `k` is about, m and n of the product that its kernel makes: of convolutions
/// channels and pixels, else the last two axes. Nothing where no map is made.
std::optional<compare::MapExtents> map_extents(const Subject& subject, std::size_t k);
compare::MapExtents map_extents(const ir::Graph& graph, ir::Value value);

}  // namespace plumb::parity::settle
