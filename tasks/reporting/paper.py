"""The figures of the two papers, as they print them.

ELMo: Peters et al. 2018, "Deep contextualized word representations". BiDAF: Seo
et al. 2017, "Bidirectional attention flow for machine comprehension". All are
per cent, but for perplexities.
"""

import dataclasses


@dataclasses.dataclass(frozen=True)
class TaskFigures:
    """What table 1 of the ELMo paper says of a task.

    Attributes:
        data: What the paper measured on.
        metric: What it measured.
        baseline: The figure without ELMo.
        elmo: The figure with it.
        increase: The absolute and the relative increase; relative to the
            baseline's error.
    """

    data: str
    metric: str
    baseline: str
    elmo: str
    increase: str


# ELMo, table 1: test sets.
ELMO_TASKS = {
    "squad": TaskFigures("SQuAD 1.1", "F1", "81.1", "85.8", "4.7 / 24.9 %"),
    "snli": TaskFigures(
        "SNLI", "accuracy", "88.0", "88.7 ± 0.17", "0.7 / 5.8 %"
    ),
    "srl": TaskFigures("CoNLL-2012", "F1", "81.4", "84.6", "3.2 / 17.2 %"),
    "coref": TaskFigures(
        "CoNLL-2012", "average F1", "67.2", "70.4", "3.2 / 9.8 %"
    ),
    "ner": TaskFigures(
        "CoNLL-2003", "F1", "90.15", "92.22 ± 0.10", "2.06 / 21 %"
    ),
    "sst": TaskFigures(
        "SST-5", "accuracy", "51.4", "54.7 ± 0.5", "3.3 / 6.8 %"
    ),
}

# ELMo, table 2: development sets; without ELMo, its last layer only, all layers
# with λ = 1 and with λ = 0.001.
ELMO_LAYERS = {
    "squad": ("80.8", "84.7", "85.0", "85.2"),
    "snli": ("88.1", "89.1", "89.3", "89.5"),
    "srl": ("81.6", "84.1", "84.6", "84.8"),
}

# ELMo, table 3: development sets.
ELMO_LOCATIONS = {
    "squad": {"input": "85.1", "input_and_output": "85.6", "output": "84.8"},
    "snli": {"input": "88.9", "input_and_output": "89.5", "output": "88.7"},
    "srl": {"input": "84.7", "input_and_output": "84.3", "output": "80.9"},
}

# ELMo, table 5: F1 of word senses, by the systems of tasks.wsd.evaluate.
WORD_SENSES = {
    "first_sense": ("WordNet’s first sense", "65.9"),
    "layer_0": ("biLM, token layer", None),
    "layer_1": ("biLM, first LSTM layer", "67.4"),
    "layer_2": ("biLM, second LSTM layer", "69.0"),
    "mean": ("biLM, mean of the layers", None),
}
# Those that the paper's figures are about.
WORD_SENSE_TEST_SETS = ("senseval2", "senseval3", "semeval2013", "semeval2015")
OTHER_WORD_SENSES = (
    ("Raganato et al. 2017a", "69.9"),
    ("Iacobacci et al. 2016", "70.1"),
    ("CoVe, first layer", "59.4"),
    ("CoVe, second layer", "64.7"),
)

# ELMo, table 6: accuracy of parts of speech, by layer.
PARTS_OF_SPEECH = {1: "97.3", 2: "96.8"}
OTHER_PARTS_OF_SPEECH = (
    ("Collobert et al. 2011", "97.3"),
    ("Ma and Hovy 2016", "97.6"),
    ("Ling et al. 2015", "97.8"),
    ("CoVe, first layer", "93.3"),
    ("CoVe, second layer", "92.8"),
)

# ELMo, table 7: data, and perplexities on development sets before and after
# fine-tuning, by task.
PERPLEXITIES = {
    "snli": ("SNLI", "72.1", "16.8"),
    "coref": ("CoNLL-2012", "92.3", None),
    "srl": ("CoNLL-2012", "92.3", None),
    "ner": ("CoNLL-2003", "103.2", "46.3"),
    "squad": (
        "SQuAD, contexts and questions",
        "99.1, 158.2",
        "43.5, 52.0",
    ),
    "sst": ("SST", "131.5", "78.6"),
}

