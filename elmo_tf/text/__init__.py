"""Text: tokens, their characters, their vocabulary and the corpus."""

from elmo_tf.text.bidirectional_corpus import BidirectionalCorpusReader
from elmo_tf.text.characters import BOS
from elmo_tf.text.characters import EOS
from elmo_tf.text.characters import MAX_CHARACTERS_PER_TOKEN
from elmo_tf.text.characters import UNK
from elmo_tf.text.characters import add_sentence_boundaries
from elmo_tf.text.characters import character_ids
from elmo_tf.text.characters import unique_character_ids
from elmo_tf.text.corpus import CorpusReader
from elmo_tf.text.corpus_statistics import CorpusStatistics
from elmo_tf.text.corpus_statistics import scan
from elmo_tf.text.shards import list_shards
from elmo_tf.text.shards import read_lines
from elmo_tf.text.shards import read_sentences
from elmo_tf.text.tokenizer import TOKENIZERS
from elmo_tf.text.tokenizer import tokenize
from elmo_tf.text.vocabulary import Vocabulary
from elmo_tf.text.vocabulary_builder import VocabularyCounts
from elmo_tf.text.vocabulary_builder import build_vocabulary
