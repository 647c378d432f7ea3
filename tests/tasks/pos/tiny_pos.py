"""The same two sentences in every format of parts of speech."""

WORDS = [
    ("He", "ca", "n't", "(", "1/2", ")", "sing", "."),
    ("``", "Why", "?", "''"),
]
XPOS = [
    ("PRP", "MD", "RB", "-LRB-", "CD", "-RRB-", "VB", "."),
    ("``", "WRB", ".", "''"),
]
UPOS = [
    ("PRON", "AUX", "PART", "PUNCT", "NUM", "PUNCT", "VERB", "PUNCT"),
    ("PUNCT", "ADV", "PUNCT", "PUNCT"),
]

TEXTS = {
    "conllu": """\
# newdoc id = a
# sent_id = a-1
# text = He can't (1/2) sing.
1	He	he	PRON	PRP	Case=Nom	7	nsubj	7:nsubj	_
2-3	can't	_	_	_	_	_	_	_	SpaceAfter=No
2	ca	can	AUX	MD	_	7	aux	7:aux	_
3	n't	not	PART	RB	_	7	advmod	7:advmod	_
4	(	(	PUNCT	-LRB-	_	5	punct	5:punct	_
5	1/2	1/2	NUM	CD	_	7	obl	7:obl	_
6	)	)	PUNCT	-RRB-	_	5	punct	5:punct	_
7	sing	sing	VERB	VB	_	0	root	0:root	SpaceAfter=No
7.1	well	well	ADV	RB	_	_	_	7:advmod	_
8	.	.	PUNCT	.	_	7	punct	7:punct	_

# sent_id = a-2
1	``	``	PUNCT	``	_	2	punct	2:punct	_
2	Why	why	ADV	WRB	_	0	root	0:root	_
3	?	?	PUNCT	.	_	2	punct	2:punct	_
4	''	''	PUNCT	''	_	2	punct	2:punct	_

""",
    "trees": r"""

( (S
    (NP-SBJ-1 (PRP He) )
    (VP (MD ca) (RB n't)
      (PRN (-LRB- -LRB-) (NP (CD 1\/2) (-NONE- *U*) ) (-RRB- -RRB-) )
      (VP (VB|VBP sing) (NP (-NONE- *T*-1) )))
    (. .) ))
( (NP (-NONE- *) ))
(
  (SBARQ (`` ``) (WHADVP (WRB Why)) (. ?) ('' '')))
""",
    "tagged": r"""
======================================

[ He/PRP ]
ca/MD n't/RB
[ (/-LRB- 1\/2/CD )/-RRB- ]
sing/VB|VBP ./.
``/`` Why/WRB ?/. ''/''

======================================

""",
    "columns": """\
He	PRP
ca	MD
n't	RB
(	-LRB-
1/2	CD
)	-RRB-
sing	VB
.	.

``	``
Why	WRB
?	.
''	''

""",
}
