// Loops that several ops have alike.
#include "ir/kernels/op_loops.hpp"

#include <algorithm>
#include <cctype>
#include <set>

namespace plumb::ir::kernels {

Axis broadcast_axis(const Shape& x, std::size_t out, std::size_t rank) {
  if (out + x.size() < rank) return {};
  const std::size_t axis = out + x.size() - rank;
  return x[axis] == 1 ? Axis() : Axis(axis);
}

std::vector<Loop> elementwise(Types in, const Shape& out) {
  std::vector<Loop> loops;
  for (std::size_t axis = 0; axis < out.size(); ++axis) {
    loops.push_back({.out = axis});
    for (const TensorType& x : in) loops.back().in.push_back(broadcast_axis(x.shape, axis, out.size()));
  }
  return loops;
}

Loop along(Types in, std::size_t axis, std::vector<Axis> others) {
  Loop loop{.out = axis, .in = std::move(others)};
  loop.in.insert(loop.in.begin(), axis);
  loop.in.resize(in.size());
  return loop;
}

Loop summed(std::vector<Axis> in) {
  return {.in = std::move(in), .steps = Steps::unordered, .reduction = Reduction::sum};
}

Loop taps(std::vector<Axis> in, Axis out) {
  return {.out = out, .in = std::move(in), .steps = Steps::ordered, .reduction = Reduction::sum};
}

std::vector<Loop> lines(Types in, const std::vector<bool>& is_reduced, Reduction reduction) {
  std::vector<Loop> loops;
  for (std::size_t a = 0; a < is_reduced.size(); ++a) {
    loops.push_back(along(in, a));
    if (is_reduced[a]) {
      loops.back().steps = Steps::unordered;
      loops.back().reduction = reduction;
    }
  }
  return loops;
}

std::vector<Loop> lines(Types in, std::int64_t axis, Reduction reduction) {
  std::vector<bool> is_reduced(in[0].shape.size(), false);
  is_reduced[in[0].shape.axis(axis)] = true;
  return lines(in, is_reduced, reduction);
}

std::vector<Loop> ordered_lines(Types in, std::int64_t axis, Reduction reduction) {
  std::vector<Loop> loops = lines(in, axis, reduction);
  loops[in[0].shape.axis(axis)].steps = Steps::ordered;
  return loops;
}

std::vector<Loop> norm(Types in, std::size_t first) {
  std::vector<Loop> loops = elementwise(in, in[0].shape);
  for (std::size_t a = 0; a < loops.size(); ++a) {
    loops[a].in[0] = a;
    if (a >= first) {
      loops[a].steps = Steps::unordered;
      loops[a].reduction = Reduction::other;
    }
  }
  return loops;
}

Loops convolution(Types in, std::int64_t group, std::size_t filters, std::size_t terms) {
  Loops made{.operands = {linear_data, linear_factor, {.role = Role::addend}}};
  made.operands.resize(in.size());
  made.loops = {along(in, 0), {.out = 1, .in = {Axis(), filters}}};
  if (in.size() > 2) made.loops.back().in.push_back(0);
  if (group == 1) {
    made.loops.push_back(summed({1, terms}));
  } else {  // channels belong to their groups
    made.loops.back().steps = Steps::ordered;
    made.loops.push_back(taps({Axis(), terms}));
    made.loops.push_back(taps({1}, 1));
  }
  for (std::size_t a = 2; a < in[0].shape.size(); ++a) {
    made.loops.push_back(taps({a}, a));
    made.loops.push_back(taps({Axis(), a}));
  }
  return made;
}

namespace {

/// The letters of an equation, a string for each operand and one for the result. The axes of an ellipsis are numbered
/// from the last one, from 1 on, which is no letter.
std::vector<std::string> letters_of(std::string_view equation, Types in, std::size_t out_rank) {
  std::vector<std::string> terms(1);
  std::vector<std::size_t> ellipses = {std::string::npos};
  bool has_result = false;
  for (std::size_t i = 0; i < equation.size(); ++i) {
    const char c = equation[i];
    if (c == ',' || c == '-') {
      terms.emplace_back();
      ellipses.push_back(std::string::npos);
      has_result |= c == '-';
    } else if (c == '.' && ellipses.back() == std::string::npos) {
      ellipses.back() = terms.back().size();
    } else if (std::isalpha(static_cast<unsigned char>(c)) != 0) {
      terms.back() += c;
    }
  }
  if (!has_result) return {};
  for (std::size_t t = 0; t < terms.size(); ++t) {
    if (ellipses[t] == std::string::npos) continue;
    const std::size_t rank = t < in.size() ? in[t].shape.size() : out_rank;
    std::string axes;
    for (std::size_t left = rank - terms[t].size(); left > 0; --left) axes += static_cast<char>(left);
    terms[t].insert(ellipses[t], axes);
  }
  return terms;
}

}  // namespace

std::vector<Loop> einsum(std::string_view equation, Types in, std::size_t out_rank) {
  const std::vector<std::string> terms = letters_of(equation, in, out_rank);
  if (terms.size() != in.size() + 1) return {};
  std::set<char> letters, diagonals;
  for (const std::string& term : terms)
    for (const char letter : term)
      if (!letters.insert(letter).second && std::ranges::count(term, letter) > 1) diagonals.insert(letter);
  std::vector<Loop> loops;
  for (const char letter : letters) {
    if (diagonals.contains(letter)) continue;
    const auto axis = [letter](const std::string& term) {
      const std::size_t found = term.find(letter);
      return found == term.npos ? Axis() : Axis(found);
    };
    Loop loop = axis(terms.back()) ? Loop{.out = axis(terms.back())} : summed({});
    for (std::size_t i = 0; i < in.size(); ++i) {
      const Axis own = axis(terms[i]);
      loop.in.push_back(own && in[i].shape[*own] == 1 ? Axis() : own);  // one that an ellipsis may stretch
    }
    loops.push_back(std::move(loop));
  }
  return loops;
}

OperandUse index_along(std::int64_t extent) { return {.role = Role::index, .low = -extent, .high = extent}; }

OperandUse start_within(const Shape& x) {
  std::int64_t high = 2;
  for (const std::int64_t extent : x) high = std::max(high, extent + 1);
  return {.role = Role::index, .low = -high, .high = high};
}

}  // namespace plumb::ir::kernels
