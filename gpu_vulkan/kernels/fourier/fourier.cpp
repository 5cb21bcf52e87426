// Plans which kernels transform a line, and makes their tables.
#include "gpu_vulkan/kernels/fourier/fourier.hpp"

#include <cmath>
#include <numbers>

#include "gpu_vulkan/kernels/common/tiles.hpp"
#include "gpu_vulkan/kernels/common/words.hpp"
#include "gpu_vulkan/kernels/fourier/factors.hpp"
#include "gpu_vulkan/kernels/fourier/layout.hpp"
#include "gpu_vulkan/kernels/fourier/root_tables.hpp"

namespace plumb::gpu_vulkan::kernels::fourier {
namespace {

using plan::word;

/// fourier_lines.comp: what elements of a line are.
enum class Form : std::uint32_t {
  whole,          ///< complex numbers
  pairs,          ///< reals, of which two are a number
  reals,          ///< reals, or the real parts alone
  half_of_pairs,  ///< the half spectrum of pairs
  half_of_reals,  ///< the half spectrum of reals
};

/// fourier_lines.comp: what results are multiplied by.
enum class Factor : std::uint32_t { none, by_table, by_twiddle };

/// fourier_lines.comp: what becomes of point 0 where Bluestein's algorithm transforms the others.
enum class Origin : std::uint32_t { none, read_again, put_aside, taken_from_aside };

/// Where lines come from or go to: elements of lines of `length`, of which `limit` points are there.
struct End {
  plan::Slot slot = 0;
  Form form = Form::whole;
  std::int64_t length = 1, limit = 1;
};

struct Source : End {
  bool swaps = false;                               ///< real and imaginary parts
  const std::vector<LongComplex>* chirp = nullptr;  ///< then multiplies points
  bool leaves_origin_aside = false;
};

struct Target : End {
  bool swaps_back = false;                           ///< real and imaginary parts
  const std::vector<LongComplex>* factor = nullptr;  ///< then multiplies points
  bool swaps = false;                                ///< parts once more
  double scale = 1;
  bool takes_origin_from_aside = false;
};

/// Point i of part (a, b) of a longer line is i·point + a·of_a + b·of_b of it.
struct Places {
  std::int64_t point = 1, of_a = 0, of_b = 0;
};

/// One dispatch: transforms of `size` points, parts of longer lines.
struct Step {
  std::int64_t size = 1, parts = 1, parts_b = 1;
  Places in = {}, out = {};
  std::int64_t twiddles = 0;                           ///< results are turned by b·k of so many; 0: they are not
  const std::vector<LongComplex>* spectrum = nullptr;  ///< multiplies the transform, which is transformed back
};

/// The steps of a transform of the product of these factors.
std::vector<Step> steps_of(const std::vector<std::int64_t>& factors) {
  const auto size = [&](std::size_t i) { return factors.at(i); };
  if (factors.size() == 1) return {{.size = size(0)}};
  const std::int64_t rest = factors.size() == 2 ? size(1) : size(1) * size(2), last = factors.back();
  const Places across{.point = rest, .of_b = 1};
  std::vector<Step> steps = {
      {.size = size(0), .parts = rest, .parts_b = rest, .in = across, .out = across, .twiddles = size(0) * rest}};
  if (factors.size() == 2) {
    steps.push_back({.size = last,
                     .parts = size(0),
                     .parts_b = size(0),
                     .in = {.point = 1, .of_b = last},
                     .out = {.point = size(0), .of_b = 1}});
    return steps;
  }
  const Places middle{.point = last, .of_a = rest, .of_b = 1};
  steps.push_back(
      {.size = size(1), .parts = size(0) * last, .parts_b = last, .in = middle, .out = middle, .twiddles = rest});
  steps.push_back({.size = last,
                   .parts = size(0) * size(1),
                   .parts_b = size(0),
                   .in = {.point = 1, .of_a = last, .of_b = rest},
                   .out = {.point = size(0) * size(1), .of_a = size(0), .of_b = 1}});
  return steps;
}

plan::Constants constants_of(const Step& step, const std::vector<std::uint32_t>& radices, const Layout& layout,
                             const Source& from, const Target& to, Factor factor) {
  std::uint32_t packed = 0;
  for (std::size_t i = 0; i < radices.size(); ++i) packed |= (radices[i] - 1) << 5 * i;
  const Origin origin = step.spectrum != nullptr     ? Origin::read_again
                        : from.leaves_origin_aside   ? Origin::put_aside
                        : to.takes_origin_from_aside ? Origin::taken_from_aside
                                                     : Origin::none;
  const auto held = [&](std::int64_t limit, const Places& places) {
    return limit < step.size * step.parts ? word(common::pieces(limit, places.point)) : 0;
  };
  return {{"invocations", layout.threads * layout.lines},
          {"size", word(step.size)},
          {"radices", packed},
          {"last", radices.empty() ? 1 : radices.back()},
          {"threads", layout.threads},
          {"lines", layout.lines},
          {"points", layout.points},
          {"line_stride", layout.line_stride},
          {"across_in", layout.across_in},
          {"across_out", layout.across_out},
          {"form_in", from.form},
          {"form_out", to.form},
          {"swap_in", from.swaps},
          {"chirped", from.chirp != nullptr},
          {"convolves", step.spectrum != nullptr},
          {"swap_back", to.swaps_back},
          {"factor", factor},
          {"swap_out", to.swaps},
          {"origin", origin},
          {"held_in", from.chirp == nullptr ? 0 : held(from.limit, step.in)},
          {"held_out", held(to.limit, step.out)},
          {"at_once", layout.at_once},
          {"slices", layout.slices}};
}

/// fourier_lines.comp
struct Block {
  std::uint32_t count, inner, parts, parts_b, length_in, length_out, total;
  std::array<std::uint32_t, 3> in, out;
  std::uint32_t limit_in, limit_out, chirp_at = 0, spectrum_at = 0, split_at = 0;
  std::uint32_t turns = 0, factor_at = 0, fine_at = 0, fine_bits = 0;
  float quarters = 0, radians = 0;
  std::array<std::uint32_t, 2> scale;
};

/// Lines of one node: `lines` in all, whose neighbours are `inner` apart, transformed as `total` points.
class Lines {
 public:
  Lines(plan::Lowering& node, ir::DType part, const ir::Lines& lines, std::int64_t total)
      : node_(node), part_(part), lines_(lines), total_(total), aside_(scratch(1)) {}

