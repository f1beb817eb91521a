/* Words of the caption, sentence by sentence, to be marked: a tap marks one, a drag all between, and
 * keys move from word to word. Where marks have kinds, the one that is chosen above goes to whatever
 * is marked next; a tap on a word of another kind changes it.
 *
 * The server says where words stand, in characters; what JavaScript counts are code units.
 */

import { say } from "../rating-words.js";

const MOVES = { ArrowLeft: -1, ArrowRight: 1 };
const UNKNOWN = /^<?unk>?$/i; // what some systems write for a word they lack: always wrong

export default class Marks {
  #list;
  #choices;
  #sentences = []; // of words: { button, start, end }
  #filled = null; // marks that stand there before anybody has marked
  #drag = null;
  #locked = false;

  constructor(root, { onChange }) {
    this.root = root;
    this.#list = root.querySelector("ol");
    this.#choices = [...root.querySelectorAll("[data-choice]")];
    this.onChange = onChange;
    this.touches = [];
    this.#list.addEventListener("pointerdown", (event) => this.#press(event));
    this.#list.addEventListener("pointermove", (event) => this.#reach(event));
    this.#list.addEventListener("pointerup", () => (this.#drag = null));
    this.#list.addEventListener("pointercancel", () => this.#undo());
    this.#list.addEventListener("click", (event) => this.#click(event));
    this.#list.addEventListener("keydown", (event) => this.key(event));
  }

  /** Write out the words of another caption. */
  show({ text, sentences, filled }) {
    this.#filled = filled ?? null;
    this.root.querySelector(".filled-note").hidden = !filled?.length;
    const letters = Array.from(text);
    const cut = (start, end) => letters.slice(start, end).join("");
    this.#sentences = sentences.map((words) =>
      words.map(([start, end]) => ({
        start,
        end,
        label: "",
        button: word(cut(start, end) || say("missing-word")), // past the end of the caption
      })),
    );
    const starts = [...sentences.slice(1).map((words) => words[0][0]), letters.length];
    this.#list.replaceChildren(
      ...this.#sentences.map((words, i) => {
        const line = document.createElement("li");
        words.forEach(({ button, end }, j) => {
          line.append(button, cut(end, words[j + 1]?.start ?? starts[i]));
        });
        return line;
      }),
    );
    this.#rove(this.#words[0]);
  }

  get #words() {
    return this.#sentences.flat();
  }

  get marked() {
    return this.#words.some(isMarked);
  }

  /** What is marked now is marked as this: one choice of each group. */
  get #label() {
    const chosen = this.#choices.map((group) => group.querySelector("input:checked"));
    return chosen.length ? chosen.map((input) => input.value).join("/") : this.root.dataset.label;
  }

  /** Neighbouring words of a sentence and a kind are one mark; none at all is an answer, too. */
  get value() {
    const marks = [];
    for (const words of this.#sentences)
      words.forEach((each, i) => {
        if (!isMarked(each)) return;
        if (words[i - 1]?.label === each.label) marks.at(-1)[1] = each.end;
        else marks.push([each.start, each.end, each.label]);
      });
    return marks;
  }

  /** As it was marked earlier, or filled in; unknown words come marked. */
  reset(value) {
    const marks = value ?? this.#filled;
    for (const each of this.#words) {
      const within = ([start, end]) => start <= each.start && each.end <= end;
      const isUnknown = !value && UNKNOWN.test(each.button.textContent);
      this.#set(each, marks?.find(within)?.[2] ?? (isUnknown ? this.#label : ""));
    }
    this.touches = [];
  }

  lock(locked) {
    this.#locked = locked;
    for (const { button } of this.#words) button.disabled = locked;
    for (const group of this.#choices) group.disabled = locked;
  }

  focus() {
    this.#words.find(({ button }) => button.tabIndex === 0)?.button.focus({ preventScroll: true });
  }

  /** Left and right lead from word to word; with Shift they mark on the way. */
  key(event) {
    const at = this.#words.findIndex(({ button }) => button === event.target);
    const next = this.#words[at + MOVES[event.key]];
    if (at < 0 || !next) return;
    event.preventDefault();
    if (event.shiftKey) for (const each of [this.#words[at], next]) this.#mark(each, this.#label);
    this.#rove(next);
    next.button.focus();
  }

  /** A tap or click that no drag has dealt with: keys and screen readers click, too. */
  #click(event) {
    const each = this.#at(event.target);
    if (!each || event.detail > 0) return;
    this.#mark(each, this.#turned(each));
  }

  #press(event) {
    const each = this.#at(event.target);
    if (!each || event.button !== 0 || this.#locked) return;
    event.target.releasePointerCapture?.(event.pointerId); // moves are to reach other words
    const before = this.#words.map(({ label }) => label);
    this.#drag = { from: this.#words.indexOf(each), label: this.#turned(each), before };
    this.#rove(each);
    this.#mark(each, this.#drag.label);
  }

  #reach(event) {
    if (!event.buttons) this.#drag = null; // let go somewhere else
    if (!this.#drag) return;
    const each = this.#at(document.elementFromPoint(event.clientX, event.clientY));
    if (!each) return;
    const ends = [this.#drag.from, this.#words.indexOf(each)].sort((a, b) => a - b);
    for (const passed of this.#words.slice(ends[0], ends[1] + 1))
      this.#mark(passed, this.#drag.label);
  }

  /** It was the page that the finger moved. */
  #undo() {
    if (!this.#drag) return;
    for (const [i, each] of this.#words.entries()) this.#set(each, this.#drag.before[i]);
    this.#drag = null;
    this.onChange();
  }

  #at(target) {
    return this.#words.find(({ button }) => button === target?.closest("button"));
  }

  /** What a touch makes of a word: nothing where it has the chosen label already. */
  #turned(each) {
    return each.label === this.#label ? "" : this.#label;
  }

  #mark(each, label) {
    if (each.label === label) return;
    this.#set(each, label);
    this.touches.push(performance.now());
    this.onChange();
  }

  #set(each, label) {
    each.label = label;
    each.button.setAttribute("aria-pressed", label !== "");
    if (!this.#choices.length) return;
    const kinds = label ? label.split("/") : [];
    const inputs = kinds.map((kind, i) => this.#inputs(i).find(({ value }) => value === kind));
    each.button.dataset.severity = label ? this.#inputs(-1).indexOf(inputs.at(-1)) : "";
    each.button.title = inputs.map((input) => input.nextElementSibling.textContent).join(", ");
  }

  #inputs(group) {
    return [...this.#choices.at(group).querySelectorAll("input")];
  }

  /** One word is reached by Tab, the others from there. */
  #rove(each) {
    for (const { button } of this.#words) button.tabIndex = button === each?.button ? 0 : -1;
  }
}

const isMarked = ({ label }) => label !== "";

function word(text) {
  const button = document.createElement("button");
  Object.assign(button, { type: "button", className: "word", textContent: text });
  return button;
}
