// Draws cases by their numbers.
#include "parity/studies/fuzz/generator.hpp"

#include <fmt/format.h>

#include "ir/fill.hpp"
#include "ir/op_list.hpp"
#include "parity/studies/fuzz/draft.hpp"

namespace plumb::parity::studies::fuzz {
namespace {

/// Each purpose of random numbers has a stream of its own.
enum class Purpose : std::uint32_t { order, single, graph, judging };

check::Random stream(std::uint64_t seed, Purpose purpose, std::uint64_t number) {
  std::seed_seq mixed{static_cast<std::uint32_t>(generator_version),
                      static_cast<std::uint32_t>(purpose),
                      static_cast<std::uint32_t>(seed),
                      static_cast<std::uint32_t>(seed >> 32),
                      static_cast<std::uint32_t>(number),
                      static_cast<std::uint32_t>(number >> 32)};
  return check::Random(mixed);
}

/// The op of the single case that is this many after that of a number, in the order of its round.
const ir::OpSchema& op_in_order(const GeneratorOptions& options, std::uint64_t number, std::uint64_t after) {
  const auto& all = ir::all_schemas();
  const std::uint64_t single = number / 2;
  check::Random random = stream(options.seed, Purpose::order, single / all.size());
  const Whole order = Chooser(random).permutation(all.size());
  return *all[static_cast<std::size_t>(order[(single + after) % all.size()])];
}

Draft draw_single(const GeneratorOptions& options, std::uint64_t number, std::string& name) {
  constexpr unsigned tries = 256;
  check::Random random = stream(options.seed, Purpose::single, number);
  Chooser choose(random);
  for (std::uint64_t after = 0;; ++after) {
    const ir::OpSchema& schema = op_in_order(options, number, after);
    const auto drawn = draw_op(schema, {.tries = tries}, choose);
    if (!drawn) continue;  // an op that no draw suited, of hundreds: the next one stands in for it
    Draft draft;
    draft.begin(*drawn, choose);
    name = schema.name;
    return draft;
  }
}

Draft draw_several(const GeneratorOptions& options, std::uint64_t number) {
  constexpr unsigned tries = 8;
  check::Random random = stream(options.seed, Purpose::graph, number);
  Chooser choose(random);
  const std::size_t wanted = 2 + choose.below(options.most_nodes - 1);
  Draft draft;
  while (draft.nodes() == 0)
    if (const auto drawn = draw_op(*choose.element(ir::all_schemas()), {.is_small = true, .tries = tries}, choose))
      draft.begin(*drawn, choose);
  // A value that nothing fits, as one of an odd dtype, must not hold it up for ever.
  for (std::size_t k = 0; k < 40 * wanted && draft.nodes() < wanted; ++k) draft.grow(choose);
  return draft;
}

}  // namespace

const ir::OpSchema& op_of_case(const GeneratorOptions& options, std::uint64_t number) {
  return op_in_order(options, number, 0);
}

DrawnCase draw_case(const GeneratorOptions& options, std::uint64_t number) {
  std::string name = "graph";
  const Draft draft = is_single(number) ? draw_single(options, number, name) : draw_several(options, number);
  DrawnCase drawn{.name = fmt::format("{:06}.{}", number, name), .file = draft.file()};
  drawn.file.why = fmt::format("plumb fuzz, generator {}, --seed {}, case {}", generator_version, options.seed, number);
  if (!is_single(number)) drawn.file.why += fmt::format(", --nodes {}", options.most_nodes);
  return drawn;
}

Judging judging_of(const GeneratorOptions& options, std::uint64_t block) {
  check::Random random = stream(options.seed, Purpose::judging, block);
  Chooser choose(random);
  Judging made{.seed = 1 + choose.below(1'000'000)};
  made.relations = choose.once_in(4);
  if (choose.once_in(8)) made.repeat = 2;
  made.no_fuse = choose.once_in(8);
  made.other_kernels = choose.once_in(8);
  if (choose.once_in(3)) return made;
  constexpr auto kinds = enum_names(ir::AdversarialKind{});
  const std::uint64_t kind = choose.below(kinds.size() + 1);
  made.fill = kind == kinds.size() ? "exact" : fmt::format("adversarial:{}", kinds[kind]);
  return made;
}

}  // namespace plumb::parity::studies::fuzz
