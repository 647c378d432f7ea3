// Coreference: which words of a text speak of the same.

import { element, text } from "./elements.js";
import { predict } from "./server.js";

const N_HUES = 10;
// Words with what joins them inside, and each other character by itself.
const WORD = /[\p{L}\p{M}\p{N}]+(?:[-'’.][\p{L}\p{M}\p{N}]+)*|\S/gu;

export const fields = [
  {
    name: "document",
    label: "Text, a sentence in each line",
    kind: "text",
    initial:
      "Anna Lindqvist met the old painter in her studio.\n" +
      "She asked him about the picture of the harbour.\n" +
      "He had painted it for her brother.",
  },
];

export async function run({ model, values, signal, show, say }) {
  const sentences = values.document
    .split("\n")
    .map((line) => line.match(WORD) ?? [])
    .filter((words) => words.length);
  const tokens = sentences.flat();
  if (!tokens.length) {
    show(element("p", {}, "There are no words in this text."));
    return;
  }
  const outputs = await predict(
    model,
    "tokens",
    {
      tokens: [tokens],
      sequence_len: [tokens.length],
      sentence_lengths: [sentences.map((words) => words.length)],
      // Nothing is known of who speaks, and in what kind of text.
      speakers: [tokens.map(() => "")],
      genre: [""],
    },
    signal,
  );
  const mentions = readMentions(outputs);
  const clusters = Map.groupBy(mentions, ({ number }) => number);
  const words = ({ first, last }) => tokens.slice(first, last + 1).join(" ");
  let start = 0;
  const lines = sentences.map((sentence) => {
    const end = start + sentence.length - 1;
    const own = mentions.filter(
      ({ first, last }) => first >= start && last <= end,
    );
    const line = element("p", { dir: "auto" }, ...mark(tokens, start, end, own));
    start = end + 1;
    return line;
  });
  show(
    element("h2", {}, "Clusters of mentions"),
    element("div", { class: "marked" }, ...lines),
    clusters.size
      ? element(
          "ol",
          { class: "clusters" },
          ...[...clusters].map(([number, cluster]) =>
            element(
              "li",
              {},
              ...cluster.flatMap((mention, place) => [
                place ? ", " : "",
                element("span", { class: hue(number) }, text(words(mention))),
              ]),
            ),
          ),
        )
      : element("p", {}, "There is no cluster."),
  );
  say(
    [...clusters.values()]
      .map((cluster) => cluster.map(words).join(", "))
      .join("; ") || "There is no cluster.",
  );
}

/** Mentions in the order of the text, clusters numbered as they begin. */
function readMentions(outputs) {
  const [found] = outputs.cluster;
  const mentions = found
    .map((cluster, place) => ({
      cluster,
      first: outputs.first[0][place],
      last: outputs.last[0][place],
    }))
    .filter(({ cluster }) => cluster >= 0)
    .sort((one, other) => one.first - other.first || other.last - one.last);
  const numbers = new Map();
  for (const mention of mentions) {
    if (!numbers.has(mention.cluster)) {
      numbers.set(mention.cluster, numbers.size + 1);
    }
    mention.number = numbers.get(mention.cluster);
  }
  return mentions;
}

/** The words of a stretch, its mentions marked, the smaller in the larger. */
function mark(tokens, start, end, mentions) {
  const nodes = [];
  let place = start;
  let rest = mentions;
  while (rest.length) {
    const [mention, ...others] = rest;
    nodes.push(...spaced(tokens.slice(place, mention.first)));
    const inner = others.filter(({ last }) => last <= mention.last);
    // One that begins inside and ends outside stands in the list alone.
    rest = others.filter(({ first }) => first > mention.last);
    nodes.push(
      element(
        "span",
        { class: hue(mention.number) },
        ...mark(tokens, mention.first, mention.last, inner),
        element("span", { class: "label" }, mention.number),
      ),
      " ",
    );
    place = mention.last + 1;
  }
  nodes.push(...spaced(tokens.slice(place, end + 1)));
  return nodes;
}

function spaced(words) {
  return words.map((word) => `${word} `);
}

function hue(number) {
  return `tag hue-${(number - 1) % N_HUES}`;
}
