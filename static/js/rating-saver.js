/* Ratings on their way: kept in this browser until the server has them, sent in order. Drafts of
 * pages that are not sent yet are kept beside them.
 */

import { Refusal } from "./rating-api.js";

const FIRST_WAIT_MS = 1000;
const LONGEST_WAIT_MS = 8000;

export class Saver {
  #key;
  #draftKey;
  #queue;
  #busy = false;
  #stopped = false;
  #wake = () => {};

  /** `send` posts one rating; the callbacks hear of what became of it. */
  constructor(name, { send, onSaved, onRefused, onState }) {
    this.#key = `rating-queue:${name}`;
    this.#draftKey = `rating-draft:${name}`;
    Object.assign(this, { send, onSaved, onRefused, onState, survives: true });
    this.start();
    addEventListener("online", () => this.#wake());
  }

  get waiting() {
    return this.#queue.length;
  }

  /** Whether something of a page is on its way. */
  holds(page) {
    return this.#queue.some((rating) => rating.page === page);
  }

  add(rating) {
    this.#queue.push(rating);
    this.#store();
    this.flush();
  }

  /** What was answered on a page, by its position, while it is not sent; null forgets it. */
  keepDraft(position, answers) {
    if (this.#stopped) return;
    const drafts = this.#drafts();
    if (answers) drafts[position] = answers;
    else delete drafts[position];
    this.#write(this.#draftKey, Object.keys(drafts).length ? drafts : null);
  }

  draft(position) {
    return this.#drafts()[position] ?? null;
  }

  /** The work is handed in. */
  forgetDrafts() {
    this.#write(this.#draftKey, null);
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
    const stored = this.#read(this.#key);
    return Array.isArray(stored) ? stored : [];
  }

  #drafts() {
    const stored = this.#read(this.#draftKey);
    return stored && typeof stored === "object" ? stored : {};
  }

  #store() {
    if (this.#stopped) return;
    // Where it cannot be stored, the page asks not to be closed.
    this.survives = this.#write(this.#key, this.#queue.length ? this.#queue : null);
  }

  #read(key) {
    try {
      return JSON.parse(localStorage.getItem(key));
    } catch {
      return null; // nothing readable there, or no storage for this frame
    }
  }

  /** Whether it is stored now. */
  #write(key, value) {
    try {
      if (value === null) localStorage.removeItem(key);
      else localStorage.setItem(key, JSON.stringify(value));
      return true;
    } catch {
      return false;
    }
  }
}
