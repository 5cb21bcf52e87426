// Index maps on the host: runs of a row are copied, repeated or filled, in parallel.
#include "ref_cpu/kernels/index_map.hpp"

#include <algorithm>
#include <array>

#include "ref_cpu/kernels/strided_copy.hpp"
#include "ref_cpu/parallel.hpp"

namespace plumb::ref_cpu::kernels {
namespace {

using ir::kernels::MapAxis;

constexpr std::int64_t mapped_chunk_bytes = 1 << 17;  // per parallel chunk

/// A map over elements of `width` bytes.
template <std::size_t width>
class MappedRows {
 public:
  MappedRows(const ir::kernels::IndexMap& map, const std::byte* x, const std::byte* fill, std::byte* y)
      : map_(map), row_(map.axes.back()), x_(x), fill_(fill), y_(y) {}

  /// Elements [begin, end) of y, which lie in one row.
  void make(std::int64_t begin, std::int64_t end) const {
    std::int64_t start = map_.from;
    const bool is_outside = !find_row(begin / row_.extent, start);
    for (std::int64_t j = begin % row_.extent; begin < end;) {
      const auto [at, step, length] = is_outside ? ir::kernels::MapRun{-1, 0, end} : run_at(row_, map_.beyond, j);
      ir::require(length > 0, "position ", j, " of an axis of ", row_.extent, " leads nowhere");  // or it never ends
      const std::int64_t count = std::min(length, end - begin);
      if (at < 0)
        repeat(fill_, begin, count);
      else
        copy(start + at * row_.stride, step, begin, count);
      begin += count;
      j += count;
    }
  }

 private:
  /// Where in x row number `line` of y starts; false when no element of it is from x.
  bool find_row(std::int64_t line, std::int64_t& start) const {
    for (std::size_t k = map_.axes.size() - 1; k-- > 0;) {
      const MapAxis& axis = map_.axes[k];
      const std::int64_t at = run_at(axis, map_.beyond, line % axis.extent).at;
      if (at < 0) return false;
      start += at * axis.stride;
      line /= axis.extent;
    }
    return true;
  }

  std::byte* at(std::int64_t i) const { return y_ + static_cast<std::size_t>(i) * width; }

  void repeat(const std::byte* element, std::int64_t begin, std::int64_t count) const {
    for (std::int64_t i = 0; i < count; ++i) std::memcpy(at(begin + i), element, width);
  }
  void copy(std::int64_t from, std::int64_t step, std::int64_t begin, std::int64_t count) const {
    const std::byte* first = x_ + static_cast<std::size_t>(from) * width;
    if (step == 0) return repeat(first, begin, count);
    if (step == 1 && row_.stride == 1)
      return static_cast<void>(std::memcpy(at(begin), first, static_cast<std::size_t>(count) * width));
    const std::int64_t apart = step * row_.stride * static_cast<std::int64_t>(width);
    for (std::int64_t i = 0; i < count; ++i) std::memcpy(at(begin + i), first + i * apart, width);
  }

  const ir::kernels::IndexMap& map_;
  MapAxis row_;
  const std::byte *x_, *fill_;
  std::byte* y_;
};

}  // namespace

PlannedMap::PlannedMap(const ir::kernels::IndexMap& given) : map(given.simplified()) {
  if (map.axes.empty()) map.axes.push_back({});
}

void index_map(const PlannedMap& plan, std::span<const std::byte> x, std::span<const std::byte> fill,
               std::span<std::byte> y) {
  const ir::kernels::IndexMap& map = plan.map;
  std::array<std::byte, 16> element{};  // as wide as the map's, the fill again and again
  if (!fill.empty())
    for (std::size_t i = 0; i < element.size(); ++i) element[i] = fill[i % fill.size()];
  with_width(map.width, [&]<std::size_t width>(std::integral_constant<std::size_t, width>) {
    const MappedRows<width> rows(map, x.data(), element.data(), y.data());
    const std::int64_t length = map.axes.back().extent;
    parallel_for(map.elements(), mapped_chunk_bytes / static_cast<std::int64_t>(width),
                 [&](std::int64_t begin, std::int64_t end) {
                   while (begin < end) {
                     const std::int64_t row_end = std::min(end, (begin / length + 1) * length);
                     rows.make(begin, row_end);
                     begin = row_end;
                   }
                 });
  });
}

}  // namespace plumb::ref_cpu::kernels
