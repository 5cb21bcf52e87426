# What drift needs of runs, in a small file that is replaced only by what is no worse.
plumb 0 verify "$graphs/scores.json" "$graphs/dense.json" --candidate cpu --seeds 8 -q -o base.h5
plumb 0 baseline base.h5 -o kept.h5
says '^kept.h5: 16 runs, 32 outputs$'
holds kept.h5 HDF
[ "$(wc -c <kept.h5)" -lt "$(($(wc -c <base.h5) / 3))" ] || fail "the baseline is no smaller than its file"
plumb 0 drift kept.h5 base.h5
plumb 2 baseline base.h5 -o kept.h5
warns_of 'kept.h5: the file exists and is not replaced; --update'
plumb 0 baseline base.h5 -o kept.h5 --update
says '^2 cases, 4 outputs, 8 common seeds: 0 changed'
plumb 2 baseline base.h5 -o other.h5 --update
warns_of 'other.h5: is not there'
plumb 2 baseline base.h5 -o base.h5 --update
warns_of base.h5
echo text >notes.h5
plumb 2 baseline base.h5 -o notes.h5 --update
warns_of 'notes.h5: is no baseline'
plumb 2 baseline missing.h5 -o other.h5
warns_of missing.h5
plumb 2 baseline base.h5 -o other.h5 --allow-worse 'no reason'
[ ! -e other.h5 ] || fail "a file was written"
# Other runs join those that are there; what is worse needs a reason, which stays.
plumb 0 verify "$graphs/dense.json" --candidate cpu --dtype f16 -q -o half.h5
plumb 2 baseline half.h5 -o kept.h5 --update
warns 'nearest are'
plumb 0 baseline base.h5 half.h5 -o kept.h5 --update
says '^kept.h5: 17 runs, 34 outputs$'
python=$(for one in python3 /usr/bin/python3; do "$one" -c 'import h5py' 2>/dev/null && echo "$one" && break; done)
[ -n "$python" ] || fail 'no h5py (Debian: python3-h5py)'
"$python" - <<'PY'
import h5py
with h5py.File("base.h5", "r+") as file:
    rows = file["results/nodes"][:]
    rows["out_hash"] += 1
    rows["rms"] *= 2
    file["results/nodes"][:] = rows
PY
cp kept.h5 before.h5
plumb 1 baseline base.h5 -o kept.h5 --update
warns 'kept.h5: stays as it is, since something is worse; --allow-worse REASON'
cmp kept.h5 before.h5 || fail "a baseline was replaced by what is worse"
plumb 0 baseline base.h5 -o kept.h5 --update --allow-worse 'products are fewer bits now'
plumb 0 drift kept.h5 base.h5
h5dump -d /reasons kept.h5 | grep -q 'products are fewer bits now' || fail "the reason is not kept"