# ELMo, tables 8 to 13: single models and, where it says so, ensembles, on test
# data.
OTHER_SYSTEMS = {
    "snli": (
        "8",
        ("accuracy",),
        (
            ("Feature based (Bowman et al. 2015)", "78.2"),
            ("DIIN (Gong et al. 2018)", "88.0"),
            ("BCN+Char+CoVe (McCann et al. 2017)", "88.1"),
            ("ESIM (Chen et al. 2017)", "88.0"),
            ("ESIM+TreeLSTM (Chen et al. 2017)", "88.6"),
            ("ESIM+ELMo", "88.7 ± 0.17"),
            ("DIIN, ensemble (Gong et al. 2018)", "88.9"),
            ("ESIM+ELMo, ensemble", "89.3"),
        ),
    ),
    "squad": (
        "9",
        ("exact_match", "f1"),
        (
            ("BiDAF (Seo et al. 2017)", "68.0", "77.3"),
            ("BiDAF + self-attention", "72.1", "81.1"),
            ("DCN+", "75.1", "83.1"),
            ("Reg-RaSoR", "75.8", "83.3"),
            ("FusionNet", "76.0", "83.9"),
            ("r-net (Wang et al. 2017)", "76.5", "84.3"),
            ("SAN (Liu et al. 2017)", "76.8", "84.4"),
            ("BiDAF + self-attention + ELMo", "78.6", "85.8"),
            ("DCN+, ensemble", "78.9", "86.0"),
            ("FusionNet, ensemble", "79.0", "86.0"),
            ("Interactive AoA Reader+, ensemble", "79.1", "86.5"),
            ("BiDAF + self-attention + ELMo, ensemble", "81.0", "87.4"),
        ),
    ),
    "srl": (
        "10",
        ("f1",),
        (
            ("Pradhan et al. 2013", "77.5"),
            ("Zhou and Xu 2015", "81.3"),
            ("He et al. 2017, single", "81.7"),
            ("He et al. 2017, ensemble", "83.4"),
            ("He et al. 2017, the ELMo paper’s", "81.4"),
            ("He et al. 2017 + ELMo", "84.6"),
        ),
    ),
    "coref": (
        "11",
        ("average_f1",),
        (
            ("Durrett and Klein 2013", "60.3"),
            ("Wiseman et al. 2016", "64.2"),
            ("Clark and Manning 2016", "65.7"),
            ("Lee et al. 2017, single", "67.2"),
            ("Lee et al. 2017, ensemble", "68.8"),
            ("Lee et al. 2017 + ELMo", "70.4"),
        ),
    ),
    "ner": (
        "12",
        ("f1",),
        (
            ("Collobert et al. 2011, with gazetteers", "89.59"),
            ("Lample et al. 2016", "90.94"),
            ("Ma and Hovy 2016", "91.2"),
            (
                "Chiu and Nichols 2016, with gazetteers, trained on "
                "development data too",
                "91.62 ± 0.33",
            ),
            (
                "Peters et al. 2017, trained on development data too",
                "91.93 ± 0.19",
            ),
            ("biLSTM-CRF + ELMo", "92.22 ± 0.10"),
        ),
    ),
    "sst": (
        "13",
        ("accuracy",),
        (
            ("DMN (Kumar et al. 2016)", "52.1"),
            ("LSTM-CNN (Zhou et al. 2016)", "52.4"),
            ("NTI (Munkhdalai and Yu 2017)", "53.1"),
            ("BCN+Char+CoVe (McCann et al. 2017)", "53.7"),
            ("BCN+ELMo", "54.7"),
        ),
    ),
}

# BiDAF, table 1b: EM and F1 on SQuAD's development data.
ABLATIONS = {
    "no_characters": ("No character embedding", "65.0", "75.4"),
    "no_words": ("No word embedding", "55.5", "66.8"),
    "no_context_to_query": ("No C2Q attention", "57.2", "67.7"),
    "no_query_to_context": ("No Q2C attention", "63.6", "73.7"),
    "dynamic_attention": ("Dynamic attention", "63.5", "73.6"),
}
BIDAF_ABLATED = ("BiDAF", "67.7", "77.3")

# BiDAF, table 5, likewise.
VARIATIONS = {
    "dot": ("Equation 1: dot product", "65.5", "75.5"),
    "linear": ("Equation 1: linear", "59.5", "69.7"),
    "bilinear": ("Equation 1: bilinear", "61.6", "71.8"),
    "mlp": ("Equation 1: linear after MLP", "66.2", "76.4"),
    "fusion": ("Equation 2: MLP after concatenation", "67.1", "77.0"),
}
BIDAF_VARIED = ("BiDAF", "68.0", "77.3")

# BiDAF, table 3: accuracy on CNN's validation and test data, and Daily Mail's.
CLOZE = ("76.3", "76.9", "80.3", "79.6")
