"""Valid input, changed: it is read, or refused as it should be."""

import hypothesis
import pytest
from hypothesis import strategies

from tests.fuzz.mutations import mutate
from tests.fuzz.targets import find_target
from tests.fuzz.targets import target_names

# To make an export takes half a minute: of three, the most various ones.
_EXPORTS = ("export_coref", "export_ner", "export_squad")
# Those that take longer for an input.
_N_EXAMPLES = {
    **dict.fromkeys(("hdf5", "hdf5_embeddings", "options", "snli"), 30),
    **dict.fromkeys(("rest", "word_vectors", "saved_model"), 15),
    **dict.fromkeys(("bilm", "tokenizers"), 8),
    **dict.fromkeys(_EXPORTS, 20),
}
_NAMES = [
    pytest.param(name, marks=pytest.mark.slow if name in _EXPORTS else ())
    for name in target_names()
    if name in _EXPORTS or not name.startswith("export_")
]
_settings = hypothesis.settings(
    derandomize=True,
    database=None,
    deadline=None,
    suppress_health_check=list(hypothesis.HealthCheck),
)


@pytest.mark.parametrize("name", _NAMES)
def test_valid_input_is_read(name):
    target = find_target(name)
    for seed in target.seeds():
        target.run(seed)


@pytest.mark.parametrize("name", _NAMES)
def test_changed_input(name):
    target = find_target(name)
    seeds = target.seeds()

    @hypothesis.settings(_settings, max_examples=_N_EXAMPLES.get(name, 60))
    @hypothesis.given(
        strategies.sampled_from(seeds),
        strategies.randoms(use_true_random=False),
    )
    def check(seed, random):
        target.run(mutate(seed, target, random))

    check()


@pytest.mark.parametrize("name", _NAMES)
def test_pieces_of_the_format(name):
    target = find_target(name)
    pieces = strategies.binary(max_size=4)
    if target.tokens:
        pieces |= strategies.sampled_from(target.tokens)

    @hypothesis.settings(_settings, max_examples=_N_EXAMPLES.get(name, 40))
    @hypothesis.given(strategies.lists(pieces, max_size=20))
    def check(parts):
        target.run(b"".join(parts))

    check()


@pytest.mark.slow
def test_each_kind_of_export_has_a_target():
    # It takes long to import.
    from tests.tasks import tiny_exports

    kinds = {
        f"export_{kind}" for kind in (tiny_exports.BILM, *tiny_exports.TASKS)
    }
    found = {name for name in target_names() if name.startswith("export_")}
    assert found == kinds
