// Seven chains of expressions, which tests/house/comma_chains.py has to find, among commas that make none.
#include <map>
#include <vector>

namespace planted {

struct Point {
  double x = 0, y = 0;
};

inline double sum(const std::map<int, std::vector<double>>& all) {
  double first = 0, second = 0;
  for (const auto& [key, values] : all)
    for (std::size_t i = 0, n = values.size(); i < n; ++i, ++first) second += values[i], first -= 1;
  Point point, *other = &point;
  std::pair<int, double> pair = {1, 2.0};
  point.x = first, point.y = second;
  if (other->x > 1)
    point.x = 1, point.y = 2;
  else
    ++first, ++second;
  switch (pair.first) {
    case 1:
      first += 1, second += std::max(first, second);
  }
  const auto add = [&](double a, double b) { first += a, second += b; };
  add(first, second), add(second, first);
  return first < second ? first : second;
}

}  // namespace planted
