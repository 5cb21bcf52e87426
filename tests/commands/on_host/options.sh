plumb 0 options
says '^--set +environment +default +what it does$'
says '^fallback +PLUMB_FALLBACK +forbid '
says '^ +- allow$'
says '^poison +PLUMB_POISON +false '
says '^dump_runs +PLUMB_DUMP_RUNS +0 '
plumb 2 options --set no_such_knob=1
warns_of no_such_knob
plumb 2 options --set tiel=1
warns_of "there is no knob 'tiel'; did you mean tile?"
# An option before any command is not a command that is missing.
plumb 2 --frob
warns_of "plumb has no option '--frob' before a command"
plumb 2 --hlep options
warns_of "plumb has no option '--hlep' before a command; did you mean --help?"
