plumb 0 devices
says '^0: .* \(Vulkan 1\.[0-9]+\.[0-9]+, [a-z]+\)$'
says '^    driver +.'
says '^    uuid +[0-9a-f]{8}-[0-9a-f]{4}-'
says '^    dtypes +bool .* f32 '
says '^    cooperative .'
plumb 2 devices missing
warns missing
