// Elements of the page. Text becomes text nodes, never HTML.

let lastId = 0;

/** Makes an element; attributes that are false, null or undefined are left out. */
export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  setAttributes(made, attributes);
  made.append(...children);
  return made;
}

/** Likewise of SVG. */
export function svg(name, attributes = {}, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  setAttributes(made, attributes);
  made.append(...children);
  return made;
}

function setAttributes(made, attributes) {
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== false && value !== null && value !== undefined) {
      made.setAttribute(key, value === true ? "" : value);
    }
  }
}

/** An id that no other element has. */
export function newId() {
  lastId += 1;
  return `made-${lastId}`;
}

/** Text in whatever script it is written. */
export function text(value) {
  return element("bdi", {}, value);
}

/**
 * Words of which one can be chosen: a radio group, with the keys that it has
 * everywhere.
 */
export function wordChoice(legend, words, onChoose, chosen = null) {
  const name = newId();
  const labels = words.map((word, number) => {
    const input = element("input", {
      type: "radio",
      name,
      value: number,
      checked: number === chosen,
    });
    input.addEventListener("change", () => onChoose(number));
    return element("label", { class: "chip" }, input, text(word));
  });
  return element(
    "fieldset",
    { class: "words" },
    element("legend", {}, legend),
    ...labels,
  );
}

/** A share of one as a bar with its number. */
export function share(value) {
  const bar = element("span", { class: "bar", "aria-hidden": "true" });
  bar.style.setProperty("--share", value);
  return element(
    "span",
    { class: "share" },
    bar,
    element("span", { class: "number" }, value.toFixed(3)),
  );
}

/** A table. */
export function table(caption, heads, rows, attributes = {}) {
  return element(
    "table",
    attributes,
    element("caption", {}, caption),
    element(
      "thead",
      {},
      element(
        "tr",
        {},
        ...heads.map((head) => element("th", { scope: "col" }, head)),
      ),
    ),
    element(
      "tbody",
      {},
      ...rows.map((row) =>
        element(
          "tr",
          {},
          ...row.map((cell, column) =>
            element(column ? "td" : "th", column ? {} : { scope: "row" }, cell),
          ),
        ),
      ),
    ),
  );
}
