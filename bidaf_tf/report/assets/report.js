"use strict";
// Counts the kinds of errors that are chosen, keeps them, gives them out.
const sheet = document.querySelector("[data-sheet]");
if (sheet) {
  const errors = [...sheet.querySelectorAll(".error")];
  const names = [...sheet.querySelectorAll(".tally tbody th")].map(
    (cell) => cell.textContent,
  );
  const key = `errors ${sheet.dataset.sheet}`;

  const chosen = (error) => error.querySelector("input:checked").value;

  // Browsers may forbid a page of a file to keep anything.
  const storage = (work) => {
    try {
      return work(window.localStorage);
    } catch {
      return null;
    }
  };

  const count = () => {
    const counts = names.map(
      (_, number) =>
        errors.filter((error) => chosen(error) === String(number)).length,
    );
    const total = counts.reduce((sum, value) => sum + value, 0);
    counts.forEach((value, number) => {
      sheet.querySelector(`[data-count="${number}"]`).textContent = value;
      sheet.querySelector(`[data-share="${number}"]`).textContent = total
        ? `${Math.round((100 * value) / total)} %`
        : "–";
    });
    document.getElementById("sorted").textContent =
      `${total} of ${errors.length}`;
    return counts;
  };

  const keep = () => {
    const kept = Object.fromEntries(
      errors.map((error) => [error.dataset.id, chosen(error)]),
    );
    storage((store) => store.setItem(key, JSON.stringify(kept)));
  };

  const choose = (error, value) => {
    const input = [...error.querySelectorAll("input")].find(
      (one) => one.value === value,
    );
    if (input) input.checked = true;
  };

  const results = () =>
    errors.map((error) => ({
      id: error.dataset.id,
      kind: names[chosen(error)] ?? null,
      question: error.dataset.question,
      prediction: error.dataset.prediction,
      answers: JSON.parse(error.dataset.answers),
    }));

  const download = (name, type, text) => {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([text], { type }));
    link.download = name;
    link.click();
    URL.revokeObjectURL(link.href);
  };

  const cell = (value) => `"${value.replaceAll('"', '""')}"`;

  document.getElementById("as-json").addEventListener("click", () => {
    const counts = Object.fromEntries(
      count().map((value, number) => [names[number], value]),
    );
    const text = JSON.stringify({ counts, errors: results() }, null, 2);
    download("errors.json", "application/json", `${text}\n`);
  });
  document.getElementById("as-csv").addEventListener("click", () => {
    const rows = results().map((one) => [
      one.id,
      one.kind ?? "",
      one.question,
      one.prediction,
      one.answers.join(" | "),
    ]);
    const lines = [["id", "kind", "question", "prediction", "answers"], ...rows]
      .map((row) => `${row.map(cell).join(",")}\r\n`)
      .join("");
    download("errors.csv", "text/csv", lines);
  });
  document.getElementById("clear").addEventListener("click", () => {
    if (!window.confirm("Forget all that was chosen?")) return;
    for (const error of errors) choose(error, "");
    storage((store) => store.removeItem(key));
    count();
  });
  sheet.addEventListener("change", () => {
    count();
    keep();
  });

  const kept = storage((store) => JSON.parse(store.getItem(key))) ?? {};
  for (const error of errors) choose(error, kept[error.dataset.id] ?? "");
  count();
}
