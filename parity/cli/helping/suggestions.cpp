// Where the values of flags come from, by the types that help shows.
#include "parity/cli/helping/suggestions.hpp"

#include <chrono>
#include <filesystem>
#include <functional>
#include <future>
#include <thread>

#include "gpu_vulkan/vulkan_executor.hpp"
#include "ir/attribute.hpp"
#include "ir/registered_op.hpp"
#include "parity/cli/command.hpp"
#include "parity/cli/flags/device_flags.hpp"
#include "parity/cli/flags/model_files.hpp"
#include "parity/cli/helping/pages.hpp"
#include "parity/cli/helping/tree.hpp"
#include "parity/cli/planting/plants.hpp"
#include "parity/cli/verifying/case_tags.hpp"
#include "parity/power/faults/fault.hpp"

namespace plumb::parity::cli {
namespace {

using Suggestions = std::vector<Suggestion>;
using Milliseconds = std::chrono::milliseconds;

/// Looks in a thread of its own, and returns what was found within this time: nothing where it takes longer or throws.
/// The thread is not ended, so that all it uses has to be its own.
Suggestions found_within(Milliseconds limit, std::function<Suggestions()> look) {
  std::packaged_task<Suggestions()> task(std::move(look));
  std::future<Suggestions> found = task.get_future();
  std::thread(std::move(task)).detach();
  if (found.wait_for(limit) != std::future_status::ready) return {};
  try {
    return found.get();
  } catch (const std::exception&) {
    return {};
  }
}

/// Asks `of` about each graph on the line. They are read within 120 ms, or none is.
Suggestions in_graphs(const GivenWords& given, std::function<Suggestions(const ir::formats::GraphFile&)> of) {
  constexpr Milliseconds longest(120);
  return found_within(longest, [given, of = std::move(of)] {
    Suggestions all;
    flags::ModelFlags model;
    model.shapes = given.shapes;
    const auto read = flags::node_reader(model);
    for (const std::string& path : given.files) {
      std::error_code problem;
      if (!std::filesystem::is_regular_file(path, problem)) continue;
      for (Suggestion& one : of(read(path))) all.push_back(std::move(one));
    }
    return all;
  });
}

Suggestions labels(const std::string&, const GivenWords& given) {
  return in_graphs(given, [](const ir::formats::GraphFile& file) {
    Suggestions all;
    for (const ir::Node& node : file.graph.nodes()) all.push_back({node.label, std::string(node.op.name())});
    return all;
  });
}

/// Labels as regular expressions. One that begins with ^ is gone on with.
Suggestions label_expressions(const std::string& begun, const GivenWords& given) {
  Suggestions all = labels(begun, given);
  for (Suggestion& one : all) {
    std::string expression = begun.starts_with('^') ? "^" : "";
    for (const char c : one.word) {
      if (std::string_view("\\^$|()[]{}*+?").find(c) != std::string_view::npos) expression += '\\';
      expression += c;
    }
    one.word = std::move(expression);
  }
  return all;
}

Suggestions op_names(const std::string&, const GivenWords&) {
  Suggestions all;
  for (const ir::OpSchema* const schema : ir::known_schemas())
    all.push_back({std::string(schema->name), std::string(schema->summary)});
  return all;
}

Suggestions device_names(const std::string&, const GivenWords&) {
  constexpr Milliseconds longest(2000);  // drivers are loaded
  return found_within(longest, [] {
    Suggestions all;
    const auto devices = gpu_vulkan::list_devices();
    for (std::size_t i = 0; i < devices.size(); ++i) all.push_back({std::to_string(i), devices[i].facts.name});
    all.push_back({"cpu", "software Vulkan"});
    return all;
  });
}

/// The tags that every case has of itself, and those of the graphs. Of an expression the last name is at the cursor.
Suggestions tag_names(const std::string& begun, const GivenWords& given) {
  const std::string before = begun.substr(0, begun.find_last_of(" (") + 1);
  Suggestions all = in_graphs(given, [](const ir::formats::GraphFile& file) {
    Suggestions own;
    for (const std::string& tag : file.tags) own.push_back({tag, "of the graph"});
    return own;
  });
  for (const std::string& tag : known_tags()) all.push_back({tag, ""});
  for (Suggestion& one : all) one.word.insert(0, before);
  return all;
}

Suggestions faults_of_power(const std::string&, const GivenWords&) {
  Suggestions all;
  for (const power::faults::Fault& fault : power::faults::all_faults())
    all.push_back({std::string(fault.name), std::string(fault.summary)});
  return all;
}

/// FAULT@, and behind it the nodes to plant it in.
Suggestions plants(const std::string& begun, const GivenWords& given) {
  const std::size_t at = begun.find('@');
  Suggestions all;
  if (at == begun.npos)
    for (const std::string& name : plant_names()) all.push_back({name + '@', ""});
  else
    all = labels(begun, given);
  for (Suggestion& one : all) one.word.insert(0, begun, 0, at == begun.npos ? 0 : at + 1);
  return all;
}

/// NAME=, and behind it the choices where there are some.
Suggestions knobs(const std::string& begun, const GivenWords&) {
  Suggestions all;
  for (const auto& option : gpu_vulkan::device::vulkan_option_infos()) {
    const std::string name = std::string(option.name) + '=';
    if (!begun.starts_with(name)) {
      all.push_back({name, std::string(option.doc)});
      continue;
    }
    for (const std::string_view choice : option.choices) all.push_back({name + std::string(choice), ""});
  }
  return all;
}

Suggestions topics(const std::string&, const GivenWords&) {
  Suggestions all;
  for (const Command& command : commands) all.push_back({std::string(command.name), std::string(command.help)});
  for (const std::string& name : page_names()) all.push_back({name, title_of(page_of(name))});
  return all;
}

struct Source {
  std::string_view type;
  Suggestions (*find)(const std::string& begun, const GivenWords& given);
};
constexpr Source sources_of_values[] = {
    {"LABEL", labels},   {"LABELS", label_expressions}, {"OP", op_names},  {"DEVICE", device_names},
    {"TAGS", tag_names}, {"FAULTS", faults_of_power},   {"FAULT", plants}, {"KNOB", knobs},
    {"TOPIC", topics},
};

/// The words of "TEXT:{a,b}".
Suggestions choices_of(const std::string& type) {
  const std::size_t begin = type.find('{'), end = type.find('}');
  if (begin == type.npos || end == type.npos) return {};
  Suggestions all;
  std::string words = type.substr(begin + 1, end - begin - 1);
  for (std::size_t at = 0; at <= words.size();) {
    const std::size_t comma = std::min(words.find(',', at), words.size());
    all.push_back({words.substr(at, comma - at), ""});
    at = comma + 1;
  }
  return all;
}

}  // namespace

Suggestions values_of(const CLI::Option& option, const std::string& begun, const GivenWords& given) {
  const bool is_list = option.get_delimiter() != '\0';
  const std::string before = is_list ? begun.substr(0, begun.find_last_of(option.get_delimiter()) + 1) : "";
  const std::string type = option.get_type_name();
  Suggestions all = choices_of(type);
  for (const Source& source : sources_of_values)
    if (type.substr(0, type.find_first_of("[,=:")) == source.type)
      all = source.find(begun.substr(before.size()), given);
  for (Suggestion& one : all) one.word.insert(0, before);
  return all;
}

}  // namespace plumb::parity::cli
