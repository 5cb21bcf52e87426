// Pairs tensors and values by map, by name and by norm; what is ambiguous stays without a pair.
#include "parity/foreign/pairing.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "parity/core/terminal/table.hpp"

namespace plumb::parity::foreign {
namespace {

constexpr double norm_tolerance = 1e-3;
constexpr std::size_t most_listed = 20;

/// Pairs the values of one graph.
class ByName {
 public:
  ByName(const Names& names, const std::vector<Offered>& offered) : names_(names), offered_(offered) {
    for (std::size_t k = 0; k < offered.size(); ++k) places_.emplace(offered[k].name, k);
  }

  void by_map(const NameMap& map);
  void exact();
  void normal();

  Pairs pairs;

 private:
  std::size_t apply(const NameMap& map, const MapRule& rule, const std::string& ours,
                    const std::vector<ir::Value>& values);
  void pair(const std::vector<ir::Value>& values, std::size_t tensor, Pairing method) {
    for (const ir::Value value : values)
      if (pairs.values.emplace(value, Paired{tensor, method, {}}).second) used_.insert(tensor);
  }
  std::string nearest_offer(std::string_view name) const {
    std::vector<std::string> words;
    for (const Offered& one : offered_) words.push_back(one.name);
    return nearest(name, words);
  }
  std::string nearest_value(std::string_view name) const {
    std::vector<std::string> words;
    for (const auto& [word, values] : names_.all()) words.push_back(word);
    return nearest(name, words);
  }
  void normal(const std::vector<std::string>& keys);

