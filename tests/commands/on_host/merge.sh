# Results files of several starts of the program as one.
mkdir -p models
cp "$graphs/scores.json" "$graphs/dense.json" models
for share in 1 2; do
  plumb 0 verify models --candidate cpu --seeds 2 --shard "$share/2" -o "$share.h5"
done
plumb 0 verify models --candidate cpu --tensors all -o whole.h5

# All that each has, once: the order and the grouping change nothing, nor does what is there already.
plumb 0 merge 1.h5 2.h5 whole.h5 -o all.h5
says '^3 files, 6 runs$'
plumb 0 inspect all.h5 --check-schema
plumb 0 judge all.h5
says '^run 5: '
plumb 1 merge 2.h5 whole.h5 -o rest.h5
plumb 0 merge 1.h5 rest.h5 -o right.h5
plumb 1 merge whole.h5 1.h5 -o left.h5
plumb 0 merge left.h5 2.h5 1.h5 -o left_too.h5
says '^3 files, 6 runs, 2 found again and taken once$'
digest_of all.h5 >wanted
grep -qE '^[0-9a-f]{64}$' wanted || fail 'a digest is no sha256'
for file in right left_too; do
  digest_of $file.h5 >found
  cmp wanted found || fail "$file.h5 is another file than all.h5"
done
digest_of rest.h5 >found
if cmp -s wanted found; then fail 'a file with fewer runs has the same digest'; fi

# Values are told apart from when and by whom they were computed.
plumb 0 verify models --candidate cpu --tensors all -o again.h5
digest_of whole.h5 >first
digest_of again.h5 >second
if cmp -s first second; then fail 'two runs have one digest'; fi
digest_of whole.h5 =values >first
digest_of again.h5 =values >second
cmp first second || fail 'the same values have other digests'
plumb 0 merge again.h5 whole.h5 -o both.h5
says '^2 files, 4 runs$'
plumb 0 merge again.h5 whole.h5 --one-per-key newest -o newest.h5
says '^2 files, 2 runs$'
digest_of newest.h5 =values >second
cmp first second || fail 'one of each two runs has other values'
plumb 0 merge again.h5 whole.h5 --one-per-key worst -o worst.h5
says '^2 files, 2 runs$'

# What is missing of a whole is said, and is the exit code; the file is written.
plumb 1 merge 2.h5 -o part.h5
warns '^share 1 of 2 is missing$'
holds part.h5 HDF
plumb 0 verify models --candidate cpu --seeds 2 --shard 3/3 -o other.h5
plumb 1 merge 1.h5 other.h5 -o mixed.h5
warns '^shares of different wholes: .*\(share [13] of [23]\); .*\(share [13] of [23]\)$'

# Who was killed left a file that is taken where that is asked for.
cp whole.h5 dead.h5.part
plumb 2 merge dead.h5.part -o alive.h5
warns 'dead\.h5\.part: is of a run that was cut off; --partial'
plumb 0 merge dead.h5.part --partial -o alive.h5
says '^1 file, 2 runs$'
plumb 2 merge dead.h5.part --partial -o dead.h5
warns 'dead\.h5: would take the place of dead\.h5\.part, which is an input of this command'
plumb 2 merge -o dead.h5 --force --partial whole.h5 dead.h5.part
warns 'would take the place of dead\.h5\.part'
cmp dead.h5.part whole.h5 || fail 'a file that was to be read is gone'

# Nothing is written over that should not be, and what is no results file is named.
cp all.h5 kept.h5
plumb 2 merge all.h5 1.h5 -o all.h5
warns 'all\.h5: is an input of this command'
head -c 3000 whole.h5 >cut.h5
plumb 2 merge whole.h5 cut.h5 -o all.h5
warns 'cut\.h5'
plumb 2 merge whole.h5 "$source/tests/parity/results/version_1.h5" -o all.h5
warns 'version_1\.h5: is of version 1'
plumb 2 merge whole.h5 nothing.h5 -o all.h5
warns 'nothing\.h5'
plumb 2 merge whole.h5 --one-per-key best -o all.h5
plumb 2 merge whole.h5
cmp all.h5 kept.h5 || fail 'an earlier file was touched'
echo text >notes.h5
plumb 2 merge whole.h5 -o notes.h5
warns 'notes\.h5 exists and is not replaced'
plumb 0 merge whole.h5 -o notes.h5 --force
