// Operators whose results have shapes that depend on values: read where those are known while the model is read.

#include <algorithm>
#include <numeric>

#include "ir/formats/onnx/node_reader.hpp"
#include "ir/ops/gather.hpp"

namespace plumb::ir::from_onnx {
namespace {

using Indices = std::vector<std::int64_t>;

Ref gathered(NodeReader& node, Ref x, std::size_t axis, const Indices& indices) {
  return node.add(ops::Gather{static_cast<std::int64_t>(axis)}, {x, node.constant(indices)});
}

/// Positions in row-major order of what is not 0 (NaN included).
Indices places_of(const Tensor& x) {
  const Tensor truth = convert(x, DType::boolean);
  const auto values = truth.as<bool>();
  Indices places;
  for (std::size_t i = 0; i < values.size(); ++i)
    if (values[i]) places.push_back(static_cast<std::int64_t>(i));
  return places;
}

/// One row of positions for each axis of x; of a number of rank 0 there are none, however many columns.
void non_zero(NodeReader& node) {
  const Tensor& x = node.known(0, "what NonZero looks at");
  const Indices places = places_of(x);
  const Shape& shape = x.shape();
  const auto strides = shape.strides();
  const TensorType type{DType::i64, {shape.rank(), static_cast<std::int64_t>(places.size())}};
  node.take(type);
  Tensor found(type);
  const auto to = found.as<std::int64_t>();
  for (std::size_t axis = 0; axis < shape.size(); ++axis)
    for (std::size_t k = 0; k < places.size(); ++k)
      to[axis * places.size() + k] = places[k] / strides[axis] % shape[axis];
  node.out(0, node.constant(std::move(found)));
}

/// x, or its elements in a row where no axis is named, and the axis that is looked along.
std::pair<Ref, std::size_t> along(NodeReader& node, Ref x) {
  const Shape& shape = node.shape(x);
  if (node.attribute("axis") == nullptr) return {node.reshape(x, {shape.elements()}), 0};
  return {x, shape.axis(node.integer("axis"))};
}

void compress(NodeReader& node) {
  const auto [x, axis] = along(node, node.in(0));
  const Tensor& condition = node.known(1, "the condition of Compress");
  const auto extent = node.shape(x)[axis];
  require(condition.shape().rank() == 1 && condition.elements() <= extent, "the condition is ", condition.type(),
          " for ", extent, " elements");
  node.out(0, gathered(node, x, axis, places_of(condition)));
}

/// The slices of a tensor along an axis, compared element by element.
template <class T>
class Slices {
 public:
  Slices(const Tensor& x, std::size_t axis) : values_(x.as<T>()) {
    const Shape& shape = x.shape();
    count_ = shape[axis];
    for (std::size_t k = axis + 1; k < shape.size(); ++k) inner_ *= shape[k];
    outer_ = count_ == 0 || inner_ == 0 ? 0 : shape.elements() / count_ / inner_;
  }

  std::int64_t count() const { return count_; }
  /// Negative, 0 or positive as slice a is before, like or behind slice b. NaN is behind all numbers, and like itself.
  int compare(std::int64_t a, std::int64_t b) const {
    for (std::int64_t o = 0; o < outer_; ++o)
      for (std::int64_t i = 0; i < inner_; ++i) {
        const T x = at(o, a, i), y = at(o, b, i);
        if (x < y || (x == x && y != y)) return -1;
        if (y < x || (x != x && y == y)) return 1;
      }
    return 0;
  }

 private:
  T at(std::int64_t outer, std::int64_t slice, std::int64_t inner) const {
    return values_[static_cast<std::size_t>((outer * count_ + slice) * inner_ + inner)];
  }

  std::span<const T> values_;
  std::int64_t count_ = 0, inner_ = 1, outer_ = 0;
};

/// The index outputs of Unique: the first slice of each group of equal ones, the group of each slice, group sizes.
struct Found {
  Indices first, inverse, counts;
};

template <class T>
Found find_unique(const Tensor& x, std::size_t axis, bool is_sorted) {
  const Slices<T> slices(x, axis);
  Indices order(static_cast<std::size_t>(slices.count()));
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, [&](auto a, auto b) { return slices.compare(a, b) < 0; });
  std::vector<Indices> groups;  // Each holds equal slices in the order in which they occur.
  for (const auto slice : order) {
    if (groups.empty() || slices.compare(groups.back().front(), slice) != 0) groups.emplace_back();
    groups.back().push_back(slice);
  }
  if (!is_sorted) std::ranges::sort(groups, {}, [](const Indices& group) { return group.front(); });
  Found found{.first = {}, .inverse = Indices(order.size()), .counts = {}};
  for (std::size_t g = 0; g < groups.size(); ++g) {
    found.first.push_back(groups[g].front());
    found.counts.push_back(static_cast<std::int64_t>(groups[g].size()));
    for (const auto slice : groups[g]) found.inverse[static_cast<std::size_t>(slice)] = static_cast<std::int64_t>(g);
  }
  return found;
}

void unique(NodeReader& node) {
  const auto [x, axis] = along(node, node.in(0));
  const Tensor* known = node.value(x);
  if (known == nullptr) known = &node.known(0, "what Unique looks at");
  if (is_complex(known->dtype())) NodeReader::unsupported("orders complex numbers");
  const bool is_sorted = node.integer("sorted", 1) != 0;
  Tensor wide = convert(*known, is_float(known->dtype()) ? DType::f64 : DType::i64);  // every number stays itself
  if (wide.shape() != node.shape(x)) {
    Tensor row({wide.dtype(), node.shape(x)});
    std::ranges::copy(wide.bytes(), row.bytes().begin());
    wide = std::move(row);
  }
  const Found found = wide.dtype() == DType::f64 ? find_unique<double>(wide, axis, is_sorted)
                                                 : find_unique<std::int64_t>(wide, axis, is_sorted);
  node.out(0, gathered(node, x, axis, found.first));
  node.out(1, node.constant(found.first));
  node.out(2, node.constant(found.inverse));
  node.out(3, node.constant(found.counts));
}

/// A box by its corners.
struct Box {
  double low_y, low_x, high_y, high_x;

