// The nearest neighbours of a sentence's words, layer by layer.

import { element, wordChoice } from "./elements.js";
import { ask } from "./server.js";

const N_AROUND = 8;
// The word that was chosen, for when the same sentence comes again.
let last = { tokens: [], place: 0 };

export const fields = [
  {
    name: "sentence",
    label: "Sentence",
    initial: "They sat down on the bank of the river.",
  },
  {
    name: "text",
    label: "Text to search (empty: sentences with ambiguous words that come with the package)",
    kind: "text",
    optional: true,
  },
  {
    name: "same_word",
    label: "Only other occurrences of the same word",
    kind: "checkbox",
  },
];

export async function run({ model, values, signal, show, say }) {
  const found = await ask(
    "neighbours",
    model,
    {
      sentence: values.sentence,
      text: values.text.trim() ? values.text : null,
      same_word: values.same_word,
    },
    signal,
  );
  const lists = element("div", { class: "layers" });
  const choose = (place) => {
    last = { tokens: found.tokens, place };
    lists.replaceChildren(
      ...found.neighbours.map((layer, number) =>
        layerSection(number, layer[place], found.sentences),
      ),
    );
    const top = found.neighbours.at(-1)[place];
    const words = top.map(([, sentence, own]) => found.sentences[sentence][own]);
    say(
      words.length
        ? `${found.tokens[place]}: in the top layer nearest to ${words.join(", ")}`
        : `${found.tokens[place]}: not in the text`,
    );
  };
  const isSame = last.tokens.join(" ") === found.tokens.join(" ");
  const first = isSame ? last.place : 0;
  const group = wordChoice("Word", found.tokens, choose, first);
  show(
    element("h2", {}, "Nearest neighbours"),
    element(
      "p",
      { class: "quiet" },
      `By cosine, among ${found.n_tokens.toLocaleString("en")} words in ` +
        `${found.n_sentences.toLocaleString("en")} sentences, without this one.`,
    ),
    group,
    lists,
  );
  choose(first);
}

function layerSection(number, neighbours, sentences) {
  const rows = neighbours.map(([cosine, sentence, place]) =>
    element(
      "li",
      {},
      element("span", { class: "number" }, cosine.toFixed(3)),
      excerpt(sentences[sentence], place),
    ),
  );
  return element(
    "section",
    {},
    element("h3", {}, number ? `LSTM layer ${number}` : "Token layer"),
    rows.length
      ? element("ol", { class: "neighbours" }, ...rows)
      : element("p", {}, "There is none in the text."),
  );
}

function excerpt(tokens, place) {
  const start = Math.max(0, place - N_AROUND);
  const end = Math.min(tokens.length, place + 1 + N_AROUND);
  const before = tokens.slice(start, place).join(" ");
  const after = tokens.slice(place + 1, end).join(" ");
  return element(
    "bdi",
    {},
    `${start ? "… " : ""}${before} `,
    element("mark", {}, tokens[place]),
    ` ${after}${end < tokens.length ? " …" : ""}`,
  );
}
