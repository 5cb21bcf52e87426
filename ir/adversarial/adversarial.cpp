// Fills the sources of a graph with adversarial numbers.
#include "ir/adversarial/adversarial.hpp"

#include <algorithm>

#include "ir/adversarial/line.hpp"
#include "ir/adversarial/lines.hpp"
#include "ir/adversarial/use.hpp"
#include "ir/convert.hpp"

namespace plumb::ir::adversarial {
namespace {

/// How many letters have to be changed, left out or put in to make one word of another (Levenshtein).
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t corner = row[0]++;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t changed = corner + (a[i] == b[j] ? 0 : 1);
      corner = row[j + 1];
      row[j + 1] = std::min({changed, row[j] + 1, corner + 1});
    }
  }
  return row.back();
}

/// Fills line after line by `make(line)`.
template <class T, class Make>
void fill_lines(std::span<T> y, const Lines& lines, Line line, Make make) {
  std::vector<double> numbers(static_cast<std::size_t>(lines.length()));
  line.x = numbers;
  for (std::int64_t l = 0; l < lines.count(); ++l) {
    line.number = l;
    make(line);
    for (std::int64_t k = 0; k < lines.length(); ++k)
      y[lines.at(l, k)] = convert_value<T>(numbers[static_cast<std::size_t>(k)]);
  }
}

void fill_floats(AdversarialKind kind, const Use& use, Line& line) {
  const bool of_scores = is_of_scores(kind);
  switch (use.role) {
    case Role::factor:
    case Role::query:
      follow(kind, line);
      break;
    case Role::addend:
    case Role::parameter:
      be_normal(line);
      break;
    case Role::key:
      of_scores&& kind != AdversarialKind::masked ? lead(kind, line) : be_normal(line);
      break;
    case Role::value:
      of_scores ? be_near_one(line) : lead(kind, line);
      break;
    default:
      lead(kind, line);
  }
  for (double& x : line.x) {
    if (use.role == Role::variance) x = std::abs(x);
    if (std::isfinite(x)) x = std::clamp(x, -line.range.largest, line.range.largest);
  }
}

/// Whole numbers in [low, high): what edges are, sorted ones, equal ones, else uniform ones.
void fill_range(AdversarialKind kind, double low, double high, Line& line) {
  const auto count = static_cast<std::int64_t>(std::min(high - low, 0x1p31));
  for (std::size_t k = 0; k < line.x.size(); ++k) {
    const Draw draw = line.element(k);
    line.x[k] = low + static_cast<double>(draw.below(count));
    if (kind == AdversarialKind::constant) line.x[k] = low + static_cast<double>(line.own().below(count));
    if (kind == AdversarialKind::equal_lines) line.x[k] = low + static_cast<double>(line.of_first_line(k).below(count));
    if (kind != AdversarialKind::edges) continue;
    const std::array ends = {0.0, -1.0, high - 1, low, k == 0 ? high - 1 : line.x[k - 1]};
    line.x[k] = std::clamp(ends[k < ends.size() ? k : static_cast<std::size_t>(draw.below(5))], low, high - 1);
  }
  if (kind == AdversarialKind::sorted) std::ranges::sort(line.x);
}

template <class T>
void fill_integers(AdversarialKind kind, const Use& use, std::span<T> y, const Lines& lines, const Line& line) {
  if (use.role == Role::index && use.high > use.low) {
    const auto low = static_cast<double>(use.low), high = static_cast<double>(use.high);
    return fill_lines(y, lines, line, [&](Line& one) { fill_range(kind, low, high, one); });
  }
  const Fill usual = default_fill(dtype_of<T>);
  if (kind != AdversarialKind::edges)
    return fill_lines(y, lines, line, [&](Line& one) { fill_range(kind, usual.low, usual.high, one); });
  constexpr T low = std::numeric_limits<T>::min(), high = std::numeric_limits<T>::max();
  const std::array<T, 6> ends = {high, low, T{0}, T{1}, static_cast<T>(high - 1), static_cast<T>(low + 1)};
  Line whole = line;
  std::vector<double> none(y.size());
  whole.x = none;
  whole.number = 0;
  for (std::size_t k = 0; k < y.size(); ++k)
    y[k] = ends[k < ends.size() ? k : static_cast<std::size_t>(whole.element(k).below(6))];
}

