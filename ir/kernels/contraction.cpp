// Labelled axes of strided tensors, and which labels of a product are batch, rows, columns or summed.
#include "ir/kernels/contraction.hpp"

#include <algorithm>

namespace plumb::ir::kernels {

bool Labelled::has(Label label) const { return contains(labels, label); }

std::int64_t Labelled::extent(Label label) const {
  const auto found = std::ranges::find(labels, label);
  return found == labels.end() ? 1 : extents[static_cast<std::size_t>(found - labels.begin())];
}

std::int64_t Labelled::stride(Label label) const {
  const auto found = std::ranges::find(labels, label);
  return found == labels.end() ? 0 : strides[static_cast<std::size_t>(found - labels.begin())];
}

Shape Labelled::extents_of(const Labels& some) const {
  Shape shape;
  for (const Label label : some) shape.push_back(extent(label));
  return shape;
}

void Labelled::add(Label label, std::int64_t extent, std::int64_t stride) {
  if (extent == 1) return;
  const auto found = std::ranges::find(labels, label);
  if (found != labels.end()) {
    strides[static_cast<std::size_t>(found - labels.begin())] += stride;
    return;
  }
  labels.push_back(label);
  extents.push_back(extent);
  strides.push_back(stride);
}

StridedCopy Labelled::arranged(DType dtype, const Labels& to) const {
  std::vector<std::int64_t> from;
  for (const Label label : to) from.push_back(stride(label));
  return read_strided(dtype, extents_of(to), from);
}

Labelled dense(const Labels& labels, const Shape& extents) {
  Labelled made;
  const auto strides = extents.strides();
  for (std::size_t k = 0; k < labels.size(); ++k) made.add(labels[k], extents[k], strides[k]);
  return made;
}

Contraction::Contraction(const Labelled& a, const Labelled& b, const Labels& y) {
  for (const Label label : y) (!b.has(label) ? rows : a.has(label) ? batch : columns).push_back(label);
  for (const Label label : a.labels)
    if (!contains(y, label)) summed.push_back(label);
}

Labels Contraction::result() const {
  Labels all = batch;
  all.insert(all.end(), rows.begin(), rows.end());
  all.insert(all.end(), columns.begin(), columns.end());
  return all;
}

}  // namespace plumb::ir::kernels
