"""Small valid files of each format."""

NER = b"""-DOCSTART- -X- O O

EU NNP I-NP I-ORG
rejects VBZ I-VP O
German JJ I-NP I-MISC
. . O O

Peter NNP B-NP I-PER
Blackburn NNP I-NP I-PER
"""

SST = b"""(3 (2 It) (4 (4 (2 's) (4 (2 a) (3 treat))) (2 .)))
(1 (2 No) (0 -LRB-))
"""

CONLLU = b"""# newdoc id = a
# sent_id = a-1
1\tDogs\tdog\tNOUN\tNNS\tNumber=Plur\t2\tnsubj\t_\t_
2-3\tdon't\t_\t_\t_\t_\t_\t_\t_\t_
2\tdo\tdo\tAUX\tVBP\t_\t0\troot\t_\t_
3\tn't\tnot\tPART\tRB\t_\t2\tadvmod\t_\t_
3.1\tbark\tbark\tVERB\tVB\t_\t_\t_\t_\t_

1\tYes\tyes\tINTJ\tUH\t_\t0\troot\t_\t_

"""
_MRG = (
    b"( (S (NP-SBJ (NNP Anna)) (VP (VBZ sings) (NP (-NONE- *T*-1))) (. .)))\n"
)
_TAGGED = b"""[ Anna/NNP ]
sings/VBZ 1\\/2/CD ./.
======================================
``/`` Yes/UH|NN ./. ''/''
"""

SNLI_JSON = (
    b'{"gold_label": "neutral", "sentence1": "A man sings.", "sentence2": "A '
    b'man is (here).", "sentence1_binary_parse": "( ( A man ) ( sings . ) )", '
    b'"pairID": "1"}\n'
    b'{"gold_label": "-", "sentence1": "A", "sentence2": "B"}\n'
)
_SNLI_TABS = (
    b"gold_label\tsentence1\tsentence2\tpairID\nneutral\tA man .\tA dog .\t1\n"
)
_SNLI_COLUMNS = b"A man .\tA dog .\tentailment\nA\tB\t2\n"

SQUAD = (
    b'{"version": "1.1", "data": [{"title": "T", "paragraphs": [{"context": '
    b'"Anna sings in Rome.", "qas": [{"id": "1", "question": "Who sings?", '
    b'"answers": [{"text": "Anna", "answer_start": 0}]}, {"id": "2", '
    b'"question": "Why?", "is_impossible": true, "answers": []}]}]}]}'
)
PREDICTIONS = b'{"1": "Anna", "2": ""}'
N_BEST = (
    b'{"1": [{"text": "Anna", "probability": 0.5, "start": 0, "end": 4}, '
    b'{"text": "", "probability": 0, "start": 0, "end": 0}]}'
)

CONLL_2012 = b"""#begin document (nw/a); part 000
nw/a 0 0 Anna NNP (TOP(S* anna - - Bob * (0)
nw/a 0 1 says VBZ * say 01 1 Bob * -
nw/a 0 2 she PRP * she - - Bob * (0)|(1
nw/a 0 3 . . *)) . - - Bob * 1)

nw/a 0 0 Yes UH * yes - - - * -

#end document
#begin document (nw/b); part 001
nw/b 1 0 No UH * no - - - * -
#end document
"""
COREF_JSON = (
    b'{"doc_key": "nw/a_0", "sentences": [["Anna", "says", "she"], ["Yes"]], '
    b'"speakers": [["Bob", "Bob", "Bob"], [""]], "clusters": [[[0, 0], [2, '
    b'2]]], "constituents": []}\n'
    b'{"doc_key": "nw/b", "sentences": [["No"]]}\n'
)

