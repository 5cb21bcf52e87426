#include "ir/kernels/window.hpp"

#include <algorithm>

namespace plumb::ir::kernels {
namespace {

/// The i of [0, count) with low <= start + i * step < high.
IndexRange steps_within(std::int64_t start, std::int64_t step, std::int64_t count, std::int64_t low,
                        std::int64_t high) {
  const auto first_from = [&](std::int64_t limit) {
    return std::clamp<std::int64_t>(start >= limit ? 0 : (limit - start - 1) / step + 1, 0, count);
  };
  const std::int64_t begin = first_from(low);
  return {begin, std::max(begin, first_from(high))};
}

void check_length(const std::vector<std::int64_t>& list, std::size_t wanted, const char* name) {
  require(list.empty() || list.size() == wanted, name, " must have ", wanted, " entries or none, got ", list.size());
}

}  // namespace

IndexRange Window::taps_within(std::int64_t o, std::int64_t low, std::int64_t high) const {
  return steps_within(o * stride - pad_begin, dilation, kernel, low, high);
}

IndexRange Window::positions_inside(std::int64_t t, std::int64_t count) const {
  return steps_within(t * dilation - pad_begin, stride, count, 0, extent);
}

std::vector<Window> windows(const Shape& image, std::span<const std::int64_t> kernel,
                            const std::vector<std::int64_t>& strides, const std::vector<std::int64_t>& dilations,
                            const std::vector<std::int64_t>& pads) {
  const std::size_t rank = kernel.size();
  require(image.size() == rank + 2, "image ", image, " for a kernel of ", rank, " spatial axes");
  check_length(strides, rank, "strides");
  check_length(dilations, rank, "dilations");
  check_length(pads, 2 * rank, "pads");
  std::vector<Window> axes(rank);
  for (std::size_t i = 0; i < rank; ++i) {
    axes[i].extent = image[i + 2];
    axes[i].kernel = kernel[i];
    if (!strides.empty()) axes[i].stride = strides[i];
    if (!dilations.empty()) axes[i].dilation = dilations[i];
    if (!pads.empty()) {
      axes[i].pad_begin = pads[i];
      axes[i].pad_end = pads[i + rank];
    }
  }
  return axes;
}

}  // namespace plumb::ir::kernels
