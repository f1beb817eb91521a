/* Ratings on their way: kept in this browser until the server has them, sent in order. */

import { Refusal } from "./rating-api.js";

const FIRST_WAIT_MS = 1000;
const LONGEST_WAIT_MS = 8000;

export class Saver {
  #key;
  #queue;
  #busy = false;
  #stopped = false;
  #wake = () => {};

  /** `send` posts one rating; the callbacks hear of what became of it. */
  constructor(name, { send, onSaved, onRefused, onState }) {
    this.#key = `rating-queue:${name}`;
    Object.assign(this, { send, onSaved, onRefused, onState, survives: true });
    this.start();
    addEventListener("online", () => this.#wake());
  }

  get waiting() {
    return this.#queue.length;
  }

  add(rating) {
    this.#queue.push(rating);
    this.#store();
    this.flush();
  }

  /** Take up what is stored, this tab's or another's. */
  start() {
    this.#queue = this.#load();
    this.#stopped = false;
  }

  /** Another tab goes on with the work and with what is stored: leave both alone. */
  stop() {
    this.#stopped = true;
  }

  async flush() {
    if (this.#busy) return;
    this.#busy = true;
    let wait = FIRST_WAIT_MS;
    while (this.#queue.length && !this.#stopped) {
      this.onState(wait === FIRST_WAIT_MS ? "saving" : "offline");
      try {
        await this.#sendFirst();
        wait = FIRST_WAIT_MS;
      } catch {
        this.onState("offline");
        await this.#pause(wait * (0.8 + 0.4 * Math.random()));
        wait = Math.min(2 * wait, LONGEST_WAIT_MS);
      }
    }
    this.#busy = false;
    if (!this.#stopped) this.onState("saved");
  }

  async #sendFirst() {
    const rating = this.#queue[0];
    let outcome;
    try {
      const answer = await this.send(rating);
      outcome = () => this.onSaved(answer, rating);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      outcome = () => this.onRefused(error, rating);
    }
    this.#queue.shift();
    this.#store();
    outcome();
  }

  #pause(milliseconds) {
    return new Promise((resolve) => {
      this.#wake = resolve;
      setTimeout(resolve, milliseconds);
    });
  }

  #load() {
    try {
      const stored = JSON.parse(localStorage.getItem(this.#key) ?? "[]");
      return Array.isArray(stored) ? stored : [];
    } catch {
      return []; // nothing readable there, or no storage for this frame
    }
  }

  #store() {
    if (this.#stopped) return;
    try {
      if (this.#queue.length) localStorage.setItem(this.#key, JSON.stringify(this.#queue));
      else localStorage.removeItem(this.#key);
      this.survives = true;
    } catch {
      this.survives = false; // the page then asks not to be closed
    }
  }
}
