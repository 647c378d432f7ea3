// Finds the models that the server has, and shows a form for each kind.

import * as answers from "./answers.js";
import * as clusters from "./clusters.js";
import { element, newId } from "./elements.js";
import * as labels from "./labels.js";
import * as neighbours from "./neighbours.js";
import { listModels, useToken } from "./server.js";
import * as tags from "./tags.js";

const KINDS = {
  neighbours: {
    title: "finds what is used alike",
    button: "Find neighbours",
    fields: neighbours.fields,
    run: neighbours.run,
  },
  tags: {
    title: "tags words",
    button: "Tag the words",
    fields: tags.fields,
    run: tags.run,
  },
  roles: {
    title: "finds semantic roles",
    button: "Show the words",
    fields: tags.roleFields,
    run: tags.runRoles,
  },
  label: {
    title: "labels a text",
    button: "Label it",
    fields: labels.fields,
    run: labels.run,
  },
  pair: {
    title: "labels a pair of texts",
    button: "Label them",
    fields: labels.pairFields,
    run: labels.runPair,
  },
  answer: {
    title: "answers questions",
    button: "Answer",
    fields: answers.fields,
    run: answers.run,
  },
  clusters: {
    title: "resolves coreference",
    button: "Resolve coreference",
    fields: clusters.fields,
    run: clusters.run,
  },
  entity: {
    title: "finds the missing entity",
    button: "Answer",
    fields: answers.entityFields,
    run: answers.runEntity,
  },
};

const byId = (id) => document.getElementById(id);
const tokenForm = byId("token-form");
const choice = byId("choice");
const select = byId("model");
const form = byId("ask");
const results = byId("results");

let models = [];
// What was typed, by kind and field.
const typed = new Map();
let running = null;

function say(message) {
  byId("status").textContent = message;
}

function show(...children) {
  results.replaceChildren(...children);
}

function setBusy(isBusy) {
  results.setAttribute("aria-busy", isBusy);
  document.body.classList.toggle("busy", isBusy);
  if (isBusy) say("Working …");
}

/** Runs what asks the server; what ran before is given up. */
async function work(task) {
  running?.abort();
  const own = new AbortController();
  running = own;
  byId("error").textContent = "";
  setBusy(true);
  try {
    await task(own.signal);
  } catch (error) {
    if (running === own) fail(error);
  } finally {
    if (running === own) {
      running = null;
      setBusy(false);
      if (byId("status").textContent === "Working …") say("");
    }
  }
}

function fail(error) {
  byId("error").textContent = error.message;
  if (error.status === 401) {
    tokenForm.hidden = false;
    byId("token").focus();
  } else if (error.status === undefined) {
    // A defect of the page itself.
    console.error(error);
  }
}

function current() {
  return models[select.selectedIndex];
}

async function loadModels(signal) {
  const before = current();
  models = await listModels(signal);
  const names = models.map(({ name }) => name);
  select.replaceChildren(
    ...models.map(({ name, version, kind }, place) => {
      const title = kind ? `, ${KINDS[kind].title}` : "";
      const others = names.indexOf(name) !== names.lastIndexOf(name);
      return element(
        "option",
        { value: place },
        `${name}${others ? `, version ${version}` : ""}${title}`,
      );
    }),
  );
  const place = names.indexOf(before?.name);
  select.selectedIndex = Math.max(place, 0);
  choice.hidden = false;
  const after = current();
  byId("about").textContent = `version ${after.version}`;
  if (before?.name !== after.name || before.kind !== after.kind) drawForm();
}

function drawForm() {
  const model = current();
  byId("about").textContent = `version ${model.version}`;
  byId("error").textContent = "";
  say("");
  show();
  const kind = KINDS[model.kind];
  form.hidden = !kind;
  if (!kind) {
    show(
      element(
        "p",
        {},
        "This page has no form for this model. Other programs can ask it: it " +
          `has the signatures ${model.signatures.join(", ")}.`,
      ),
    );
    return;
  }
  form.replaceChildren(
    ...kind.fields.map((field) => drawField(model.kind, field)),
    element("button", { type: "submit" }, kind.button),
  );
}

function drawField(kind, { name, label, initial = "", kind: type, optional }) {
  const id = newId();
  const key = `${kind} ${name}`;
  if (type === "checkbox") {
    const input = element("input", { id, name, type });
    input.checked = typed.get(key) ?? false;
    input.addEventListener("change", () => typed.set(key, input.checked));
    return element(
      "div",
      { class: "check" },
      input,
      element("label", { for: id }, label),
    );
  }
  const shared = { id, name, dir: "auto", required: !optional };
  const input =
    type === "text"
      ? element("textarea", { ...shared, rows: optional ? 2 : 5 })
      : element("input", { ...shared, type: "text", autocomplete: "off" });
  input.value = typed.get(key) ?? initial;
  input.addEventListener("input", () => typed.set(key, input.value));
  return element(
    "div",
    { class: "field" },
    element("label", { for: id }, label),
    input,
  );
}

function readForm(kind) {
  return Object.fromEntries(
    kind.fields.map(({ name, kind: type }) => {
      const input = form.elements[name];
      return [name, type === "checkbox" ? input.checked : input.value];
    }),
  );
}

async function submit(signal) {
  const run = () => {
    const model = current();
    const kind = KINDS[model.kind];
    const values = readForm(kind);
    return kind.run({ model, values, signal, again: work, show, say });
  };
  try {
    await run();
  } catch (error) {
    if (error.status !== 404) throw error;
    // Perhaps another version has taken its place.
    const { name, version } = current();
    await loadModels(signal);
    if (current().name !== name || current().version === version) throw error;
    await run();
  }
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  work(submit);
});

select.addEventListener("change", () => {
  running?.abort();
  running = null;
  setBusy(false);
  drawForm();
});

tokenForm.addEventListener("submit", (event) => {
  event.preventDefault();
  useToken(byId("token").value.trim());
  work(async (signal) => {
    await loadModels(signal);
    tokenForm.hidden = true;
    select.focus();
  });
});

work(loadModels);