  double area() const { return (high_y - low_y) * (high_x - low_x); }
};

Box box_of(std::span<const double> b, bool is_centred) {
  if (is_centred) return {b[1] - b[3] / 2, b[0] - b[2] / 2, b[1] + b[3] / 2, b[0] + b[2] / 2};
  return {std::min(b[0], b[2]), std::min(b[1], b[3]), std::max(b[0], b[2]), std::max(b[1], b[3])};
}

/// The share of two boxes that they have in common; 0 where one has no area.
double overlap(const Box& a, const Box& b) {
  const double height = std::min(a.high_y, b.high_y) - std::max(a.low_y, b.low_y);
  const double width = std::min(a.high_x, b.high_x) - std::max(a.low_x, b.low_x);
  if (height <= 0 || width <= 0 || a.area() <= 0 || b.area() <= 0) return 0;
  return height * width / (a.area() + b.area() - height * width);
}

struct Suppression {
  std::int64_t most = 0;
  double overlap = 0;
  std::optional<double> score = {};
};

/// The boxes that are kept, by falling scores, each the first of those that it overlaps too much.
Indices kept(std::span<const double> scores, std::span<const Box> boxes, const Suppression& limits) {
  Indices order;
  for (std::size_t i = 0; i < scores.size(); ++i)
    if (!limits.score || scores[i] > *limits.score) order.push_back(static_cast<std::int64_t>(i));
  std::ranges::stable_sort(order, std::ranges::greater{}, [&](auto i) { return scores[static_cast<std::size_t>(i)]; });
  Indices chosen;
  for (const auto i : order) {
    if (static_cast<std::int64_t>(chosen.size()) >= limits.most) break;
    const Box& box = boxes[static_cast<std::size_t>(i)];
    const auto covers = [&](auto k) { return overlap(boxes[static_cast<std::size_t>(k)], box) > limits.overlap; };
    if (std::ranges::none_of(chosen, covers)) chosen.push_back(i);
  }
  return chosen;
}

void non_max_suppression(NodeReader& node) {
  const Tensor boxes = convert(node.known(0, "boxes"), DType::f64),
               scores = convert(node.known(1, "scores"), DType::f64);
  const Shape &b = boxes.shape(), &s = scores.shape();
  require(b.rank() == 3 && b[2] == 4 && s.rank() == 3 && s[0] == b[0] && s[2] == b[1],
          "boxes must be [batch, n, 4] and scores [batch, classes, n], got ", b, " and ", s);
  const auto number = [&](std::size_t i, std::string_view what) { return node.known_reals(i, what).at(0); };
  Suppression limits;
  if (node.has(2)) limits.most = node.known_ints(2, "max_output_boxes_per_class").at(0);
  if (node.has(3)) limits.overlap = number(3, "iou_threshold");
  if (node.has(4)) limits.score = number(4, "score_threshold");
  const bool is_centred = node.integer("center_point_box", 0) != 0;
  const auto n = static_cast<std::size_t>(b[1]);
  Indices rows;
  for (std::int64_t batch = 0; batch < b[0]; ++batch) {
    std::vector<Box> all;
    for (std::size_t i = 0; i < n; ++i)
      all.push_back(box_of(boxes.as<double>().subspan((static_cast<std::size_t>(batch) * n + i) * 4, 4), is_centred));
    for (std::int64_t c = 0; c < s[1]; ++c)
      for (const auto i :
           kept(scores.as<double>().subspan(static_cast<std::size_t>(batch * s[1] + c) * n, n), all, limits))
        rows.insert(rows.end(), {batch, c, i});
  }
  node.out(0, node.constant(Tensor::of<std::int64_t>({static_cast<std::int64_t>(rows.size() / 3), 3}, rows)));
}

}  // namespace

std::span<const Converter> known_values_converters() {
  static constexpr Converter table[] = {
      {"Compress", compress},
      {"NonMaxSuppression", non_max_suppression},
      {"NonZero", non_zero},
      {"Unique", unique},
  };
  return table;
}

}  // namespace plumb::ir::from_onnx
