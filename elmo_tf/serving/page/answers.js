// The answer to a question, marked in the context, and the attention.

import { element, newId, share, svg, table, text } from "./elements.js";
import { ask, predict } from "./server.js";

// Of a row of the heat map, as in page.css.
const ROW_HEIGHT = 28;
// Fainter cells are not drawn.
const LEAST_SHOWN = 0.004;
const N_NAMED = 5;
const WHOLE_QUESTION = "whole question";

export const fields = [
  {
    name: "context",
    label: "Context",
    kind: "text",
    initial:
      "The lighthouse on Skellig Island was built in 1826 by George Halpin, " +
      "an engineer from Dublin. Its lamp, which burned oil until 1909, could " +
      "be seen from 30 kilometres away. A storm destroyed the lower tower in " +
      "1955, and since 1987 nobody has lived on the island.",
  },
  {
    name: "question",
    label: "Question",
    initial: "Who built the lighthouse?",
  },
];

export const entityFields = [
  {
    name: "context",
    label: "Context, with its entities as @entity0, @entity1 …",
    kind: "text",
    initial: "@entity0 met @entity1 in @entity2 . @entity1 gave @entity0 a book .",
  },
  {
    name: "question",
    label: "Question, with @placeholder for the one in question",
    initial: "@placeholder was given a book .",
  },
];

export async function run({ model, values, signal, show, say }) {
  const outputs = await predict(
    model,
    "default",
    { context: [values.context], question: [values.question] },
    signal,
  );
  const answers = outputs.answers[0]
    .map((answer, place) => ({
      answer,
      start: outputs.starts[0][place],
      end: outputs.ends[0][place],
      score: outputs.scores[0][place],
    }))
    .filter(({ answer }) => answer !== "");
  if (!answers.length) {
    show(element("h2", {}, "No answer"));
    say("There is no answer in this context.");
    return;
  }
  const context = new Context(values.context, answers[0]);
  const attention = element("div");
  const choices = answerChoice(answers, (chosen) => context.mark(chosen));
  show(
    element("h2", {}, "Answer: ", text(answers[0].answer)),
    context.shown,
    attention,
    choices,
  );
  say(
    `The answer is ${answers[0].answer}, with score ` +
      `${answers[0].score.toFixed(2)}.`,
  );
  if (!model.attention) {
    attention.append(
      element("p", { class: "quiet" }, "This model shows no attention."),
    );
    return;
  }
  try {
    const fields = { context: values.context, question: values.question };
    const found = await ask("attention", model, fields, signal);
    context.setWords(found);
    attention.append(...attentionMap(found, context));
  } catch (error) {
    if (error.name === "AbortError") throw error;
    attention.append(
      element("p", {}, `The attention cannot be shown. ${error.message}`),
    );
  }
}

export async function runEntity({ model, values, signal, show, say }) {
  const outputs = await predict(
    model,
    "default",
    { context: [values.context], question: [values.question] },
    signal,
  );
  const entity = outputs.entity[0];
  const words = outputs.context_tokens[0].flatMap((token) => [
    token === entity ? element("mark", { class: "answer" }, token) : token,
    " ",
  ]);
  show(
    element("h2", {}, "Answer: ", text(entity)),
    element("p", { class: "context", dir: "auto" }, ...words),
    table(
      "The probability of each entity",
      ["Entity", "Probability"],
      outputs.entities[0]
        .map((name, place) => [name, outputs.probabilities[0][place]])
        .filter(([name]) => name !== "")
        .map(([name, probability]) => [text(name), share(probability)]),
    ),
  );
  say(`The answer is ${entity}.`);
}

function answerChoice(answers, onChoose) {
  const name = newId();
  const rows = answers.map((answer, number) => {
    const input = element("input", {
      type: "radio",
      name,
      checked: number === 0,
    });
    input.addEventListener("change", () => onChoose(answer));
    return element(
      "label",
      { class: "answer-choice" },
      input,
      text(answer.answer),
      share(answer.score),
    );
  });
  return element(
    "fieldset",
    { class: "answers" },
    element(
      "legend",
      {},
      "The best answers and their scores; the chosen one is marked",
    ),
    ...rows,
  );
}

/** A context with an answer marked, whose words can be lit up. */
class Context {
  constructor(value, answer) {
    // Places are counted in code points.
    this.characters = [...value];
    this.answer = answer;
    this.words = [];
    this.lights = [];
    this.shown = element("p", { class: "context", dir: "auto" });
    this.draw();
  }

  mark(answer) {
    this.answer = answer;
    this.draw();
  }

  setWords({ context_starts: starts, context_ends: ends }) {
    this.words = starts.map((start, place) => [start, ends[place]]);
    this.draw();
  }

  /** Lights words up; shares of one, or nothing. */
  light(shares) {
    this.lights = shares;
    this.spans.forEach(({ span, place }) => this.lightOne(span, place));
  }