PROPS = b"""say (A0* *
- *) *
like (V*) (A1*)
- * (V*)

- *
run (V*)
"""
WORDS_AND_PROPS = b"""Anna - (A0*)
says say (V*)

Yes -
"""
CONLL_2005 = b"""Anna NNP (S(NP*) (PER*) - - (A0*)
says VBZ (VP* * 01 say (V*)
. . *)) * - - *
"""
PROPBANK = b"""a/b 0 0 Anna NNP (S* - - (ARG0*)
a/b 0 1 says VBZ *) say say.01 (V*)
"""
UNIVERSAL_PROPBANK = (
    b"# global.columns = ID FORM LEMMA UPOS XPOS FEATS HEAD DEPREL DEPS MISC "
    b"UP:PRED UP:ARGHEADS UP:ARGSPANS\n# newdoc id = a\n# sent_id = a-1\n"
    b"1\tAnna\tAnna\tPROPN\tNNP\t_\t2\tnsubj\t_\t_\t_\t_\t_\n"
    b"2\tcame\tcome\tVERB\tVBD\t_\t0\troot\t_\t_\tcome.01\tA1:1|AM-TMP:3\t"
    b"A1:1-1|AM-TMP:3-3\n"
    b"3\tlate\tlate\tADV\tRB\t_\t2\tadvmod\t_\t_\t_\t_\t_\n\n"
)

CLOZE = b"""http://example.org/a

@entity1 met @entity2 in @entity3 .

@placeholder met @entity2

@entity1

@entity1:Anna
@entity2:Bob
@entity3:Rome"""

XML = b"""<?xml version="1.0" encoding="UTF-8" ?>
<corpus lang="en" source="set">
<text id="d000">
<sentence id="d000.s000">
<wf lemma="the" pos="DET">The</wf>
<instance id="d000.s000.t000" lemma="art" pos="NOUN">art</instance>
<wf lemma="of" pos="ADP">of &amp;</wf>
<instance id="d000.s000.t001" lemma="take place" pos="VERB">took_place
</instance>
</sentence>
</text>
</corpus>
"""
KEYS = b"""d000.s000.t000 art%1:04:00:: art%1:09:00::
d000.s000.t001 take_place%2:30:00::
"""
SEMCOR = b"""<contextfile concordance=brown>
<context filename=br-a01 paras=yes>
<p pnum=1>
<s snum=1>
<wf cmd=ignore pos=DT>The</wf>
<wf cmd=done rdf=group pos=NNP lemma=group wnsn=1 lexsn=1:03:00::>A_Jury</wf>
<wf cmd=done pos=VB lemma=say wnsn=1;2 lexsn=2:32:00::;2:32:01::>said</wf>
<punc>.</punc>
</s>
</p>
</context>
</contextfile>
"""

TASK_SHAPE = (
    b'{"state": {"classes": ["LOC", "PER"]}, "vocabulary_size": 5, "word_dim": '
    b'4, "elmo_fingerprint": null}'
)

PLAN = (
    b'{"model": "mini", "options": {"layers": "all"}, "files": [{"path": '
    b'"/a.txt", "size": 5, "modified": 3}], "shards": [{"name": '
    b'"shard-00000-of-00001", "path": "/a.txt", "offset": 0, "size": 5, '
    b'"first_line": 1, "sentences": 1}]}'
)


def columns():
    """Returns column files of all kinds."""
    return [NER, CONLLU, CONLL_2012, PROPS, CONLL_2005]


def pos():
    """Returns files with parts of speech."""
    return [CONLLU, _MRG, _TAGGED, NER]


def snli():
    """Returns files of sentence pairs."""
    return [SNLI_JSON, _SNLI_TABS, _SNLI_COLUMNS]


def srl():
    """Returns files with semantic roles."""
    return [
        PROPS,
        WORDS_AND_PROPS,
        CONLL_2005,
        PROPBANK,
        CONLL_2012,
        UNIVERSAL_PROPBANK,
    ]


def overrides():
    """Returns values of --params_override."""
    return [
        b"task.model.lstm.dim=5,runtime.seed=3",
        b"task:\n  model:\n    lstm: {dim: 4}\n    dropout: 0.5\n",
        b'{"trainer.train_steps": 10, "task": {"train_data": {"seed": 1}}}',
        b"task.train_data.input_path=[a.txt, 'b*.gz'],runtime.seed=1",
    ]
