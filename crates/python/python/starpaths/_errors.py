"""The exceptions of this package."""


class StarpathsError(ValueError):
    """A wrong argument, or a call that has no result."""


class NegativeCycleError(StarpathsError):
    """A cycle of negative length, so that paths that reach it have no least length.

    Attributes
    ----------
    cycle : list of int
        Its vertices in the order of travel, the first one not repeated.
    """

    def __init__(self, cycle: list[int]) -> None:
        super().__init__(f"negative cycle through the vertices {cycle}")
        self.cycle = cycle

    def __reduce__(self) -> tuple[type["NegativeCycleError"], tuple[list[int]]]:
        return type(self), (self.cycle,)
