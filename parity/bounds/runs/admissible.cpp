// Sets and ranges of values, element by element, of tensors of any ordered type.
#include "parity/bounds/runs/admissible.hpp"

#include <algorithm>
#include <cmath>
#include <complex>

namespace plumb::parity::bounds::runs {
namespace {

constexpr double most_values = 8;

/// Calls `visit` with the C++ type of a dtype that truths have and that is ordered.
template <class Visit>
void visit_ordered(ir::DType dtype, const Visit& visit) {
  ir::visit_any(dtype, [&]<class T>(T zero) {
    if constexpr (std::is_arithmetic_v<T>) visit(zero);
  });
}

double number_at(const ir::TensorView& x, std::size_t i) {
  double number = 0;
  ir::visit_any(x.dtype(), [&]<class T>(T) {
    if constexpr (!std::is_same_v<T, std::complex<float>> && !std::is_same_v<T, std::complex<double>>)
      number = static_cast<double>(x.as<T>()[i]);
  });
  return number;
}

/// How far the ends of the widest open element are apart.
double widest(const ir::Tensor& low, const ir::Tensor& high, const std::vector<bool>& open) {
  double most = 0;
  for (std::size_t i = 0; i < open.size(); ++i)
    if (open[i]) most = std::max(most, number_at(high, i) - number_at(low, i));
  return most;
}

/// `low` plus a whole number, but no more than `high`.
ir::Tensor step_between(const ir::Tensor& low, const ir::Tensor& high, int step) {
  ir::Tensor y = low;
  visit_ordered(y.dtype(), [&]<class T>(T) {
    const auto numbers = y.as<T>();
    const auto most = high.as<T>();
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      const double left = static_cast<double>(most[i]) - static_cast<double>(numbers[i]);
      numbers[i] = step >= left ? most[i] : static_cast<T>(static_cast<double>(numbers[i]) + step);
    }
  });
  return y;
}

bool is_same(const ir::TensorView& a, const ir::TensorView& b, std::size_t i) {
  const std::size_t width = ir::info(a.dtype()).bytes;
  return std::ranges::equal(a.bytes().subspan(i * width, width), b.bytes().subspan(i * width, width));
}

}  // namespace

bool Admissible::any_open() const { return std::ranges::find(open, true) != open.end(); }

std::pair<ir::Tensor, ir::Tensor> Admissible::ends() const {
  std::pair<ir::Tensor, ir::Tensor> found{values.front(), values.front()};
  for (const ir::Tensor& x : values) extend(found.first, found.second, x);
  return found;
}

void extend(ir::Tensor& low, ir::Tensor& high, const ir::Tensor& x) {
  visit_ordered(low.dtype(), [&]<class T>(T) {
    const auto least = low.as<T>(), most = high.as<T>();
    const auto numbers = x.as<T>();
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      if (numbers[i] < least[i]) least[i] = numbers[i];
      if (most[i] < numbers[i]) most[i] = numbers[i];
    }
  });
}

std::vector<bool> differs(const ir::Tensor& a, const ir::Tensor& b) {
  std::vector<bool> found(static_cast<std::size_t>(a.elements()), false);
  visit_ordered(a.dtype(), [&]<class T>(T) {
    const auto x = a.as<T>(), y = b.as<T>();
    for (std::size_t i = 0; i < x.size(); ++i) found[i] = x[i] != y[i] && !(x[i] != x[i] && y[i] != y[i]);
  });
  return found;
}

Admissible between(ir::Tensor low, ir::Tensor high, std::vector<bool> open) {
  const double width = widest(low, high, open);
  const bool is_set = width < most_values;
  Admissible made{.values = {}, .is_range = !is_set, .open = std::move(open)};
  for (int step = 1; is_set && step < width; ++step) made.values.push_back(step_between(low, high, step));
  made.covers_all = low.dtype() == ir::DType::boolean;
  made.values.insert(made.values.begin(), std::move(low));
  made.values.insert(made.values.begin() + 1, std::move(high));
  return made;
}

bool admits(const Admissible& admissible, const ir::TensorView& given, std::size_t i, double tolerance) {
  const bool is_whole = given.dtype() == admissible.values.front().dtype() && ir::unit_roundoff(given.dtype()) == 0;
  if (is_whole && std::ranges::any_of(admissible.values, [&](const ir::Tensor& x) { return is_same(x, given, i); }))
    return true;
  const double x = number_at(given, i);
  if (admissible.is_range)
    return number_at(admissible.values[0], i) - tolerance <= x && x <= number_at(admissible.values[1], i) + tolerance;
  return !is_whole && std::ranges::any_of(admissible.values, [&](const ir::Tensor& value) {
    const double y = number_at(value, i);
    return y == x || std::abs(x - y) <= tolerance;
  });
}

}  // namespace plumb::parity::bounds::runs
