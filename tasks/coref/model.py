"""The coreference model of the ELMo paper's appendix A.6."""

import keras

from tasks.coref.layers.antecedent_scorer import AntecedentScorer
from tasks.coref.layers.candidate_spans import CandidateSpans
from tasks.coref.layers.feed_forward_scorer import FeedForwardScorer
from tasks.coref.layers.sentence_bilstm import SentenceBiLSTM
from tasks.coref.layers.span_representation import SpanRepresentation
from tasks.coref.layers.take_spans import TakeSpans
from tasks.coref.layers.top_spans import TopSpans

# Names of the inputs besides the tokens.
SENTENCE_LENGTHS = "sentence_lengths"
SENTENCE_NUMBERS = "sentence_numbers"
SPEAKERS = "speakers"
GENRE = "genre"


def make_coref_model(config, inputs):
    """Builds the model of Lee et al. 2017 (ELMo paper, section A.6).

    A biLSTM reads the vectors of each sentence's tokens, ELMo's at the input
    among them; the same vectors make those of the spans' heads. All spans of a
    sentence up to a width get a vector and a score; the best that do not cross
    are kept, and each is compared with those before it. ELMo at the output
    stands beside what the biLSTM gives.

    Args:
        config: The `CorefConfig`.
        inputs: The `ModelInputs`, with `sentence_lengths`, int32 `[batch,
            sentences]`, `sentence_numbers`, int32 `[batch, time]` and −1 at
            padding, `speakers`, int32 `[batch, time]`, and `genre`, int32
            `[batch]`, 0 for another one than the configuration's.

    Returns:
        A `keras.Model` whose outputs are those of `TopSpans` and `scores`, that
        of `AntecedentScorer`; where single mentions are found, also
        `candidates`, that of `CandidateSpans`, and for each of these its
        `mention_scores`, `[batch, time, max_span_width]`: the logit of being a
        mention.
    """
    field = "tokens"
    more = inputs.keras_inputs
    tokens = keras.layers.Dropout(config.lexical_dropout)(
        inputs.token_vectors(field)
    )
    encoded = SentenceBiLSTM(
        config.lstm_units, config.lstm_dropout, name="bilstm"
    )(tokens, more[SENTENCE_LENGTHS])
    encoded = keras.layers.Dropout(config.dropout)(
        inputs.with_elmo_output(field, encoded)
    )
    candidates = CandidateSpans(config.max_span_width)(more[SENTENCE_NUMBERS])
    spans = SpanRepresentation(
        config.max_span_width,
        config.feature_dim,
        config.dropout,
        name="spans",
    )(encoded, tokens, mask=candidates)
    scores = FeedForwardScorer(
        config.n_layers, config.units, config.dropout, name="mention_scores"
    )(spans)
    kept = TopSpans(config.spans_per_token, name="kept")(
        scores, mask=candidates
    )
    take = TakeSpans(name="take")
    speakers = TakeSpans(name="take_speakers")(
        # [batch, time] → [batch, time, 1]
        keras.ops.expand_dims(more[SPEAKERS], axis=2),
        kept["first"],
    )
    antecedent_scores = AntecedentScorer(
        config.max_antecedents,
        len(config.genres) + 1,
        config.n_layers,
        config.units,
        config.feature_dim,
        config.dropout,
        name="antecedent_scores",
    )(
        take(spans, kept["places"]),
        TakeSpans(name="take_scores")(scores, kept["places"]),
        speakers,
        more[GENRE],
        mask=kept["mask"],
    )
    outputs = {**kept, "scores": antecedent_scores}
    if config.singletons:
        outputs.update(candidates=candidates, mention_scores=scores)
    return keras.Model(more, outputs, name="coref")
