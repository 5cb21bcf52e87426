#pragma once

#include <unordered_map>
#include <vector>

#include "ir/op.hpp"

namespace plumb::ir {

/// An executor's entry for each op that it implements.
template <class Entry>
using OpTable = std::unordered_map<const OpSchema*, Entry>;

/// The op types that have a file in some ops/ folder; written by CMake.
template <class... T>
struct OpList {
  /// Calls entry.operator()<T>() for each op.
  template <class Entry, class Fn>
  static OpTable<Entry> table([[maybe_unused]] Fn entry) {
    return {{&schema<T>(), entry.template operator()<T>()}...};
  }
  static std::vector<const OpSchema*> schemas() { return {&schema<T>()...}; }
};

/// Every op, in alphabetical order.
const std::vector<const OpSchema*>& all_schemas();

/// The op called `name`, or null.
const OpSchema* find_schema(std::string_view name);

}  // namespace plumb::ir