  /// A slot for lines of complex numbers.
  plan::Slot scratch(std::int64_t length) {
    return node_.scratch(static_cast<std::size_t>(lines_.count() * length) * 2 * ir::info(part_).bytes);
  }

  void transform(const std::vector<std::int64_t>& factors, const Source& from, const Target& to) {
    const std::vector<Step> steps = steps_of(factors);
    std::int64_t length = 1;
    for (const std::int64_t factor : factors) length *= factor;
    Source source = from;
    for (std::size_t i = 0; i + 1 < steps.size(); ++i) {
      const End between{.slot = scratch(length), .form = Form::whole, .length = length, .limit = length};
      dispatch(steps[i], source, Target{between});
      source = Source{between};
    }
    dispatch(steps.back(), source, to);
  }

  void dispatch(const Step& step, const Source& from, const Target& to) {
    const std::vector<std::uint32_t> radices = radices_of(step.size);
    RootTables tables(part_);
    tables.passes(radices, step.size);
    Block block{.count = word(lines_.count() * step.parts),
                .inner = word(lines_.inner),
                .parts = word(step.parts),
                .parts_b = word(step.parts_b),
                .length_in = word(from.length),
                .length_out = word(to.length),
                .total = word(total_),
                .in = {word(step.in.point), word(step.in.of_a), word(step.in.of_b)},
                .out = {word(step.out.point), word(step.out.of_a), word(step.out.of_b)},
                .limit_in = word(from.limit),
                .limit_out = word(to.limit),
                .chirp_at = from.chirp == nullptr ? 0 : tables.add(*from.chirp),
                .spectrum_at = step.spectrum == nullptr ? 0 : tables.add(*step.spectrum),
                .scale = common::words_of(to.scale, part_)};
    Factor factor = Factor::none;
    if (to.factor != nullptr) {
      factor = Factor::by_table;
      block.factor_at = tables.add(*to.factor);
    }
    if (step.twiddles > 0) {
      factor = Factor::by_twiddle;
      add_turns(step.twiddles, block, tables);
    }
    if (from.form == Form::half_of_pairs || to.form == Form::half_of_pairs)
      block.split_at = tables.roots(total_ + 1, 2 * total_);
    const bool has_neighbours = lines_.inner > 1;
    const Wishes wishes{.across_in = has_neighbours || (step.parts > 1 && step.in.point > 1),
                        .across_out = has_neighbours || step.parts > 1,
                        .splits = to.form == Form::half_of_pairs,
                        .convolves = step.spectrum != nullptr};
    const Layout layout = layout_of(step.size, radices, wishes, part_, node_.facts());
    node_.dispatch({
        .shader = {ir::cat("fourier_lines.", part_), constants_of(step, radices, layout, from, to, factor)},
        .reads = {from.slot, node_.table(tables.bytes())},
        .writes = {to.slot, aside_},
        .push = block,
        .groups = plan::groups_for(block.count, layout.lines),
    });
  }

