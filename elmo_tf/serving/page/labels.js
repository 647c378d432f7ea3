// One label of a text, or of two.

import { element, share, table, text } from "./elements.js";
import { predict } from "./server.js";

export const fields = [
  {
    name: "sentence",
    label: "Sentence",
    initial: "A warm, funny and beautifully acted film.",
  },
];

export const pairFields = [
  {
    name: "premise",
    label: "Premise",
    initial: "Two boys are playing football in the park.",
  },
  { name: "hypothesis", label: "Hypothesis", initial: "Children are outdoors." },
];

export async function run({ model, values, signal, show, say }) {
  const inputs = { strings: [values.sentence] };
  describe(await predict(model, "default", inputs, signal), show, say);
}

export async function runPair({ model, values, signal, show, say }) {
  const inputs = {
    premise: [values.premise],
    hypothesis: [values.hypothesis],
  };
  describe(await predict(model, "default", inputs, signal), show, say);
}

function describe(outputs, show, say) {
  const label = outputs.label[0];
  const probabilities = outputs.probabilities[0];
  const best = probabilities.indexOf(Math.max(...probabilities));
  // Exports from before there were names have only that of the best.
  const names =
    outputs.labels?.[0] ??
    probabilities.map((_, place) =>
      place === best ? label : `label ${place + 1}`,
    );
  show(
    element("h2", {}, "Label: ", text(label)),
    table(
      "The probability of each label",
      ["Label", "Probability"],
      names.map((name, place) => [text(name), share(probabilities[place])]),
    ),
  );
  say(`${label}, with probability ${probabilities[best].toFixed(2)}`);
}
