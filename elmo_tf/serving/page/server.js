// Requests to the server, and its errors in words.

/** What went wrong, as one can read it. */
export class ServerError extends Error {
  constructor(message, status) {
    super(message);
    this.status = status;
  }
}

const ADVICE = {
  401: "The server wants a valid token.",
  413: "That is too long.",
  429: "The server is busy; try again in a moment.",
  503: "The server is stopping.",
  504: "It took too long; try something shorter, or try again later.",
};

// In memory only.
let token = "";

export function useToken(value) {
  token = value;
}

/** Lists the versions of models that there are. */
export async function listModels(signal) {
  const { models } = await send("page/models.json", null, signal);
  return models;
}

/** Runs a signature on columns; gives the columns of its outputs. */
export async function predict(model, signature, inputs, signal) {
  const name = encodeURIComponent(model.name);
  const answer = await send(
    `v1/models/${name}/versions/${model.version}:predict`,
    { signature_name: signature, inputs },
    signal,
  );
  return answer.outputs;
}

/** Asks for what the page has besides TensorFlow Serving's API. */
export function ask(what, model, fields, signal) {
  const { name, version } = model;
  return send(`page/${what}`, { model: name, version, ...fields }, signal);
}

async function send(path, body, signal) {
  const headers = {};
  if (token) headers.Authorization = `Bearer ${token}`;
  if (body) headers["Content-Type"] = "application/json";
  let response;
  let answer = null;
  try {
    response = await fetch(path, {
      method: body ? "POST" : "GET",
      headers,
      body: body && JSON.stringify(body),
      cache: "no-store",
      signal,
    });
    answer = await response.json();
  } catch (error) {
    if (error.name === "AbortError") throw error;
    if (!response) {
      throw new ServerError(
        "The server cannot be reached. Is it running, and are you connected?",
        0,
      );
    }
  }
  if (!response.ok || answer === null) {
    const reason = answer?.error ?? `status ${response.status}`;
    const advice = ADVICE[response.status];
    throw new ServerError(
      advice ? `${advice} (${reason})` : `The server says: ${reason}`,
      response.status,
    );
  }
  return answer;
}