  /// The half spectra of lines whose pairs were transformed.
  void split(plan::Slot from, plan::Slot to) {
    struct SplitBlock {
      std::uint32_t count, inner, h;
    };
    constexpr std::uint32_t threads = 128;
    RootTables roots(part_);
    roots.roots(total_ / 2 + 1, 2 * total_);
    const std::int64_t count = lines_.count() * (total_ / 2 + 1);
    node_.dispatch({
        .shader = {ir::cat("fourier_split.", part_), {{"invocations", threads}}},
        .reads = {from, node_.table(roots.bytes())},
        .writes = {to},
        .push = SplitBlock{word(count), word(lines_.inner), word(total_)},
        .groups = plan::groups_for(count, threads),
    });
  }

 private:
  /// Sets the inputs of root_of_unity() in ends.glsl. Floats are computed; doubles have tables of two digits.
  void add_turns(std::int64_t turns, Block& block, RootTables& tables) const {
    block.turns = word(turns);
    block.quarters = static_cast<float>(4 / static_cast<double>(turns));
    block.radians = static_cast<float>(std::numbers::pi / 2 / static_cast<double>(turns));
    if (part_ != ir::DType::f64) return;
    block.fine_bits = word(std::bit_width(static_cast<std::uint64_t>(turns)) / 2);
    const std::int64_t fine = std::int64_t{1} << block.fine_bits;
    block.factor_at = tables.roots(turns / fine + 1, turns, fine);
    block.fine_at = tables.roots(fine, turns);
  }

