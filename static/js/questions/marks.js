/* Words of the caption, sentence by sentence, to be marked: a tap marks one, a drag all between, and
 * keys move from word to word.
 *
 * The server says where words stand, in characters; what JavaScript counts are code units.
 */

const MOVES = { ArrowLeft: -1, ArrowRight: 1 };
const UNKNOWN = /^<?unk>?$/i; // what some systems write for a word they lack: always wrong

export default class Marks {
  #list;
  #label;
  #sentences = []; // of words: { button, start, end }
  #drag = null;
  #locked = false;

  constructor(root, { onChange }) {
    this.root = root;
    this.#list = root.querySelector("ol");
    this.#label = root.dataset.label;
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
  show({ text, sentences }) {
    const letters = Array.from(text);
    const cut = (start, end) => letters.slice(start, end).join("");
    this.#sentences = sentences.map((words) =>
      words.map(([start, end]) => ({ start, end, button: word(cut(start, end)) })),
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

  /** Neighbouring words of a sentence are one mark; no mark at all is an answer, too. */
  get value() {
    const marks = [];
    for (const words of this.#sentences)
      words.forEach((each, i) => {
        if (!isMarked(each)) return;
        if (i && isMarked(words[i - 1])) marks.at(-1)[1] = each.end;
        else marks.push([each.start, each.end, this.#label]);
      });
    return marks;
  }

  /** As it was marked earlier; unknown words come marked. */
  reset(value) {
    for (const each of this.#words) {
      const within = ([start, end]) => start <= each.start && each.end <= end;
      this.#set(each, value ? value.some(within) : UNKNOWN.test(each.button.textContent));
    }
    this.touches = [];
  }

  lock(locked) {
    this.#locked = locked;
    for (const { button } of this.#words) button.disabled = locked;
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
    if (event.shiftKey) for (const each of [this.#words[at], next]) this.#mark(each, true);
    this.#rove(next);
    next.button.focus();
  }

  /** A tap or click that no drag has dealt with: keys and screen readers click, too. */
  #click(event) {
    const each = this.#at(event.target);
    if (!each || event.detail > 0) return;
    this.#mark(each, !isMarked(each));
  }

  #press(event) {
    const each = this.#at(event.target);
    if (!each || event.button !== 0 || this.#locked) return;
    event.target.releasePointerCapture?.(event.pointerId); // moves are to reach other words
    const before = this.#words.map(isMarked);
    this.#drag = { from: this.#words.indexOf(each), marks: !isMarked(each), before };
    this.#rove(each);
    this.#mark(each, this.#drag.marks);
  }

  #reach(event) {
    if (!event.buttons) this.#drag = null; // let go somewhere else
    if (!this.#drag) return;
    const each = this.#at(document.elementFromPoint(event.clientX, event.clientY));
    if (!each) return;
    const ends = [this.#drag.from, this.#words.indexOf(each)].sort((a, b) => a - b);
    for (const passed of this.#words.slice(ends[0], ends[1] + 1))
      this.#mark(passed, this.#drag.marks);
  }

  /** It was the page that the finger moved. */
  #undo() {
    if (this.#drag) for (const [i, each] of this.#words.entries()) this.#set(each, this.#drag.before[i]);
    this.#drag = null;
  }

  #at(target) {
    return this.#words.find(({ button }) => button === target?.closest("button"));
  }

  #mark(each, marked) {
    if (isMarked(each) === marked) return;
    this.#set(each, marked);
    this.touches.push(performance.now());
    this.onChange();
  }

  #set({ button }, marked) {
    button.setAttribute("aria-pressed", marked);
  }

  /** One word is reached by Tab, the others from there. */
  #rove(each) {
    for (const { button } of this.#words) button.tabIndex = button === each?.button ? 0 : -1;
  }
}

const isMarked = ({ button }) => button.getAttribute("aria-pressed") === "true";

function word(text) {
  const button = document.createElement("button");
  Object.assign(button, { type: "button", className: "word", textContent: text });
  return button;
}