  const Names& names_;
  const std::vector<Offered>& offered_;
  std::map<std::string, std::size_t, std::less<>> places_;
  std::map<ir::Value, std::size_t> lines_;  ///< lines of the map that paired these
  std::set<std::size_t> used_;
};

/// Returns 1 where the tensor that the rule names is there.
std::size_t ByName::apply(const NameMap& map, const MapRule& rule, const std::string& ours,
                          const std::vector<ir::Value>& values) {
  const auto theirs = rule.theirs_of(ours);
  const auto found = theirs ? places_.find(*theirs) : places_.end();
  if (found == places_.end()) return 0;
  const ir::TensorType& type = offered_[found->second].type;
  ir::require(rule.transpose.empty() || rule.transpose.size() == type.shape.size(), map.file, ':', rule.line,
              ": transposes ", rule.transpose.size(), " axes, and '", *theirs, "' is ", type);
  for (const ir::Value value : values) {
    const auto [place, is_new] = pairs.values.emplace(value, Paired{found->second, Pairing::map, rule.transpose});
    ir::require(is_new || place->second == Paired{found->second, Pairing::map, rule.transpose}, map.file, ':',
                rule.line, ": '", ours, "' is '", *theirs, "' here, and '", offered_[place->second.tensor].name,
                "' by line ", lines_[value]);
    lines_.emplace(value, rule.line);
    used_.insert(found->second);
  }
  return 1;
}

void ByName::by_map(const NameMap& map) {
  constexpr std::size_t most_searched = 20;
  std::size_t searched = 0;
  for (const MapRule& rule : map.rules) {
    std::size_t ours = 0, both = 0;
    if (rule.has_star()) {
      for (const auto& [name, values] : names_.all()) {
        if (!rule.theirs_of(name)) continue;
        ++ours;
        both += apply(map, rule, name, values);
      }
    } else if (const auto values = names_.find(rule.ours); !values.empty()) {
      ours = 1;
      both = apply(map, rule, rule.ours, values);
    }
    if (both > 0) continue;
    const bool is_searched = ++searched <= most_searched;
    const std::string& missing = ours == 0 ? rule.ours : rule.theirs;
    const std::string near = !is_searched ? "" : ours == 0 ? nearest_value(missing) : nearest_offer(missing);
    pairs.notes.push_back(ir::cat(map.file, ':', rule.line, ": matches nothing: no ", ours == 0 ? "value" : "tensor",
                                  " is called '", missing, "'", near));
  }
}

void ByName::exact() {
  for (const bool is_own : {true, false})
    for (std::size_t k = 0; k < offered_.size(); ++k)
      if (names_.is_own(offered_[k].name) == is_own) pair(names_.find(offered_[k].name), k, Pairing::exact);
}

void ByName::normal(const std::vector<std::string>& keys) {
  struct Group {
    std::set<ir::Value> values;
    std::size_t widest = 0;  ///< the most values that one name of them stands for
    std::vector<std::size_t> tensors;
  };
  std::map<std::string, Group> groups;
  for (std::size_t k = 0; k < keys.size(); ++k) groups[keys[k]].tensors.push_back(k);
  for (const auto& [name, values] : names_.all()) {
    const auto found = groups.find(normalised(name));
    if (found == groups.end()) continue;
    found->second.values.insert(values.begin(), values.end());
    found->second.widest = std::max(found->second.widest, values.size());
  }
  for (const auto& [key, group] : groups) {
    const std::vector<ir::Value> values(group.values.begin(), group.values.end());
    const bool is_open = std::ranges::any_of(values, [&](ir::Value v) { return !pairs.values.contains(v); }) &&
                         std::ranges::any_of(group.tensors, [&](std::size_t k) { return !used_.contains(k); });
    if (!is_open) continue;
    const std::string& first = offered_[group.tensors.front()].name;
    if (group.tensors.size() > 1)
      pairs.notes.push_back(ir::cat("'", first, "' and '", offered_[group.tensors[1]].name,
                                    "' are not paired: they differ in case or separators alone"));
    else if (group.values.size() > group.widest)
      pairs.notes.push_back(ir::cat("'", first, "' is not paired: ", group.values.size(),
                                    " values of the graph have that name but for case or separators"));
    else
      pair(values, group.tensors.front(), Pairing::normal);
  }
}

void ByName::normal() {
  std::vector<std::string> keys;
  for (const Offered& one : offered_) keys.push_back(normalised(one.name));
  normal(keys);
  const std::string prefix = shared_prefix(keys);
  if (prefix.empty()) return;
  for (std::string& key : keys) key.erase(0, prefix.size());
  normal(keys);
}

/// Tensors that may be one another: a shape, and a class of dtypes.
using Likeness = std::pair<ir::Shape, int>;

Likeness likeness_of(const ir::TensorType& type) {
  const int dtypes = ir::is_float(type.dtype) ? 0 : ir::is_integer(type.dtype) ? 1 : ir::is_complex(type.dtype) ? 2 : 3;
  return {type.shape, dtypes};
}

bool says_something(double norm) { return std::isfinite(norm) && norm > 0; }

bool is_near(double norm, double truth) { return std::fabs(norm - truth) <= norm_tolerance * truth; }

}  // namespace

Pairs pair_by_name(const Names& names, const std::vector<Offered>& offered, const std::optional<NameMap>& map) {
  ByName by(names, offered);
  if (map) by.by_map(*map);
  by.exact();
  by.normal();
  return std::move(by.pairs);
}

double norm_of(const ir::TensorView& tensor) {
  double sum = 0;
  ir::visit_any(tensor.dtype(), [&]<class T>(T) {
    for (const T x : tensor.as<T>()) {
      if constexpr (ir::is_complex(ir::dtype_of<T>))
        sum += std::norm(std::complex<double>(x));
      else if constexpr (std::is_same_v<T, ir::f16> || std::is_same_v<T, ir::bf16>)
        sum += static_cast<double>(static_cast<float>(x)) * static_cast<double>(static_cast<float>(x));
      else
        sum += static_cast<double>(x) * static_cast<double>(x);
    }
  });
  return std::sqrt(sum);
}

void pair_by_statistics(const ir::Graph& graph, const std::vector<Offered>& offered, const ValueNorms& truths,
                        const std::function<double(std::size_t tensor)>& norm, Pairs& pairs) {
  std::map<Likeness, std::vector<std::pair<ir::Value, double>>> values;
  std::map<Likeness, std::vector<std::pair<std::size_t, double>>> tensors;
  std::set<Likeness> open;
  for (const auto& [value, truth] : truths) {
    if (!graph.defined(value) || graph.is_source(value)) continue;
    values[likeness_of(graph.type(value))].emplace_back(value, truth);
    if (!pairs.values.contains(value)) open.insert(likeness_of(graph.type(value)));
  }
  std::set<std::size_t> used;
  for (const auto& [value, paired] : pairs.values) used.insert(paired.tensor);
  for (std::size_t k = 0; k < offered.size(); ++k)
    if (open.contains(likeness_of(offered[k].type))) tensors[likeness_of(offered[k].type)].emplace_back(k, norm(k));
  for (const auto& [alike, theirs] : tensors) {
    const auto& ours = values[alike];
    for (const auto& [value, truth] : ours) {
      if (pairs.values.contains(value) || !says_something(truth)) continue;
      const auto near = [&, t = truth](const auto& one) { return is_near(one.second, t); };
      const auto tensor = std::ranges::find_if(theirs, near);
      if (tensor == theirs.end() || std::ranges::count_if(theirs, near) != 1 || used.contains(tensor->first)) continue;
      const auto near_truth = [&](const auto& one) { return is_near(tensor->second, one.second); };
      if (std::ranges::count_if(ours, near_truth) != 1) continue;
      pairs.values.emplace(value, Paired{tensor->first, Pairing::statistics, {}});
      used.insert(tensor->first);
    }
  }
}

std::vector<std::string> unmatched(const Names& names, const std::vector<Offered>& offered, const Pairs& pairs) {
  std::set<std::size_t> used;
  for (const auto& [value, paired] : pairs.values) used.insert(paired.tensor);
  std::vector<std::string> words, notes;
  for (const auto& [name, values] : names.all()) words.push_back(name);
  std::size_t more = 0;
  for (std::size_t k = 0; k < offered.size(); ++k) {
    const std::string& name = offered[k].name;
    if (used.contains(k) || names.all().contains(name)) continue;
    if (notes.size() < most_listed)
      notes.push_back(ir::cat("'", name, "' is no value of the graph", nearest(name, words)));
    else
      ++more;
  }
  if (more > 0) notes.push_back(ir::cat(core::terminal::counted(more, "more tensor"), " without a value"));
  return notes;
}

}  // namespace plumb::parity::foreign
