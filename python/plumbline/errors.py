"""What goes wrong, as exceptions."""


class Error(Exception):
    """A file, an argument or a shape is wrong; the message names it."""


class Unsupported(Error):
    """It is right, and plumbline, its device or the candidate lacks it."""


class DeviceError(Error):
    """A device failed."""


class Failed(AssertionError):
    """A verdict that is not passed; `result` is the whole of it."""

    def __init__(self, text, result):
        super().__init__(text)
        self.result = result
