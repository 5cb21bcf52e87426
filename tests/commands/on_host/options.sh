plumb 0 options
says '^--set +environment +default +what it does$'
says '^fallback +PLUMB_FALLBACK +forbid '
says '^ +- allow$'
says '^poison +PLUMB_POISON +false '
plumb 2 options --set no_such_knob=1
warns_of no_such_knob
plumb 2 options --set tiel=1
warns_of "there is no knob 'tiel'; did you mean tile?"
