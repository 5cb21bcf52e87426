#!/bin/sh
# usage: planted.sh SCRATCH_FOLDER SOURCE
#
# run.sh and covered.sh must object to what is planted here: each word of a file of checks that is not met, files
# that prove nothing, commands without checks. A script stands for plumb; the checks of `good` are met, until one
# of them is broken.
set -u
scratch=$1 commands=$2/tests/commands
rm -rf "$scratch"
mkdir -p "$scratch/on_host" "$scratch/on_device"
cd "$scratch" || exit 1

cat >plumb <<'END'
#!/bin/sh
case ${1-} in
  --help) printf 'plumb\n\nSubcommands:\n  greet      says hello\n  leave      says nothing\n' ;;
  greet)
    echo "hello, 1 world"
    echo "a note" >&2
    echo "x = 1" >greeting
    exit "${2:-0}" ;;
  leave) echo "leave: no such place" >&2; exit 2 ;;
esac
END
chmod +x plumb

cat >good <<'END'
plumb 0 greet
says '^hello, [0-9] world$'
says_not 'goodbye'
warns '^a note$'
holds greeting '^x = 1$'
plumb 2 leave
warns_of place
END

status=0
# expect STATUS WHAT: run.sh must end so with the checks on stdin.
expect() {
  cat >greet.sh
  sh "$commands/run.sh" "$scratch/greet.sh" run . "$scratch/plumb" >output 2>&1
  got=$?
  [ "$got" -eq "$1" ] && return
  echo "planted.sh: $2: ended with $got, wanted $1"
  cat output
  status=1
}

expect 0 "checks that are met" <good
expect 1 "a command that ends otherwise" <<'END'
plumb 1 greet
says hello
END
for broken in 's/world/moon/' "s/'goodbye'/hello/" 's/a note/no note/' 's/greeting/farewell/' 's/x = 1/x = 2/' \
  's/^plumb 2/plumb 3/' 's/warns_of place/warns_of thing/' 's/^plumb 2 leave/plumb 0 greet/'; do
  sed "$broken" good >broken
  expect 1 "checks after $broken" <broken
done
expect 1 "nothing that is looked at" <<'END'
plumb 0 greet
END
expect 1 "a command that never ends well" <<'END'
plumb 2 leave
warns_of place
END
expect 1 "another command's output" <<'END'
plumb 0 greet
plumb 2 leave
says_not hello
END
expect 77 "nothing to run on" <<'END'
plumb 0 greet 77
says hello
END

# covered STATUS WHAT: covered.sh must end so with the files that there are.
covered() {
  sh "$commands/covered.sh" . ./plumb >output 2>&1
  got=$?
  [ "$got" -eq "$1" ] && return
  echo "planted.sh: covered.sh, $2: ended with $got, wanted $1"
  cat output
  status=1
}
covered 1 "two commands and no checks"
touch on_host/greet.sh
covered 1 "a command without checks"
touch on_device/leave.sh
covered 0 "checks for both"
touch on_device/return.sh
covered 1 "checks of no command"
rm on_device/return.sh
sed -i 's/  greet.*nothing/nothing is listed/' plumb
covered 1 "a help that cannot be read"
exit $status
