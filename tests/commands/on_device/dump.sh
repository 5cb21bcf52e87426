plumb 0 dump "$graphs/dense.json" --truth -o all.h5
says '^wrote 6 tensors to all\.h5$'
tensor all.h5 /cpu/product '6, 6, 15, 15'
tensor all.h5 /gpu/product '6, 6, 15, 15'
tensor all.h5 /gpu/y '6.5, 5.5, 15.5, 14.5'
tensor all.h5 /truth/y '6.5, 5.5, 15.5, 14.5'
plumb 0 dump "$graphs/dense.json" --nodes '^y$' --from gpu -o gpu.npz
says '^wrote 1 tensor to gpu\.npz$'
plumb 0 inspect gpu.npz
says '^gpu/y: f32\[2, 2\], 5\.5 to 15\.5$'
plumb 2 dump "$graphs/dense.json" --nodes no_such_node
warns_of no_such_node
plumb 2 dump missing.json
warns_of missing.json
