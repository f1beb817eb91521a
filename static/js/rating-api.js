/* Talking to the server: the turn goes in a header, refusals come back as sentences. */

const TIMEOUT_MS = 15000;

/** The server understood and said no; trying again would not help. */
export class Refusal extends Error {
  constructor(code, sentence) {
    super(sentence);
    this.code = code;
  }
}

export class Api {
  constructor(endpoints, token) {
    this.endpoints = endpoints;
    this.token = token;
  }

  save = (rating) => this.#post("rating-create", rating);
  submit = (comment, corrected) => this.#post("assignment-finish", { comment, corrected });
  report = (problem) => this.#post("problem-create", problem);
  check = (answers) => this.#post("tutorial-check", { answers });
  giveBack = () => this.#post("assignment-return", {});
  work = () => this.#send(this.endpoints["work-detail"], { method: "GET" });
  item = (position) =>
    this.#send(`${this.endpoints["item-detail"]}?position=${position}`, { method: "GET" });

  #post(name, body) {
    // keepalive: a rating on its way survives the closing of the page.
    return this.#send(this.endpoints[name], {
      method: "POST",
      body: JSON.stringify(body),
      keepalive: true,
    });
  }

  async #send(url, options) {
    const response = await fetch(url, {
      ...options,
      headers: {
        "X-Assignment": this.token,
        "Content-Type": "application/json",
        "Accept-Language": document.documentElement.lang, // refusals are sentences, too
      },
      credentials: "omit",
      cache: "no-store",
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    if (response.ok) return response.json();
    // Anything that is not our own refusal (a proxy, a server starting up) may pass.
    if (response.status >= 500 || response.status === 429) throw new Error(`${response.status}`);
    const { code, error } = await response.json();
    throw new Refusal(code, error);
  }
}
