// `plumb attack`: candidates that cheat, each judged by a command of ours in a process of its own; none may pass.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "ir/files/process.hpp"
#include "ir/formats/regular_expression.hpp"
#include "library/own_files.hpp"
#include "parity/check/attack_list.hpp"
#include "parity/cli/command.hpp"
#include "parity/cli/flags/output_flags.hpp"
#include "parity/cli/flags/validators.hpp"
#include "parity/core/parallel.hpp"
#include "parity/core/terminal/shell_word.hpp"
#include "parity/core/terminal/table.hpp"
#include "parity/core/terminal/text.hpp"

namespace plumb::parity::cli {
namespace {

using check::Attack;

struct AttackFlags {
  std::string list, filter, json;
  unsigned jobs = 0;
  bool quiet = false, force = false;
};

/// How an attack ended.
enum class Ending {
  as_it_must,
  accepted,      ///< a cheat passed
  refused,       ///< an honest candidate did not
  other_reason,  ///< a cheat was refused for another reason, or with another exit code
};

constexpr auto enum_names(Ending) {
  return std::array<std::string_view, 4>{"as_it_must", "accepted", "refused", "other_reason"};
}

struct Attacked {
  Ending ending = Ending::as_it_must;
  int exit = 0;
  std::string said = {};  ///< the end of what was said of it
};

std::string command_of(const Attack& attack) {
  std::string text = "plumb";
  for (const std::string& word : attack.words) text += ' ' + core::terminal::shell_word(word);
  return text;
}

/// The output without the lines that repeat a command, in which the name of a cheat may be what its reason looks for.
std::string without_commands(const std::string& output) {
  std::istringstream lines(output);
  std::string kept;
  for (std::string line; std::getline(lines, line);) {
    const std::string_view words = std::string_view(line).substr(std::min(line.find_first_not_of(' '), line.size()));
    if (!words.starts_with("again: ") && !words.starts_with("repro: ")) kept += line + '\n';
  }
  return kept;
}

Attacked judge(const Attack& attack, const std::string& program) {
  std::vector<std::string> words = {program};
  words.insert(words.end(), attack.words.begin(), attack.words.end());
  const ir::files::ProcessEnd end = ir::files::run_process(words);
  Attacked made{.exit = end.status, .said = ir::files::last_lines(end.output, 8)};
  if (!end.signal.empty()) made.said += "\nplumb was ended by " + end.signal;
  const bool has_ended = end.signal.empty() && !end.is_late;
  const bool passed = has_ended && end.status == 0;
  if (attack.is_control) {
    made.ending = passed ? Ending::as_it_must : Ending::refused;
  } else if (passed) {
    made.ending = Ending::accepted;
  } else if (!has_ended || end.status != attack.exit ||
             !ir::formats::RegularExpression(attack.reason, "reason").is_in(without_commands(end.output))) {
    made.ending = Ending::other_reason;
  }
  return made;
}

/// Judges all of them, several at a time.
std::vector<Attacked> judge_all(const std::vector<Attack>& attacks, unsigned jobs) {
  const std::string program = library::own_program("plumb");
  std::vector<Attacked> made(attacks.size());
  std::vector<std::exception_ptr> problems(attacks.size());
  core::for_each_piece(attacks.size(), std::max(jobs, 1u), [&](std::size_t k, std::size_t) {
    try {
      made[k] = judge(attacks[k], program);
    } catch (...) {
      problems[k] = std::current_exception();
    }
  });
  for (const std::exception_ptr& problem : problems)
    if (problem) std::rethrow_exception(problem);
  return made;
}

void say(std::ostream& out, const Attack& attack, const Attacked& one, bool quiet) {
  const bool is_good = one.ending == Ending::as_it_must;
  if (is_good && quiet) return;
  const std::string_view what = is_good ? (attack.is_control ? "passed" : "refused") : ir::enum_name(one.ending);
  out << core::terminal::printable(fmt::format("{:<14}  {:<32}  {}\n", attack.family, attack.name, what));
  if (is_good) return;
  out << core::terminal::printable("    again: " + command_of(attack)) << '\n';
  if (!attack.is_control)
    out << core::terminal::printable(
        fmt::format("    wanted exit {} and /{}/, got exit {}:\n", attack.exit, attack.reason, one.exit));
  out << core::terminal::printable(one.said) << '\n';
}

nlohmann::ordered_json as_json(const Attack& attack, const Attacked& one) {
  return {{"name", attack.name},
          {"family", attack.family},
          {"control", attack.is_control},
          {"ending", ir::enum_name(one.ending)},
          {"exit", one.exit},
          {"command", command_of(attack)},
          {"said", one.said}};
}

int run(const AttackFlags& flags) {
  const std::string list = flags.list.empty() ? library::own_attacks() : flags.list;
  const flags::Outputs outputs{.force = flags.force, .inputs = {list}};
  const auto json = outputs.open(flags.json, ir::files::FileKind::json);
  std::vector<Attack> attacks = check::read_attacks(list);
  const ir::formats::RegularExpression chosen(flags.filter, "--filter");
  std::erase_if(attacks, [&](const Attack& one) { return !chosen.is_in(one.name) && !chosen.is_in(one.family); });
  ir::require(!attacks.empty(), "no attack matches --filter '", flags.filter, "'");
  std::ostream& out = flags.json == "-" ? std::cerr : std::cout;
  const auto made = judge_all(attacks, flags.jobs != 0 ? flags.jobs : std::thread::hardware_concurrency());
  nlohmann::ordered_json report = nlohmann::ordered_json::array();
  std::size_t cheats = 0, refused = 0, controls = 0, passed = 0;
  for (std::size_t k = 0; k < attacks.size(); ++k) {
    say(out, attacks[k], made[k], flags.quiet);
    report.push_back(as_json(attacks[k], made[k]));
    const bool is_good = made[k].ending == Ending::as_it_must;
    (attacks[k].is_control ? controls : cheats) += 1;
    (attacks[k].is_control ? passed : refused) += is_good ? 1 : 0;
  }
  out << fmt::format("{} of {} refused, {} of {} passed\n", refused, core::terminal::counted(cheats, "cheat"), passed,
                     core::terminal::counted(controls, "control"));
  flags::write_whole(json, json ? report.dump(2) + "\n" : "");
  return refused == cheats && passed == controls ? 0 : 1;
}

}  // namespace

Action attack(CLI::App& app) {
  const auto flags = std::make_shared<AttackFlags>();
  app.add_option("list", flags->list, "a list of attacks (TOML, docs/foreign_backends.md); the one that ships, if not")
      ->type_name("FILE");
  app.add_option("--filter", flags->filter, "only attacks of which the name or the family matches")->type_name("RE");
  app.add_option("--jobs", flags->jobs, "how many run at once; 0: one for every core")
      ->check(flags::whole_from_to(0, 256))
      ->capture_default_str();
  flags::add_output(app, "--json", flags->json, "write the endings as JSON to this file, or - for stdout");
  flags::add_force_flag(app, flags->force);
  app.add_flag("-q,--quiet", flags->quiet, "print only what did not end as it must, and the last line");
  return [flags] { return run(*flags); };
}

}  // namespace plumb::parity::cli
