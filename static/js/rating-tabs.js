/* One tab at a time: a second one is told, and may take over.
 *
 * Tabs talk over a channel, because in a frame without third-party storage browsers have neither
 * locks nor local storage to offer, but this they have. A tab that crashed does not answer.
 */

const ANSWER_MS = 100;

export class Tabs {
  #channel;
  #id = Math.random();
  #claiming = false;
  #holds = false;

  /** `onLost` is called when another tab turns out to have the work, or takes it. */
  constructor(name, onLost) {
    this.onLost = onLost;
    this.#channel = new BroadcastChannel(`rating:${name}`);
    this.#channel.onmessage = ({ data }) => this.#hear(data);
  }

  /** True when no other tab says that it has the work. */
  async claim() {
    this.#claiming = true;
    this.#say("mine?");
    await new Promise((resolve) => setTimeout(resolve, ANSWER_MS));
    this.#holds = this.#claiming;
    this.#claiming = false;
    return this.#holds;
  }

  takeOver() {
    this.#holds = true;
    this.#say("mine!");
  }

  #say(words) {
    this.#channel.postMessage({ words, id: this.#id });
  }

  #hear({ words, id }) {
    // Of two that ask at the same moment, one has to be first.
    const first = this.#claiming && this.#id < id;
    if (words === "mine?" && (this.#holds || first)) this.#say("no, mine");
    if (words === "no, mine") this.#claiming = false;
    if (words !== "mine?" && this.#holds) {
      this.#holds = false;
      this.onLost(); // an answer that came late, or somebody took over
    }
  }
}
