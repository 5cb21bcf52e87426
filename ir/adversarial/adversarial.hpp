// Numbers that are hard on the arithmetic of the graph that reads them (verdict.md V55, docs/fills.md).
#pragma once

#include "ir/fill.hpp"
#include "ir/graph.hpp"

namespace plumb::ir::adversarial {

inline constexpr std::size_t kind_count = enum_names(AdversarialKind{}).size();

/// The kind of a run that names none: they take turns.
AdversarialKind kind_of_seed(std::uint64_t seed);

/// The kind called `name`. Throws Error for any other, with the name that is nearest to it and all there are.
AdversarialKind kind_named(std::string_view name);

/// A source of a graph filled with numbers of a kind, or that of the seed; the same numbers on every machine. What they
/// are depends on how the graph uses the source: operands of a sum know its axes and its number of terms, one of them
/// has the numbers of the kind and the others do not spoil them; scores are exponents; variances are not negative;
/// indices are in range, integers that are none what default_fill makes, but both ends of their dtype among `edges`.
/// Floats are in the range of their dtype, and finite unless the kind says otherwise.
Tensor fill(const Graph& graph, Value source, std::optional<AdversarialKind> kind, std::uint64_t seed,
            std::uint32_t stream);

}  // namespace plumb::ir::adversarial
