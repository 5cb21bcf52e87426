"""Python's side of plumbline, which judges results of tensor programs (docs/foreign_backends.md).

`python3 -m plumbline.function` lets plumb call and judge one Python function.
"""

__version__ = "0.1.0"
