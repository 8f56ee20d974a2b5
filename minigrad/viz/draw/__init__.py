"""What pictures are drawn with.

`canvas`, `page`, `grids`, `diagram`, and `chart` place boxes, words, and lines;
`picture` shows the result in a notebook. The other modules find out what there is to
draw: of a tensor's storage, of a kernel's launch, or of the graph of a tensor.
"""
