"""A worker that adds."""

from benchmarks.peers import worker


class Adder:
    """Adds to its argument."""

    def __init__(self, first):
        if not isinstance(first, int):
            raise TypeError(f"no number: {first!r}")
        self._first = first

    def answer_sum(self, second):
        """Answers with the sum."""
        print("adding", self._first, second)
        return {"sum": self._first + second}


if __name__ == "__main__":
    worker.serve(Adder, {"adder": "1"})
