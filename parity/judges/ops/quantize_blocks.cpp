// Blocks of codes: a stored scale is one that the truth's, within its roundings, is rounded to; its sign says which of
// two elements of equal size it was made of. Codes follow from the truth's unrounded scale (verdict.md V70).
#include "ir/ops/quantize_blocks.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "parity/core/powers.hpp"
#include "parity/judges/choices.hpp"
#include "parity/judges/units.hpp"

namespace plumb::parity::judges {
namespace {

using Format = ir::ops::PackedFormat;
using Block32 = std::array<double, 32>;
using Bytes = std::span<const std::uint8_t>;

constexpr double u = 0x1p-24;

/// Where a format has what in its block, and how codes follow: t = r + offset is truncated, or r is rounded.
struct Shape {
  bool has_ends = false, has_fifths = false, is_rounded = false;
  double most = 15, offset = 8.5;

  std::size_t fifths() const { return has_ends ? 4 : 2; }
  std::size_t codes() const { return fifths() + (has_fifths ? 4 : 0); }
};

Shape shape_of(Format format) {
  switch (format) {
    case Format::q4_1:
      return {.has_ends = true, .offset = 0.5};
    case Format::q5_0:
      return {.has_fifths = true, .most = 31, .offset = 16.5};
    case Format::q5_1:
      return {.has_ends = true, .has_fifths = true, .most = 31, .offset = 0.5};
    case Format::q8_0:
      return {.is_rounded = true, .most = 127, .offset = 0};
    default:
      return {};
  }
}

/// The code of element e.
double code_at(const Shape& shape, Bytes block, std::size_t e) {
  if (shape.is_rounded) return std::bit_cast<std::int8_t>(block[shape.codes() + e]);
  const int nibble = block[shape.codes() + e % 16] >> (e < 16 ? 0 : 4) & 15;
  return nibble + (shape.has_fifths ? (block[shape.fifths() + e / 8] >> e % 8 & 1) * 16 : 0);
}

/// The bytes that have bits of the code of element e.
std::vector<std::size_t> bytes_of(const Shape& shape, std::size_t e) {
  if (shape.is_rounded) return {shape.codes() + e};
  std::vector<std::size_t> bytes = {shape.codes() + e % 16};
  if (shape.has_fifths) bytes.push_back(shape.fifths() + e / 8);
  return bytes;
}

int half_bits(Bytes block, std::size_t at) { return block[at] | block[at + 1] << 8; }
double half_value(int bits) { return static_cast<double>(ir::f16::from_bits(static_cast<std::uint16_t>(bits))); }

/// How a stored f16 came to be from a number that may be off by `limit`. Neighbours meet halfway.
Deciding stored(int bits, double number, double limit) {
  const int own = ir::f16(number).bits;
  const double given = half_value(bits), right = half_value(own);
  if (given == right) return {.limit = limit, .step = infinite};
  const bool are_neighbours = std::abs(bits - own) == 1 || given + right == 0;
  const double edge = std::isfinite(given) && std::isfinite(right) ? (given + right) / 2 : std::copysign(65520, number);
  return {
      .margin = are_neighbours ? std::abs(number - edge) : infinite, .limit = limit, .step = std::abs(given - right)};
}

/// How a code came to be, of t truncated or r rounded with halves away from zero. Without a limit it is what t is.
Deciding coded(const Shape& shape, double code, double t, double limit) {
  const double least = shape.is_rounded ? -shape.most : 0, below = shape.is_rounded ? 0.5 : 0;
  const double own = shape.is_rounded ? std::round(t) : std::trunc(static_cast<float>(t));
  Deciding by{.margin = infinite, .limit = limit};
  if (code < least || code > shape.most) return by;
  const double from = code == least ? -infinite : code - below, to = code == shape.most ? infinite : code + 1 - below;
  by.margin = t < from ? from - t : t > to ? t - to : 0;
  if (limit == 0) by.margin = code == std::clamp(own, least, shape.most) ? 0 : infinite;
  return by;
}

/// One way in which a block may have come to be: its scale, how far that may be off, and what codes are counted from.
struct Scale {
  double d = 0, off = 0, least = 0;
};

/// A scale has a reciprocal in the range of f32, or all codes are those of 0.
bool has_inverse(double d) { return std::abs(d) >= 0x1p-126 && std::abs(d) <= 0x1.fffffep127; }

std::vector<Scale> scales_of(const Shape& shape, const Block32& x) {
  const auto [low, high] = std::minmax_element(x.begin(), x.end());
  if (shape.has_ends) {
    const double d = static_cast<double>(static_cast<float>(*high - *low)) / shape.most;
    return {{d, 6 * u * d, *low}};
  }
  const double size = std::max(-*low, *high);
  if (shape.is_rounded) return {{size / 127, 6 * u * (size / 127), 0}};
  const double half = (shape.most + 1) / 2;
  std::vector<Scale> both;
  if (*high == size) both.push_back({size / -half, 0, 0});
  if (-*low == size) both.push_back({size / half, 0, 0});
  return both;
}

/// A block as one scale explains it.
struct Explained {
  std::vector<Deciding> factors;  ///< stored ones: one or two
  std::array<Deciding, 32> codes;
  double worst = 0;
};

double ratio_of(const Deciding& by) {
  if (by.margin == 0) return 0;
  return by.margin <= by.limit ? by.margin / by.limit : infinite;
}

Explained explained(const Shape& shape, const Block32& x, const Scale& scale, Bytes got) {
  Explained made;
  made.factors.push_back(stored(half_bits(got, 0), scale.d, scale.off));
  if (shape.has_ends) made.factors.push_back(stored(half_bits(got, 2), scale.least, 0));
  const bool is_scaled = has_inverse(scale.d);
  const bool is_power = scale.off == 0 && core::is_power_of_two(scale.d);
  for (std::size_t e = 0; e < x.size(); ++e) {
    const double above = static_cast<double>(static_cast<float>(x[e] - scale.least));
    const double r = is_scaled ? above / scale.d : 0, t = r + shape.offset;
    const double of_scale = scale.off > 0 ? 5 * u : 0, of_sum = shape.is_rounded ? 0 : u * std::abs(t);
    const double limit = !is_scaled || is_power ? 0 : (3 * u + of_scale) * std::abs(r) + of_sum;
    made.codes[e] = coded(shape, code_at(shape, got, e), t, limit);
  }
  for (const Deciding& by : made.factors) made.worst = std::max(made.worst, ratio_of(by));
  for (const Deciding& by : made.codes) made.worst = std::max(made.worst, ratio_of(by));
  return made;
}

/// Takes note of a block's choices; `first` is its first byte in the output.
void read_block(const Shape& shape, const Explained& block, Bytes got, Bytes own, std::size_t first,
                DecisionReader& reader, OutputJudgement& output) {
  const auto worse = [&](std::size_t byte, double ratio) {
    output.ratio[first + byte] = std::max(output.ratio[first + byte], ratio);
  };
  for (std::size_t i = 0; i < block.factors.size(); ++i) {
    const double chosen = half_value(half_bits(got, 2 * i)), right = half_value(half_bits(own, 2 * i));
    const double ratio = reader.read("scale", first + 2 * i, chosen, right, block.factors[i]);
    worse(2 * i, ratio);
    worse(2 * i + 1, ratio);
  }
  for (std::size_t e = 0; e < block.codes.size(); ++e) {
    const double code = code_at(shape, got, e), right = code_at(shape, own, e);
    const double ratio = reader.read("code", first + bytes_of(shape, e).front(), code, right, block.codes[e]);
    for (const std::size_t byte : bytes_of(shape, e)) {
      worse(byte, ratio);
      if (DecisionReader::is_open(block.codes[e])) output.standing[first + byte] = Standing::loose;
    }
  }
}

Judgement judge_blocks(Format format, const Question& question) {
  const auto size = static_cast<std::size_t>(ir::kernels::packed::layout(format).bytes);
  const auto got = question.got[0].as<std::uint8_t>(), own = question.truth.outputs[0].as<std::uint8_t>();
  const auto x = question.in[0].as<double>();
  OutputJudgement output{.kind = cases::UnitKind::choice};
  output.ratio.assign(got.size(), 0);
  output.standing.assign(got.size(), Standing::informative);
  DecisionReader reader;
  const Shape shape = shape_of(format);
  for (std::size_t block = 0; block < got.size() / size; ++block) {
    const Bytes given = got.subspan(block * size, size), right = own.subspan(block * size, size);
    if (format == Format::mxfp4) {  // a scale that is a power of two leaves nothing to choose
      for (std::size_t i = 0; i < size; ++i)
        output.ratio[block * size + i] = reader.read("code", block * size + i, given[i], right[i], {infinite, 0, 1});
      continue;
    }
    Block32 numbers;
    for (std::size_t e = 0; e < 32; ++e) numbers[e] = static_cast<float>(x[32 * block + e]);
    Explained best;
    for (const Scale& scale : scales_of(shape, numbers)) {
      Explained one = explained(shape, numbers, scale, given);
      if (best.factors.empty() || one.worst < best.worst) best = std::move(one);
    }
    read_block(shape, best, given, right, block * size, reader, output);
  }
  ir::Tensor truth(question.truth.outputs[0].type());
  for (std::size_t i = 0; i < got.size(); ++i) truth.as<std::uint8_t>()[i] = output.ratio[i] <= 1 ? got[i] : own[i];
  output.truth = std::move(truth);
  output.decisions = reader.take();
  silence_zeros(output);
  return {{std::move(output)}};
}

}  // namespace

std::optional<Judge> judge_of(const ir::ops::QuantizeBlocks& op) {
  return Judge([op](const Question& question) { return judge_blocks(op.format, question); });
}

}  // namespace plumb::parity::judges
