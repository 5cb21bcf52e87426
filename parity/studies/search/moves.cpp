// The moves of the search.
#include "parity/studies/search/moves.hpp"

#include <algorithm>
#include <cmath>

#include "ir/adversarial/line.hpp"
#include "ir/adversarial/lines.hpp"
#include "ir/adversarial/use.hpp"
#include "ir/convert.hpp"

namespace plumb::parity::studies::search {
namespace {

std::size_t below(std::mt19937_64& random, std::size_t count) { return static_cast<std::size_t>(random() % count); }

/// A change to a stretch of a line, the same in all lines that it is made in.
struct Move {
  std::size_t kind, first, end;
  std::uint64_t seed;
};

using Stretch = std::span<double>;

void permute(Stretch x, std::mt19937_64& random) {
  for (std::size_t k = x.size(); k > 1; --k) std::swap(x[k - 1], x[below(random, k)]);
}

void snap(Stretch x, std::size_t levels) {
  const double largest = std::abs(*std::ranges::max_element(x, {}, [](double value) { return std::abs(value); }));
  if (!(largest > 0) || !std::isfinite(largest)) return;
  const double step = 2 * largest / static_cast<double>(levels);
  for (double& value : x) value = (std::floor(value / step) + 0.5) * step;
}

constexpr std::size_t kinds = 8;

void alter(const Move& move, Stretch line) {
  std::mt19937_64 random(move.seed);
  const Stretch x = line.subspan(move.first, move.end - move.first);
  switch (move.kind) {
    case 0:
      for (double& value : x) value = -value;
      break;
    case 1:
      if (std::ranges::none_of(x, [](double value) { return std::isnan(value); })) std::ranges::sort(x);
      break;
    case 2:
      permute(x, random);
      break;
    case 3:
      snap(line, std::size_t{2} << below(random, 8));
      break;
    case 4: {
      const int scale = static_cast<int>(below(random, 13)) - 6;
      for (double& value : line) value = std::ldexp(value, scale);
      break;
    }
    case 5:
      std::ranges::fill(x, double{x[below(random, x.size())]});
      break;
    case 6: {
      const std::size_t one = below(random, line.size()), other = below(random, line.size());
      std::swap(line[one], line[other]);
      break;
    }
    default:
      line[below(random, line.size())] *= std::ldexp(1.0, 1 + static_cast<int>(below(random, 16)));
  }
}

}  // namespace

void change(const ir::Graph& graph, ir::Value source, ir::Tensor& tensor, std::mt19937_64& random) {
  const ir::adversarial::Lines lines(tensor.shape(), ir::adversarial::use_of(graph, source).axes);
  const auto length = static_cast<std::size_t>(lines.length());
  const double largest = ir::adversarial::range_of(tensor.dtype()).largest;
  Move chosen{.kind = below(random, kinds), .first = below(random, length), .end = 0, .seed = random()};
  chosen.end = chosen.first + 1 + below(random, length - chosen.first);
  const bool is_of_all = (random() & 1) != 0;
  const auto only = static_cast<std::int64_t>(below(random, static_cast<std::size_t>(lines.count())));
  std::vector<double> line(length);
  ir::visit_float(tensor.dtype(), [&]<class T>(T) {
    const auto x = tensor.as<T>();
    for (std::int64_t l = is_of_all ? 0 : only; l < (is_of_all ? lines.count() : only + 1); ++l) {
      for (std::size_t k = 0; k < length; ++k)
        line[k] = ir::convert_value<double>(x[lines.at(l, static_cast<std::int64_t>(k))]);
      alter(chosen, line);
      for (std::size_t k = 0; k < length; ++k) {
        const double kept = std::isfinite(line[k]) ? std::clamp(line[k], -largest, largest) : line[k];
        x[lines.at(l, static_cast<std::int64_t>(k))] = ir::convert_value<T>(kept);
      }
    }
  });
}

}  // namespace plumb::parity::studies::search
