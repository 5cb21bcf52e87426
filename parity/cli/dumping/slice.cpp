// Reads what a user wants of a tensor, and copies it.
#include "parity/cli/dumping/slice.hpp"

#include <charconv>
#include <cstring>

namespace plumb::parity::cli {
namespace {

std::optional<std::int64_t> number_of(std::string_view text, std::string_view given) {
  if (text.empty()) return std::nullopt;
  std::int64_t number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  ir::require(problem == std::errc() && end == text.data() + text.size(), "--slice wants NAME[0,:,3:7], got '", given,
              "': '", text, "' is no whole number");
  return number;
}

AxisSlice axis_of(std::string_view text, std::string_view given) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  const auto colon = text.find(':');
  if (colon == std::string_view::npos) {
    const auto index = number_of(text, given);
    ir::require(index.has_value(), "--slice wants NAME[0,:,3:7], got '", given, "', in which an axis has no part");
    return {.begin = index, .is_index = true};
  }
  return {.begin = number_of(text.substr(0, colon), given), .end = number_of(text.substr(colon + 1), given)};
}

/// The elements of an axis that are taken.
struct Taken {
  std::int64_t first = 0, count = 0;
};

Taken taken_of(const AxisSlice& wanted, std::int64_t extent, std::size_t axis, const Slice& slice) {
  const auto from_end = [&](std::int64_t k) { return k < 0 ? k + extent : k; };
  std::int64_t first = 0, end = extent;
  if (wanted.begin) first = from_end(*wanted.begin);
  if (wanted.end) end = from_end(*wanted.end);
  if (wanted.is_index) end = first + 1;
  ir::require(0 <= first && first < end && end <= extent, "--slice ", slice.name, slice.text, ": axis ", axis, " has ",
              extent, " elements, and no such part");
  return {.first = first, .count = end - first};
}

}  // namespace

Slice parse_slice(std::string_view given) {
  const auto open = given.rfind('[');
  ir::require(open != std::string_view::npos && open > 0 && given.ends_with(']') && given.size() > open + 2,
              "--slice wants NAME[0,:,3:7], got '", given, "'");
  Slice made{.name = std::string(given.substr(0, open)), .text = std::string(given.substr(open))};
  std::string_view rest = given.substr(open + 1, given.size() - open - 2);
  for (bool is_last = false; !is_last;) {
    const auto comma = rest.find(',');
    is_last = comma == std::string_view::npos;
    made.axes.push_back(axis_of(rest.substr(0, comma), given));
    if (!is_last) rest.remove_prefix(comma + 1);
  }
  return made;
}

ir::Tensor sliced(const ir::TensorView& x, const Slice& slice) {
  ir::require(slice.axes.size() <= x.shape().size(), "--slice ", slice.name, slice.text, " has ", slice.axes.size(),
              " axes, and the tensor is ", x.type());
  std::vector<Taken> parts;
  const AxisSlice whole;
  ir::TensorType type{x.dtype(), {}};
  std::int64_t count = 1;
  for (std::size_t axis = 0; axis < x.shape().size(); ++axis) {
    const AxisSlice& wanted = axis < slice.axes.size() ? slice.axes[axis] : whole;
    parts.push_back(taken_of(wanted, x.shape()[axis], axis, slice));
    if (!wanted.is_index) type.shape.push_back(parts.back().count);
    count *= parts.back().count;
  }
  const auto strides = x.shape().strides();
  const std::size_t size = ir::info(x.dtype()).bytes;
  ir::Tensor made(type);
  std::vector<std::int64_t> at(parts.size(), 0);
  for (std::int64_t k = 0; k < count; ++k) {
    std::int64_t from = 0;
    for (std::size_t axis = 0; axis < parts.size(); ++axis) from += (parts[axis].first + at[axis]) * strides[axis];
    std::memcpy(made.bytes().data() + static_cast<std::size_t>(k) * size,
                x.bytes().data() + static_cast<std::size_t>(from) * size, size);
    for (std::size_t axis = parts.size(); axis-- > 0;) {
      if (++at[axis] < parts[axis].count) break;
      at[axis] = 0;
    }
  }
  return made;
}

}  // namespace plumb::parity::cli