  lightOne(span, place) {
    span.style.setProperty("--share", this.lights[place] ?? 0);
  }

  draw() {
    this.spans = [];
    this.shown.replaceChildren();
    const { start, end } = this.answer;
    const marked = element("mark", { class: "answer" });
    // The pieces between all places where something begins or ends.
    const cuts = [0, start, end, this.characters.length, ...this.words.flat()];
    const places = [...new Set(cuts)].sort((first, second) => first - second);
    let word = 0;
    places.slice(0, -1).forEach((from, number) => {
      const to = places[number + 1];
      while (word < this.words.length && this.words[word][1] <= from) word += 1;
      let piece = this.characters.slice(from, to).join("");
      if (word < this.words.length && this.words[word][0] <= from) {
        piece = element("span", { class: "lit" }, piece);
        this.spans.push({ span: piece, place: word });
        this.lightOne(piece, word);
      }
      if (from >= start && to <= end) {
        if (!marked.parentNode) this.shown.append(marked);
        marked.append(piece);
      } else {
        this.shown.append(piece);
      }
    });
  }
}

/**
 * A map of context words × question words: how each context word divides its
 * attention among the question's, and how the question as a whole divides its
 * own among the context's. Choosing or pointing at a row lights the context up.
 */
function attentionMap(found, context) {
  const contextTokens = found.context_tokens;
  if (!contextTokens.length || !found.question_tokens.length) return [];
  const rows = found.question_tokens.map((word, place) => ({
    word,
    shares: found.context_to_query.map((row) => row[place]),
  }));
  // How strongly each is coloured: the words compared with all of them.
  const most = largest(rows.flatMap(({ shares }) => shares));
  const whole = found.query_to_context;
  rows.push({ word: WHOLE_QUESTION, shares: whole });
  rows.forEach((row) => {
    const scale = row.shares === whole ? largest(whole) : most;
    row.colours = row.shares.map((value) => value / scale);
  });
  let chosen = null;
  const name = newId();
  const light = (place) =>
    context.light(place === null ? [] : rows[place].colours);
  const labels = rows.map(({ word }, place) => {
    const input = element("input", { type: "radio", name });
    input.addEventListener("change", () => {
      chosen = place;
      light(place);
      readout.textContent = `${word}: most attention from ${strongest(place)}.`;
    });
    const label = element("label", {}, input, text(word));
    label.addEventListener("pointerenter", () => light(place));
    label.addEventListener("pointerleave", () => light(chosen));
    return label;
  });
  const strongest = (place) =>
    rows[place].shares
      .map((value, number) => [value, contextTokens[number]])
      .sort(([first], [second]) => second - first)
      .slice(0, N_NAMED)
      .map(([value, token]) => `${token} ${value.toFixed(2)}`)
      .join(", ");

  const width = contextTokens.length;
  const height = rows.length;
  const picture = svg("svg", {
    viewBox: `0 0 ${width} ${height}`,
    preserveAspectRatio: "none",
    height: height * ROW_HEIGHT,
    role: "img",
    "aria-label":
      `Heat map of ${width} words of the context by ${height - 1} words of ` +
      "the question. The question’s words beside it tell the strongest.",
  });
  rows.forEach(({ colours }, row) =>
    colours.forEach((value, column) => {
      if (value < LEAST_SHOWN) return;
      picture.append(
        svg("rect", {
          x: column,
          y: row,
          width: 1,
          height: 1,
          "fill-opacity": value.toFixed(3),
        }),
      );
    }),
  );
  const readout = element("p", { class: "quiet readout", role: "status" }, HINT);
  picture.addEventListener("pointermove", (event) => {
    const box = picture.getBoundingClientRect();
    const at = (offset, size, n) =>
      Math.min(n - 1, Math.max(0, Math.floor((offset / size) * n)));
    const column = at(event.clientX - box.left, box.width, width);
    const row = at(event.clientY - box.top, box.height, height);
    light(row);
    readout.textContent =
      `${contextTokens[column]} × ${rows[row].word}: ` +
      rows[row].shares[column].toFixed(3);
  });
  picture.addEventListener("pointerleave", () => {
    light(chosen);
    readout.textContent = HINT;
  });
  return [
    element(
      "fieldset",
      { class: "map" },
      element("legend", {}, "Attention"),
      element("div", { class: "rows" }, ...labels),
      picture,
    ),
    readout,
  ];
}

const HINT =
  "Across: the context’s words, from the first to the last. Choose a word of " +
  "the question, or point at it, and the context’s words light up that attend " +
  "to it. Colours go up to the largest share of the words, and in the last row " +
  "to that of the whole question.";

function largest(values) {
  return values.reduce((most, value) => Math.max(most, value), 1e-9);
}
