/* A few levels in a row. Digits choose one, left and right the neighbour, up and down the caption. */

const STEPS = { ArrowLeft: -1, ArrowRight: 1 };
const MOVES = { ArrowUp: -1, ArrowDown: 1 };

export default class Likert {
  #inputs;

  constructor(root, { onChange, onMove }) {
    this.root = root;
    this.#inputs = [...root.querySelectorAll("input")];
    Object.assign(this, { onChange, onMove });
    for (const input of this.#inputs) {
      input.addEventListener("change", () => this.#touch(Number(input.value)));
      input.addEventListener("keydown", (event) => this.key(event));
    }
    this.reset(null);
  }

  /** The level that was chosen, or null. */
  get value() {
    const chosen = this.#inputs.find((input) => input.checked);
    return chosen ? Number(chosen.value) : null;
  }

  get isHighest() {
    return this.#inputs.at(-1).checked;
  }

  /** Empty again, or showing the answer given earlier. */
  reset(value) {
    for (const input of this.#inputs) input.checked = Number(input.value) === value;
    this.touches = [];
  }

  lock(locked) {
    for (const input of this.#inputs) input.disabled = locked;
  }

  focus() {
    const target = this.#inputs.find((input) => input.checked) ?? this.#inputs[0];
    target.focus({ preventScroll: true });
  }

  key(event) {
    if (this.#inputs[0].disabled) return;
    const value = event.key in STEPS ? this.#stepped(STEPS[event.key]) : Number(event.key || NaN);
    if (event.key in MOVES) this.onMove(MOVES[event.key]);
    else if (this.#inputs.some((input) => Number(input.value) === value)) this.#choose(value);
    else if (!(event.key in STEPS)) return;
    event.preventDefault();
  }

  /** From nothing, either way leads to the end it points from; mirrored, left is up. */
  #stepped(pressed) {
    const step = getComputedStyle(this.root).direction === "rtl" ? -pressed : pressed;
    const levels = this.#inputs.map((input) => Number(input.value));
    if (this.value === null) return step > 0 ? levels[0] : levels.at(-1);
    return this.value + step;
  }

  #choose(value) {
    for (const input of this.#inputs) input.checked = Number(input.value) === value;
    this.focus();
    this.#touch(value);
  }

  #touch() {
    this.touches.push(performance.now());
    this.onChange();
  }
}
