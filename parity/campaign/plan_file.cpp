// Reads campaigns in TOML: keys of a job, and flags of its command, with _ for -.
#include "parity/campaign/plan_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <string_view>

#include "ir/attribute.hpp"
#include "ir/error.hpp"
#include "ir/files/read_file.hpp"
#include "parity/core/did_you_mean.hpp"
#include "parity/core/duration.hpp"
#include "parity/core/toml_text.hpp"

namespace plumb::parity::campaign {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t most_plan_bytes = 1 << 24;
constexpr std::uint64_t most_seeds = 1'000'000, most_cases = 1'000'000'000, most_shards = 65'535, most_retries = 10;
constexpr std::size_t most_variants = 10'000;
constexpr std::string_view plan_schema = "plumb-campaign/1";

/// Flags that a campaign says itself, or that say what to do with results, which it gathers.
const std::vector<std::string_view> flags_of_ours = {
    "seed",         "seeds",        "policy", "output", "o",      "json",    "junit",  "counts",
    "markdown",     "html",         "github", "device", "jobs",   "retries", "resume", "shard",
    "case_timeout", "share_device", "times",  "list",   "budget", "child",   "force",  "first",
    "count",        "corpus",       "keep",   "write",  "merge",  "replay",  "hostile",
    "threads"};

/// A value with its place in the file, for messages.
struct Entry {
  const toml::node& value;
  const fs::path& file;
  std::string_view key;

  std::string where() const { return ir::cat(file.string(), ':', value.source().begin.line, ": "); }

  template <class... Parts>
  void need(bool holds, const Parts&... parts) const {
    ir::require(holds, where(), parts...);
  }

  std::string text() const {
    const auto found = value.value_exact<std::string>();
    need(found && !found->empty(), key, " must be a string that is not empty, found ", core::kind_of(value));
    return *found;
  }

  std::uint64_t whole(std::uint64_t least, std::uint64_t most) const {
    const auto found = value.value_exact<std::int64_t>();
    need(found.has_value(), key, " must be a whole number, found ", core::kind_of(value));
    need(*found >= 0 && static_cast<std::uint64_t>(*found) >= least && static_cast<std::uint64_t>(*found) <= most, key,
         " must be from ", least, " to ", most, ", found ", *found);
    return static_cast<std::uint64_t>(*found);
  }

  bool yes() const {
    const auto found = value.value_exact<bool>();
    need(found.has_value(), key, " must be true or false, found ", core::kind_of(value));
    return *found;
  }

  std::vector<std::string> texts() const {
    need(value.is_array() && !value.as_array()->empty(), key, " must be a list of strings, found ",
         core::kind_of(value));
    std::vector<std::string> all;
    for (const toml::node& one : *value.as_array()) all.push_back(Entry{one, file, key}.text());
    return all;
  }

  const toml::table& table() const {
    need(value.is_table(), key, " must be a table, found ", core::kind_of(value));
    return *value.as_table();
  }

  double seconds() const {
    const std::string said = text();
    try {
      return core::seconds_with_unit(key, said);
    } catch (const ir::Error& problem) {
      ir::fail(where(), problem.what());
    }
  }

