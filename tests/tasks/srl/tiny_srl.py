"""Two sentences with their roles, in every layout."""

from tasks.srl.proposition import Proposition
from tasks.text.span import Span

WORDS = [
    ("The", "#", "man", "who", "came", "says", "it", "-", "often"),
    ("Hello", "-DOCSTART-"),
]
POS = [
    ("DT", "#", "NN", "WP", "VBD", "VBZ", "PRP", "HYPH", "RB"),
    ("UH", "NN"),
]
COME = (
    Span("ARG1", 0, 3),
    Span("R-ARG1", 3, 4),
    Span("V", 4, 5),
)
SAY = (
    Span("ARG1", 0, 1),
    Span("ARG0", 2, 5),
    Span("V", 5, 6),
    Span("C-ARG1", 6, 8),
    Span("ARGM-TMP", 8, 9),
)

TEXTS = {
    "props": """\
-	(ARG1*	(ARG1*)
-	*	*
-	*)	(ARG0*
-	(R-ARG1*)	*
come	(V*)	*)
say	*	(V*)
-	*	(C-ARG1*
-	*	*)
-	*	(ARGM-TMP*)

-
-
""",
    "words_and_props": """\
The   -      (ARG1*     (ARG1*)
#     -           *          *
man   -           *)    (ARG0*
who   -    (R-ARG1*)         *
came  come      (V*)         *)
says  say         *       (V*)
it    -           *   (C-ARG1*
-     -           *          *)
often -           *  (ARGM-TMP*)

Hello -
-DOCSTART- -
""",
    "conll2005": """\
The DT (S* * - - (ARG1* (ARG1*)
# # * * - - * *
man NN * (PER*) - - *) (ARG0*
who WP * * - - (R-ARG1*) *
came VBD * * 01 come (V*) *)
says VBZ * * 02 say * (V*)
it PRP * * - - * (C-ARG1*
- HYPH * * - - * *)
often RB *) * - - * (ARGM-TMP*)

Hello UH * * - -
-DOCSTART- NN * * - -
""",
    "propbank": """\
google/ewt/email/00/a.xml	3	0	The	DT	(S*	-	-	(ARG1*	(ARG1*)
google/ewt/email/00/a.xml	3	1	#	#	*	-	-	*	*
google/ewt/email/00/a.xml	3	2	man	NN	*	-	-	*)	(ARG0*
google/ewt/email/00/a.xml	3	3	who	WP	*	-	-	(R-ARG1*)	*
google/ewt/email/00/a.xml	3	4	came	VBD	*	come	come.01	(V*)	*)
google/ewt/email/00/a.xml	3	5	says	VBZ	*	say	say.02	*	(V*)
google/ewt/email/00/a.xml	3	6	it	PRP	*	-	-	*	(C-ARG1*
google/ewt/email/00/a.xml	3	7	-	HYPH	*	-	-	*	*)
google/ewt/email/00/a.xml	3	8	often	RB	*)	-	-	*	(ARGM-TMP*)

google/ewt/email/00/a.xml	4	0	Hello	UH	*	-	-
google/ewt/email/00/a.xml	4	1	-DOCSTART-	NN	*	-	-
""",
    "conll2012": """\
#begin document (nw/wsj/00/wsj_0001); part 001
nw/wsj/00/wsj_0001 1 0 The DT (S* - - - Ann * (ARG1* (ARG1*) (1
nw/wsj/00/wsj_0001 1 1 # # * - - - Ann * * * -
nw/wsj/00/wsj_0001 1 2 man NN * man 01 2 Ann (PERSON) *) (ARG0* -
nw/wsj/00/wsj_0001 1 3 who WP * - - - Ann * (R-ARG1*) * -
nw/wsj/00/wsj_0001 1 4 came VBD * come 01 - Ann * (V*) *) 1)
nw/wsj/00/wsj_0001 1 5 says VBZ * say 02 1 Ann * * (V*) -
nw/wsj/00/wsj_0001 1 6 it PRP * - - - Ann * * (C-ARG1* -
nw/wsj/00/wsj_0001 1 7 - HYPH * - - - Ann * * *) -
nw/wsj/00/wsj_0001 1 9 often RB *) often - - Ann * * (ARGM-TMP*) -
#end document

#begin document (nw/wsj/00/wsj_0001); part 002
nw/wsj/00/wsj_0001 2 0 Hello UH * - - - - * -
nw/wsj/00/wsj_0001 2 1 -DOCSTART- NN * - - - - * -
#end document
""",
    "universal_propbank": """\
# global.columns = ID FORM LEMMA UPOS XPOS FEATS HEAD DEPREL DEPS MISC \
UP:PRED UP:ARGHEADS UP:ARGSPANS
# newdoc id = news
# sent_id = 1
# text = The #man who came says it-often
1	The	the	DET	DT	Definite=Def|PronType=Art	3	det	3:det	_	_	_	_
2-3	#man	_	_	_	_	_	_	_	_	_	_	_
2	#	#	SYM	#	_	3	dep	3:dep	_	_	_	_
3	man	man	NOUN	NN	Number=Sing	6	nsubj	6:nsubj	_	_	_	_
4	who	who	PRON	WP	_	5	nsubj	3:ref	_	_	_	_
5	came	come	VERB	VBD	_	3	acl:relcl	3:acl:relcl	_	\
come.01	ARG1:3|R-ARG1:4	ARG1:1-3|R-ARG1:4-4
6	says	say	VERB	VBZ	_	0	root	0:root	_	\
say.02	ARG1:1|ARG0:3|C-ARG1:7|ARGM-TMP:9	\
ARG1:1-1|ARG0:3-5|C-ARG1:7-8|ARGM-TMP:9-9
7	it	it	PRON	PRP	_	6	obj	6:obj	_	_	_	_
7.1	does	do	VERB	VBZ	_	_	_	6:conj	_	_	_	_
8	-	-	PUNCT	HYPH	_	9	punct	9:punct	SpaceAfter=No	_	_	_
9	often	often	ADV	RB	_	6	advmod	6:advmod	_	_	_	_

# newdoc
# sent_id = 2
1	Hello	hello	INTJ	UH	_	0	root	0:root	_	_	_	_
2	-DOCSTART-	_	NOUN	NN	_	1	dep	_	_	_	_	_
""",
}

ROLESETS = {
    "props": (None, None),
    "words_and_props": (None, None),
    "conll2005": ("01", "02"),
    "propbank": ("come.01", "say.02"),
    "conll2012": ("01", "02"),
    "universal_propbank": ("come.01", "say.02"),
}
HEADS = {"universal_propbank": ((2, 3, 4), (0, 2, 5, 6, 8))}


def propositions(layout):
    """The propositions of the first sentence, as a layout has them."""
    come, say = ROLESETS[layout]
    heads_of_come, heads_of_say = HEADS.get(layout, (None, None))
    return (
        Proposition(4, "come", come, COME, heads_of_come),
        Proposition(5, "say", say, SAY, heads_of_say),
    )
