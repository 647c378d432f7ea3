// Tags of words: named entities, parts of speech, semantic roles.

import { element, share, table, text, wordChoice } from "./elements.js";
import { predict } from "./server.js";

const N_HUES = 10;
// From labels to hues, in the order in which they are first seen.
const hues = new Map();

export const fields = [
  {
    name: "sentence",
    label: "Sentence",
    initial: "Anna Lindqvist flew from Oslo to Berlin in May.",
  },
];

export const roleFields = [
  {
    name: "sentence",
    label: "Sentence",
    initial: "The committee gave the young painter a prize in Paris.",
  },
];

export async function run({ model, values, signal, show, say }) {
  const outputs = await predict(
    model,
    "default",
    { strings: [values.sentence] },
    signal,
  );
  show(element("h2", {}, "Tags"), ...describe(outputs));
  say(summary(outputs));
}

/** Semantic roles: the words first, so that one can choose the predicate. */
export async function runRoles({ model, values, signal, again, show, say }) {
  const inputs = (predicate) => ({
    predicate: [predicate],
    strings: [values.sentence],
  });
  // No predicate, only the words.
  const { tokens } = await predict(model, "default", inputs(-1), signal);
  const result = element("div");
  const choose = (place) =>
    again(async (signal) => {
      const outputs = await predict(model, "default", inputs(place), signal);
      result.replaceChildren(...describe(outputs));
      say(summary(outputs));
    });
  const group = wordChoice(
    "Predicate: choose the word whose roles you want to see",
    tokens[0],
    choose,
  );
  show(element("h2", {}, "Roles"), group, result);
  say("Choose the predicate.");
}

function describe(outputs) {
  const tokens = outputs.tokens[0];
  const tags = outputs.tags[0];
  const probabilities = outputs.tag_probabilities?.[0];
  const parts = [
    element(
      "ol",
      { class: "tagged" },
      ...spans(tokens, tags).map(({ words, label }) => {
        const item = element("li", {}, text(words.join(" ")));
        if (label !== null) {
          item.className = `tag hue-${hue(label)}`;
          item.append(" ", element("span", { class: "label" }, label));
        }
        return item;
      }),
    ),
  ];
  if (probabilities) {
    parts.push(
      element(
        "details",
        {},
        element("summary", {}, "How sure of each word"),
        table(
          "The probability of each word’s tag",
          ["Word", "Tag", "Probability"],
          tokens.map((token, place) => [
            text(token),
            tags[place],
            share(probabilities[place]),
          ]),
        ),
      ),
    );
  }
  if (outputs.probability) {
    parts.push(
      element(
        "p",
        { class: "quiet" },
        `The probability of all tags together is ${outputs.probability[0].toFixed(3)}.`,
      ),
    );
  }
  return parts;
}

/**
 * Joins words of one label, as BIO, BIOES and BILOU say it; words with other
 * tags are by themselves.
 */
function spans(tokens, tags) {
  const found = [];
  let open = null;
  tokens.forEach((token, place) => {
    const tag = tags[place];
    const [, prefix, name] = /^([BIESLU])-(.+)$/.exec(tag) ?? [];
    const label = name ?? (tag === "O" ? null : tag);
    const goesOn = "IEL".includes(prefix) && open?.label === label;
    if (goesOn) {
      open.words.push(token);
    } else {
      open = { words: [token], label };
      found.push(open);
    }
  });
  return found;
}

function summary(outputs) {
  const labelled = spans(outputs.tokens[0], outputs.tags[0]).filter(
    ({ label }) => label !== null,
  );
  if (!labelled.length) return "No word has a label.";
  return labelled
    .map(({ words, label }) => `${words.join(" ")}: ${label}`)
    .join("; ");
}

function hue(label) {
  if (!hues.has(label)) hues.set(label, hues.size % N_HUES);
  return hues.get(label);
}
