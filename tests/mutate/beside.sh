# shellcheck shell=bash disable=SC2154  # the includer assigns these
# How scripts/mutate.sh builds a mutation: beside the build, which stays as it is. It is one object, or the modules that
# a run dispatches, linked in front of the libraries, of which the linker then leaves out what has these symbols. The
# includer sets tree, build, shaders (folders), work, mutant (where to build), objects and stems.

# redo TARGET FROM TO...: what makes TARGET of the build once more, each FROM in its command being TO.
redo() {
  local line
  line=$(ninja -C "$build" -t commands "$1" | tail -n 1)
  line=${line% && *cmake_transform_depfile*}
  shift
  while [ $# -gt 0 ]; do
    line=${line//"$1"/"$2"}
    shift 2
  done
  (cd "$build" && eval "${line//-Werror/-w}") >>"$work/build.log" 2>&1
}

# The object of the build that has a .cpp file in it, alone or with others.
object_of() {
  local unity
  unity=$(cd "$build" && grep -lF "\"$tree/$1\"" ./*/CMakeFiles/*.dir/Unity/*.cxx | head -n 1)
  if [ -n "$unity" ]; then echo "${unity#./}.o"; return; fi
  ninja -C "$build" -t targets all | sed -n "s|^\([^:]*/CMakeFiles/[^:]*\.dir/${1#*/}\.o\):.*|\1|p" | head -n 1
}

make_object() {
  local object
  object=$(object_of "$1")
  redo "$object" "$object" "$mutant/object.o" || return 1
  if ! cmp -s "$build/$object" "$mutant/object.o"; then objects+=("$mutant/object.o"); fi
}

# The stems of the shaders that have a file in them.
stems_of() {
  grep -lF "/$1 " "$shaders"/*.s.d | sed 's|.*/||; s|\.s\.d$||'
}

# make_modules MODULE...: what the mutation makes of them, and for each of their files an object with what differs.
make_modules() {
  local module stem source variants
  for stem in $(printf '%s\n' "$@" | sed 's/\..*//' | sort -u); do
    source=$(cd "$tree" && find gpu_vulkan/ops gpu_vulkan/kernels -name "$stem.comp")
    variants=$(printf '%s\n' "$@" | sed -n "s/^$stem\.//p" | tr '\n' ' ')
    { echo "// variants: $variants"; sed '/^\/\/ variants:/d' "$tree/$source"; } >"$mutant/$stem.comp"
    redo "generated/gpu_vulkan/shaders/$stem.s" "$tree/$source" "$mutant/$stem.comp" "$shaders/" "$mutant/" || return 1
    cp "$shaders/$stem.s" "$mutant/$stem.s"
    for module in "$mutant/modules/$stem".spv "$mutant/modules/$stem".*.spv; do
      module=${module##*/}
      module=${module%.spv}
      if cmp -s "$mutant/modules/$module.spv" "$shaders/modules/$module.spv"; then continue; fi
      sed -i "s|$shaders/modules/$module.spv|$mutant/modules/$module.spv|" "$mutant/$stem.s"
    done
    if cmp -s "$shaders/$stem.s" "$mutant/$stem.s"; then continue; fi
    redo "gpu_vulkan/CMakeFiles/plumb_gpu_vulkan.dir/__/generated/gpu_vulkan/shaders/$stem.s.o" \
      "$shaders/$stem.s" "$mutant/$stem.s" "gpu_vulkan/CMakeFiles/plumb_gpu_vulkan.dir/__/generated/gpu_vulkan/" \
      "$mutant/" || return 1
  done
}

# The text of the shaders that regions are made of when a graph is compiled.
make_regions() {
  redo generated/gpu_vulkan/glsl_files.cpp "$build/generated/gpu_vulkan/" "$mutant/" &&
    redo gpu_vulkan/CMakeFiles/plumb_gpu_vulkan.dir/__/generated/gpu_vulkan/glsl_files.cpp.o \
      "$build/generated/gpu_vulkan/glsl_files.cpp" "$mutant/glsl_files.cpp" \
      gpu_vulkan/CMakeFiles/plumb_gpu_vulkan.dir/__/generated/gpu_vulkan/ "$mutant/"
}

link_mutant() {
  local linker=
  if command -v ld.lld >/dev/null; then linker=-fuse-ld=lld; fi
  redo bin/plumb " -o bin/plumb " " $linker -o $mutant/plumb $* "
}

# make_mutant PATH MODULE...: the program for a run that dispatches these modules. 1: it cannot be built, 2: none of
# them has the mutation in it.
make_mutant() {
  local path=$1 module stem needed=() made
  shift
  made=${#objects[@]}
  case $path in
    *.cpp) if [ ! -f "$mutant/object.o" ]; then make_object "$path" || return 1; fi ;;
    *)
      for module in "$@"; do
        stem=${module%%.*}
        if [ "$stem" = region ] && [ "${path##*.}" = glsl ] && [ ! -f "$mutant/glsl_files.cpp" ]; then
          make_regions || return 1
          objects+=("$mutant/glsl_files.cpp.o")
        fi
        case " $stems " in *" $stem "*) ;; *) continue ;; esac
        if [ ! -f "$mutant/modules/$module.spv" ]; then needed+=("$module"); fi
      done
      if [ ${#needed[@]} -gt 0 ]; then
        make_modules "${needed[@]}" || return 1
        objects=("$mutant"/*.o "$mutant"/shaders/*.o)
        made=-1
      fi
      ;;
  esac
  if [ ${#objects[@]} -eq 0 ]; then return 2; fi
  if [ ${#objects[@]} -ne "$made" ]; then link_mutant "${objects[@]}" || return 1; fi
}