  plan::Lowering& node_;
  const ir::DType part_;
  const ir::Lines lines_;
  const std::int64_t total_;
  const plan::Slot aside_;  ///< points 0
};

/// The transform of one line of a node, as kernels compute it.
struct Line {
  ir::DType part;
  bool is_real, is_inverse, is_packed, is_direct;
  std::int64_t points;  ///< complex ones
  std::int64_t length;  ///< points of the lines that kernels transform
  Capacity most;
};

Line line_of(const Transform& transform, const plan::Lowering& node) {
  Line line{};
  line.is_real = transform.kind == Kind::real_forward || transform.kind == Kind::real_inverse;
  line.is_inverse = transform.kind == Kind::inverse || transform.kind == Kind::real_inverse;
  line.is_packed = line.is_real && transform.length % 2 == 0;
  line.points = line.is_packed ? transform.length / 2 : transform.length;
  const ir::DType result = node.out_type(0).dtype;
  line.part = result == ir::DType::c128 || result == ir::DType::f64 ? ir::DType::f64 : ir::DType::f32;
  node.needs_its_sizes();
  node.needs(node.facts().holds(line.part), node.facts().name, " has no ", line.part, " in shaders");
  line.is_direct = ir::kernels::is_smooth(line.points, 7);
  line.most = capacity_of(line.part, node.facts());
  line.length = line.is_direct ? line.points : length_of_chirped(2 * line.points - 1, line.most.alone);
  node.needs(line.length < (std::int64_t{1} << 30) / transform.in.count(), "shaders count no more than 2^31 parts");
  return line;
}

/// By Bluestein's algorithm.
void emit_chirped(Lines& lines, const Line& line, const std::vector<std::int64_t>& factors, Source from, Target to) {
  const ir::kernels::Chirp table = ir::kernels::bluestein(line.points, line.length);
  from.chirp = &table.chirp;
  to.factor = &table.chirp;
  to.swaps_back = true;
  if (factors.size() == 1) return lines.dispatch({.size = line.length, .spectrum = &table.spectrum}, from, to);
  const End between{
      .slot = lines.scratch(line.length), .form = Form::whole, .length = line.length, .limit = line.length};
  from.leaves_origin_aside = to.takes_origin_from_aside = true;
  Target middle{between};
  middle.factor = &table.spectrum;
  middle.swaps = true;
  lines.transform(factors, from, middle);
  lines.transform(factors, Source{between}, to);
}

void emit(const Transform& transform, const Line& line, const std::vector<std::int64_t>& factors,
          plan::Lowering& node) {
  const std::int64_t points = line.points;
  const Form with_pairs = line.is_packed ? Form::pairs : Form::reals;
  const Form half = line.is_packed ? Form::half_of_pairs : Form::half_of_reals;
  Source from{{.slot = node.in(0), .form = Form::whole, .length = transform.in.length, .limit = points}};
  Target to{{.slot = node.out(0), .form = Form::whole, .length = transform.out.length, .limit = points}};
  if (transform.kind == Kind::real_forward) {
    from.form = with_pairs;
    to.form = half;
  }
  if (transform.kind == Kind::real_inverse) {
    from.form = half;
    to.form = with_pairs;
  }
  if (to.form == Form::half_of_reals) to.limit = points / 2 + 1;
  from.swaps = to.swaps = line.is_inverse;
  to.scale = transform.scale;

  Lines lines(node, line.part, transform.in, points);
  const bool splits_apart = to.form == Form::half_of_pairs && factors.size() > 1;
  if (splits_apart) {
    to.form = Form::whole;
    to.slot = lines.scratch(points);
    to.length = points;
  }
  if (line.is_direct)
    lines.transform(factors, from, to);
  else
    emit_chirped(lines, line, factors, from, to);
  if (splits_apart) lines.split(to.slot, node.out(0));
}

}  // namespace

void lower_transform(const Transform& transform, plan::Lowering& node) {
  const Line line = line_of(transform, node);
  // Steps of neighbours are preferred to fewer steps of lines by themselves.
  std::array<std::vector<std::int64_t>, 3> factors;
  const bool may_slice = line.is_direct && !(line.is_packed && transform.kind == Kind::real_forward);
  if (fits_workgroup(line.length, line.part, may_slice, node.facts())) factors[0] = {line.length};
  for (const std::int64_t most : {line.most.together, line.most.alone})
    if (factors[1].empty() && factors[2].empty()) {
      factors[1] = factors_of(line.length, most, 2);
      factors[2] = factors_of(line.length, most, 3);
    }
  const auto in_steps = [&](std::size_t count, std::string name, device::KernelFamily family) -> plan::Candidate {
    std::optional<std::string> refusal;
    if (factors.at(count - 1).empty())
      refusal = ir::cat("lines of ", line.length, " points are no product of ", count, " that fit workgroups");
    return {std::move(name), family, [refusal, &line, &transform, &node, &steps = factors.at(count - 1)] {
              return plan::attempt_of(refusal, [&] { emit(transform, line, steps, node); });
            }};
  };
  node.choose({in_steps(1, "fourier_lines", device::KernelFamily::rows),
               in_steps(2, "fourier_in_two_steps", device::KernelFamily::lines),
               in_steps(3, "fourier_in_three_steps", device::KernelFamily::lines)});
}

}  // namespace plumb::gpu_vulkan::kernels::fourier
