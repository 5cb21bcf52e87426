# Without a Vulkan loader the program starts, says so, and computes on the host.
mkdir none
echo 'no library' >none/libvulkan.so.1
export LD_LIBRARY_PATH="$PWD/none"
plumb 77 devices
warns 'no Vulkan loader: .*/none/libvulkan\.so\.1: file too short'
plumb 77 verify "$graphs/scores.json"
warns 'scores\.json: unsupported: no Vulkan loader: '
plumb 4 verify "$graphs/scores.json" --require-verified
warns 'cases not verified: '
plumb 0 run "$graphs/scores.json" --on cpu -o y.npz
warns '^wrote y\.npz$'

# One that is too old is named with what it lacks.
echo 'int plumb_nothing;' >nothing.c
cc -shared -fPIC nothing.c -o none/libvulkan.so.1
plumb 77 devices
warns 'libvulkan\.so\.1 has no vk[A-Za-z]*, so that it is older than Vulkan 1\.3'
unset LD_LIBRARY_PATH
plumb 0 devices
says "Vulkan 1\."
