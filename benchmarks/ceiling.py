"""What a biLM's matrix products alone would take, at the machine's best."""

import dataclasses

# Rows of the products: those of a time step are the sentences of a batch, all
# others have as many as one likes.
_STEP_ROWS = (64, 256, 512)
_MANY_ROWS = 1024


@dataclasses.dataclass(frozen=True)
class Product:
    """One kind of matrix product, `[m, k] × [k, n]`.

    Attributes:
        name: What it is for.
        m: The candidates for the number of rows; the fastest one counts.
        k: See above.
        n: See above.
        rows: How many rows it takes for each word that the character CNN reads,
            or for each step of each sentence.
        per_word: Whether it is the former.
    """

    name: str
    m: tuple[int, ...]
    k: int
    n: int
    rows: int
    per_word: bool = False

    @property
    def operations(self):
        """Multiplications and additions for each word or step."""
        return 2 * self.rows * self.k * self.n


def products(config):
    """Lists the matrix products of a biLM with character input.

    Args:
        config: The `BiLMConfig`.

    Returns:
        A list of `Product`. Convolutions count as products at every position.
    """
    cnn, lstm = config.char_cnn, config.lstm
    found = []
    for width, count in cnn.filters:
        positions = cnn.max_characters_per_token - width + 1
        found.append(
            Product(
                f"filters of width {width}",
                (64 * positions,),
                width * cnn.embedding.dim,
                count,
                rows=positions,
                per_word=True,
            )
        )
    n_filters = cnn.n_filters
    if cnn.n_highway:
        # Gate and transform side by side.
        found.append(
            Product(
                "highway",
                (_MANY_ROWS,),
                n_filters,
                2 * n_filters,
                rows=cnn.n_highway,
                per_word=True,
            )
        )
    width = lstm.projection_dim
    found.append(
        Product(
            "projection of the filters",
            (_MANY_ROWS,),
            n_filters,
            width,
            rows=1,
            per_word=True,
        )
    )
    n_lstms = lstm.n_layers * (2 if config.bidirectional else 1)
    return [
        *found,
        Product("LSTM, input", (_MANY_ROWS,), width, 4 * lstm.dim, n_lstms),
        Product("LSTM, state", _STEP_ROWS, width, 4 * lstm.dim, n_lstms),
        Product("LSTM, projection", _STEP_ROWS, lstm.dim, width, n_lstms),
    ]


def shapes(config):
    """Lists the shapes [m, k, n] to time, for `seconds_per_unit`."""
    return [
        [m, product.k, product.n]
        for product in products(config)
        for m in product.m
    ]


def seconds_per_unit(config, seconds):
    """Adds up the products' times.

    Args:
        config: The `BiLMConfig`.
        seconds: How long a product of each of `shapes` takes.

    Returns:
        A tuple of the seconds for each word that the character CNN reads and
        for each step of each sentence.
    """
    timed = iter(seconds)
    word = step = 0.0
    for product in products(config):
        row = min(next(timed) / m for m in product.m) * product.rows
        if product.per_word:
            word += row
        else:
            step += row
    return word, step


def operations_per_unit(config):
    """Operations for each word read and each step, as `seconds_per_unit`."""
    found = products(config)
    return (
        sum(product.operations for product in found if product.per_word),
        sum(product.operations for product in found if not product.per_word),
    )
