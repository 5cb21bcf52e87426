// `plumb completion`: scripts by which a shell asks this program what may stand where the cursor is.
#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

#include "parity/cli/command.hpp"
#include "parity/cli/flags/validators.hpp"

namespace plumb::parity::cli {
namespace {

struct ShellScript {
  std::string_view shell, text;
};

// bash splits words at =, : and @, and puts what it is given behind the last of these: what stands before is taken off.
constexpr ShellScript shell_scripts[] = {
    {"bash", R"script(# Completion of plumb in bash: source <(plumb completion bash)
_plumb() {
  local word=${COMP_LINE:0:COMP_POINT} line _
  word=${word##*[[:blank:]]}
  COMPREPLY=()
  while IFS=$'\t' read -r line _; do
    [[ $word == [\'\"]* ]] || printf -v line %q "$line"
    COMPREPLY+=("${line#"${word%"${word##*[=:@]}"}"}")
  done < <("$1" __complete "$COMP_CWORD" -- "${COMP_WORDS[@]:0:COMP_CWORD+1}" 2>/dev/null)
  [[ ${COMPREPLY[*]} != *[=:@] ]] || compopt -o nospace
}
complete -o default -F _plumb plumb
)script"},
    {"zsh", R"script(#compdef plumb
# Completion of plumb in zsh: source <(plumb completion zsh), or this as a file _plumb in a folder of $fpath.
_plumb() {
  local -a found
  local word meaning
  while IFS=$'\t' read -r word meaning; do
    found+=("${word//:/\\:}${meaning:+:$meaning}")
  done < <("${words[1]}" __complete $((CURRENT - 1)) -- "${(@)words[1,CURRENT]}" 2>/dev/null)
  if (( $#found )); then _describe plumb found; else _files; fi
}
if [[ $funcstack[1] == _plumb ]]; then _plumb "$@"; else compdef _plumb plumb; fi
)script"},
    {"fish", R"script(# Completion of plumb in fish: plumb completion fish | source
function __plumb
    set -l before (commandline -opc)
    set -l word (commandline -ct)
    set -l found ($before[1] __complete (count $before) -- $before $word 2>/dev/null)
    if set -q found[1]
        printf '%s\n' $found
    else
        __fish_complete_path $word
    end
end
complete -c plumb -f -a '(__plumb)'
)script"},
};

}  // namespace

Action completion(CLI::App& app) {
  const auto shell = std::make_shared<std::string>();
  std::vector<std::string> names;
  for (const ShellScript& one : shell_scripts) names.emplace_back(one.shell);
  app.add_option("shell", *shell, "the shell that the script is for")->required()->check(flags::one_of(names));
  return [shell] {
    for (const ShellScript& one : shell_scripts)
      if (one.shell == *shell) std::cout << one.text;
    return 0;
  };
}

}  // namespace plumb::parity::cli