/// Some lines all false, some all but one, some all true, some mixed; what is no mask is mixed, or constant by line.
void fill_mask(AdversarialKind kind, Line& line) {
  const Draw own = line.own();
  const auto kept = static_cast<std::size_t>(own.below(static_cast<std::int64_t>(line.x.size())));
  for (std::size_t k = 0; k < line.x.size(); ++k) {
    const bool coin = line.element(k).coin();
    const bool is_true = kind == AdversarialKind::constant || kind == AdversarialKind::equal_lines ? own.coin()
                         : kind != AdversarialKind::masked                                         ? coin
                         : line.number % 4 == 0                                                    ? coin
                         : line.number % 4 == 1                                                    ? false
                         : line.number % 4 == 2                                                    ? k == kept
                                                                                                   : true;
    line.x[k] = is_true ? 1 : 0;
  }
}

/// Real and imaginary parts draw numbers of their own.
template <class T>
void fill_elements(AdversarialKind kind, const Use& use, std::span<T> y, const Lines& lines, Line line) {
  const auto floats = [&](Line& one) { fill_floats(kind, use, one); };
  if constexpr (dtype_of<T> == DType::boolean) {
    fill_lines(y, lines, line, [&](Line& one) { fill_mask(kind, one); });
  } else if constexpr (is_complex(dtype_of<T>)) {
    using Part = typename T::value_type;
    std::vector<Part> re(y.size()), im(y.size());
    fill_lines(std::span(re), lines, line, floats);
    line.offset += kind_count;
    fill_lines(std::span(im), lines, line, floats);
    for (std::size_t i = 0; i < y.size(); ++i) y[i] = {re[i], im[i]};
  } else if constexpr (is_float(dtype_of<T>)) {
    fill_lines(y, lines, line, floats);
  } else {
    fill_integers(kind, use, y, lines, line);
  }
}

}  // namespace

AdversarialKind kind_of_seed(std::uint64_t seed) { return static_cast<AdversarialKind>(seed % kind_count); }

AdversarialKind kind_named(std::string_view name) {
  if (const auto found = enum_value<AdversarialKind>(name)) return *found;
  const auto names = enum_names(AdversarialKind{});
  std::string all;
  for (const std::string_view one : names) all += (all.empty() ? "" : ", ") + std::string(one);
  const auto* const nearest =
      std::ranges::min_element(names, {}, [&](std::string_view one) { return distance(one, name); });
  constexpr std::size_t most_quoted = 40;
  fail("adversarial: no kind is called '", name.substr(0, most_quoted), "', did you mean '", *nearest, "'? There are ",
       all);
}

Tensor fill(const Graph& graph, Value source, std::optional<AdversarialKind> kind, std::uint64_t seed,
            std::uint32_t stream) {
  const TensorType& type = graph.type(source);
  const AdversarialKind chosen = kind.value_or(kind_of_seed(seed));
  Tensor y(type);
  if (type.shape.elements() == 0) return y;
  const Use use = use_of(graph, source);
  const Lines lines(type.shape, use.axes);
  const Line line{.seed = seed,
                  .stream = stream,
                  .offset = 1 + static_cast<std::uint32_t>(chosen),
                  .number = 0,
                  .terms = use.terms > 0 ? use.terms : lines.length(),
                  .is_score = use.role == Role::score || use.role == Role::key,
                  .share = use.role == Role::key ? use.share : 1,
                  .range = range_of(type.dtype),
                  .x = {}};
  visit_any(type.dtype, [&]<class T>(T) { fill_elements(chosen, use, y.as<T>(), lines, line); });
  return y;
}

}  // namespace plumb::ir::adversarial
