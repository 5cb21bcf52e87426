# Campaigns on a device: every kind of task, which devices are taken, and by which rank.
mkdir -p models suite/node
cp "$graphs/scores.json" "$graphs/dense.json" models
plumb 0 devices --json devices.json
name=$(sed -n 's/.*"name": "\(.*\)".*/\1/p' devices.json | head -1)
grep -q '"schema": "plumb.devices/1"' devices.json || fail 'there is no list of devices'
cat >plan.toml <<END
schema = "plumb-campaign/1"
defaults = { retries = 0, timeout = "5m" }
[[job]]
kind = "verify"
cases = ["models"]
seeds = 2
seeds_per_task = 1
[[job]]
kind = "power"
cases = ["models/dense.json"]
with = { on = ["cpu", "gpu"] }
[[job]]
kind = "fuzz"
count = 8
count_per_task = 4
with = { op = "softmax,binary", single = true }
[devices]
use = ["$name"]
END
plumb 0 campaign plan plan.toml night
says '^night: 8 tasks, 8 new$'
plumb 0 campaign run night
warns '^8 tasks done; nothing is left$'
plumb 0 campaign gather night -o all.h5 --tasks tasks.json
says '^4 runs of 4 tasks$'
holds tasks.json '"schema": "plumb.tasks/1"'
[ "$(grep -c '"schema": "plumb.task/1"' tasks.json)" = 4 ] || fail 'a task is not in the list'
plumb 0 verify models --seeds 2 -o whole.h5
digest_of whole.h5 =values >wanted
digest_of all.h5 =values >found
cmp wanted found || fail 'a campaign gives other values than verify'

# A software device is used only where it is named, and ranks beyond the devices have nothing to do.
sed '/^\[devices\]/,$d' plan.toml >any.toml
plumb 0 campaign plan any.toml any
if ! grep '"kind"' devices.json | grep -qv '"software"'; then
  plumb 0 campaign run any --quiet
  warns '^no device here is for this campaign'
  warns '^1 task done; what is left is for other devices$'
  plumb 0 campaign run any --device cpu --quiet
  warns '^7 tasks done; nothing is left$'
fi
plumb 0 campaign plan plan.toml ranks
export OMPI_COMM_WORLD_LOCAL_RANK=100
plumb 0 campaign run ranks --quiet
warns '^OMPI_COMM_WORLD_LOCAL_RANK=100, and there (is|are) '
warns '^1 task done; what is left is for other devices$'
plumb 0 campaign run ranks --share-device --quiet
warns '^7 tasks done; nothing is left$'
export OMPI_COMM_WORLD_LOCAL_RANK=first
plumb 2 campaign run ranks
warns "^plumb: the environment's OMPI_COMM_WORLD_LOCAL_RANK is no whole number: 'first'$"
unset OMPI_COMM_WORLD_LOCAL_RANK
plumb 2 campaign run ranks --device nobody
warns '^plumb: --device nobody: no device here is called so'
cat >every.toml <<END
schema = "plumb-campaign/1"
[[job]]
kind = "verify"
cases = ["models"]
[devices]
use = ["$name", "no such*"]
every = true
END
plumb 0 campaign plan every.toml every
says '^every: 4 tasks, 4 new$'
plumb 0 campaign run every --quiet
warns '^2 tasks done; what is left is for other devices$'

# A device that fails at one task after the other is retired.
cat >lost.toml <<END
schema = "plumb-campaign/1"
defaults = { retries = 0 }
[[job]]
kind = "verify"
cases = ["models"]
seeds = 2
seeds_per_task = 1
with = { plant = "lost=9@*" }
[devices]
use = ["$name"]
END
plumb 0 campaign plan lost.toml lost
plumb 0 campaign run lost --quiet
warns '^0 tasks done, 3 failed; the device is retired$'
plumb 0 campaign status lost
says '^retired: .*: failed at 3 tasks in a row, '
plumb 0 campaign run lost --quiet
warns '^0 tasks done; the device is retired$'
plumb 3 campaign gather lost -o lost.h5
warns '^1 of 4 tasks is not done$'