  /// The words of a flag: "--dtype=f16"; of one that has no value "--metamorphic", or none.
  std::vector<std::string> words() const {
    std::string flag = ir::cat("--", key);
    std::ranges::replace(flag, '_', '-');
    if (value.is_boolean()) return yes() ? std::vector<std::string>{flag} : std::vector<std::string>{};
    if (value.is_string()) return {flag + '=' + text()};
    std::string number;
    value.visit([&](const auto& node) {
      if constexpr (toml::is_number<decltype(node)>) number = fmt::format("{}", node.get());
    });
    need(!number.empty(), key, " must be a string, a number or a truth value, found ", core::kind_of(value));
    return {flag + '=' + number};
  }
};

/// The keys of a table, which replace those of the same names.
using Said = std::map<std::string, const toml::node*, std::less<>>;

const std::vector<std::string> keys_of_defaults = {"policy", "retries", "timeout", "seeds", "seeds_per_task"};

std::vector<std::string> keys_of(Kind kind) {
  std::vector<std::string> keys = {"kind", "retries", "timeout", "with", "seed"};
  const auto add = [&](std::initializer_list<const char*> more) { keys.insert(keys.end(), more.begin(), more.end()); };
  if (kind != Kind::fuzz) add({"cases"});
  if (kind == Kind::verify) add({"policy", "seeds", "seeds_per_task", "counts"});
  if (kind == Kind::power) add({"policy"});
  if (kind == Kind::fuzz) add({"count", "count_per_task"});
  if (kind == Kind::conformance) {
    add({"shards"});
    std::erase(keys, "seed");
  }
  return keys;
}

void require_known(const toml::table& table, const fs::path& file, const std::vector<std::string>& known,
                   std::string_view of) {
  for (const auto& [name, value] : table)
    if (!std::ranges::count(known, name.str()))
      ir::fail(Entry{value, file, name.str()}.where(), "there is no key '", name.str(), "' of ", of,
               core::did_you_mean(name.str(), known));
}

/// All choices of one value from each list.
std::vector<std::vector<std::string>> variants_of(const Entry& with) {
  std::vector<std::vector<std::string>> variants = {{}};
  for (const auto& [name, value] : with.table()) {
    const Entry said{value, with.file, name.str()};
    std::string flag(name.str());
    std::ranges::replace(flag, '-', '_');
    said.need(!std::ranges::count(flags_of_ours, flag), "with: '", name.str(),
              "' is not for a job to say so: the campaign does, by its own keys and by the flags of run and gather");
    std::vector<std::vector<std::string>> choices;
    if (value.is_array())
      for (const toml::node& one : *value.as_array()) choices.push_back(Entry{one, with.file, name.str()}.words());
    else
      choices.push_back(said.words());
    said.need(!choices.empty(), "with: '", name.str(), "' is an empty list, which leaves nothing to run");
    said.need(variants.size() * choices.size() <= most_variants, "with: more than ", most_variants, " choices");
    std::vector<std::vector<std::string>> all;
    for (const auto& variant : variants)
      for (const auto& words : choices) {
        all.push_back(variant);
        all.back().insert(all.back().end(), words.begin(), words.end());
      }
    variants = std::move(all);
  }
  return variants;
}

Job job_of(const toml::table& table, const fs::path& file, const Said& defaults) {
  Job job{.where = ir::cat(file.string(), ':', table.source().begin.line)};
  const toml::node* const kind = table.get("kind");
  ir::require(kind != nullptr, job.where, ": this job has no kind: verify, power, fuzz or conformance");
  const Entry said_kind{*kind, file, "kind"};
  const auto names = enum_names(Kind{});
  const auto known_kind = ir::enum_value<Kind>(said_kind.text());
  said_kind.need(known_kind.has_value(), "there is no kind '", said_kind.text(), "' of a job",
                 core::did_you_mean(said_kind.text(), {names.begin(), names.end()}));
  job.kind = *known_kind;
  const std::vector<std::string> known = keys_of(job.kind);
  require_known(table, file, known, ir::cat("a job of kind ", said_kind.text()));
  Said all;
  for (const auto& [key, value] : defaults)
    if (std::ranges::count(known, key)) all.emplace(key, value);
  for (const auto& [name, value] : table) all.insert_or_assign(std::string(name.str()), &value);
  const auto with_key = [&](std::string_view key, const auto& take) {
    if (const auto found = all.find(key); found != all.end()) take(Entry{*found->second, file, found->first});
  };
  with_key("cases", [&](const Entry& said) { job.cases = said.texts(); });
  with_key("policy", [&](const Entry& said) { job.policy = said.text(); });
  with_key("seed", [&](const Entry& said) { job.seed = said.whole(1, std::numeric_limits<std::int64_t>::max()); });
  with_key("seeds", [&](const Entry& said) { job.seeds = said.whole(1, most_seeds); });
  with_key("seeds_per_task", [&](const Entry& said) { job.seeds_per_task = said.whole(1, most_seeds); });
  with_key("counts", [&](const Entry& said) { job.counts = said.yes(); });
  with_key("count", [&](const Entry& said) { job.count = said.whole(1, most_cases); });
  with_key("count_per_task", [&](const Entry& said) { job.count_per_task = said.whole(1, most_cases); });
  with_key("shards", [&](const Entry& said) { job.shards = said.whole(1, most_shards); });
  with_key("retries", [&](const Entry& said) { job.retries = static_cast<unsigned>(said.whole(0, most_retries)); });
  with_key("timeout", [&](const Entry& said) { job.timeout = said.seconds(); });
  with_key("with", [&](const Entry& said) { job.variants = variants_of(said); });
  ir::require(job.kind == Kind::fuzz || !job.cases.empty(), job.where, ": this job has no cases");
  ir::require(job.kind != Kind::fuzz || job.count > 0, job.where, ": this job has no count of cases to draw");
  return job;
}

void take_devices(const toml::table& table, const fs::path& file, Plan& plan) {
  require_known(table, file, {"use", "every"}, "devices");
  if (const toml::node* const use = table.get("use")) plan.devices = Entry{*use, file, "use"}.texts();
  if (const toml::node* const every = table.get("every")) plan.every = Entry{*every, file, "every"}.yes();
}

}  // namespace

Plan read_plan(const fs::path& file) {
  const toml::table text = core::parse_toml(ir::files::read_named_text(file, most_plan_bytes), file.string());
  ir::require(text["schema"].value<std::string>() == plan_schema, file.string(), ": wanted schema = \"", plan_schema,
              "\", as a campaign has it (docs/campaign.md)");
  require_known(text, file, {"schema", "defaults", "job", "devices"}, "a campaign");
  Plan plan{.file = file};
  Said defaults;
  if (const toml::node* const said = text.get("defaults")) {
    const toml::table& table = Entry{*said, file, "defaults"}.table();
    require_known(table, file, keys_of_defaults, "defaults");
    for (const auto& [name, value] : table) defaults.emplace(name.str(), &value);
  }
  if (const toml::node* const said = text.get("devices"))
    take_devices(Entry{*said, file, "devices"}.table(), file, plan);
  const toml::node* const jobs = text.get("job");
  ir::require(jobs != nullptr, file.string(), ": has no [[job]]");
  const Entry said{*jobs, file, "job"};
  said.need(jobs->is_array() && !jobs->as_array()->empty(), "job must be a list of tables, [[job]], found ",
            core::kind_of(*jobs));
  for (const toml::node& one : *jobs->as_array())
    plan.jobs.push_back(job_of(Entry{one, file, "job"}.table(), file, defaults));
  return plan;
}

}  // namespace plumb::parity::campaign
