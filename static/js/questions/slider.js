/* A line between two ends that has no value, and shows no mark, until somebody touches it.
 *
 * The native range input underneath gives screen readers and their gestures what they expect;
 * pointers and keys are handled here, because browsers differ in what a touch beside the thumb does.
 */

import { say } from "../rating-words.js";

const SECOND_DIGIT_MS = 1200;
const STEPS = {
  ArrowLeft: -1,
  ArrowDown: -1,
  ArrowRight: 1,
  ArrowUp: 1,
  PageDown: -10,
  PageUp: 10,
  Home: -Infinity,
  End: Infinity,
};

export default class Slider {
  #input;
  #output;
  #low;
  #high;
  #step;
  #touched = false;
  #digit = null; // the first of two, while the second may follow

  constructor(root, { showsNumber, onChange }) {
    this.root = root;
    this.#input = root.querySelector("input");
    this.#output = root.querySelector("output");
    this.#output.hidden = !showsNumber;
    this.#low = Number(this.#input.min);
    this.#high = Number(this.#input.max);
    this.#step = Number(this.#input.step);
    this.onChange = onChange;
    this.#input.addEventListener("input", () => this.#touch(this.#input.valueAsNumber));
    this.#input.addEventListener("keydown", (event) => this.key(event));
    this.#input.addEventListener("pointerdown", (event) => this.#press(event));
    this.#input.addEventListener("pointermove", (event) => this.#drag(event));
    this.reset(null);
  }

  /** A whole number, or null: an untouched scale is no answer. */
  get value() {
    return this.#touched ? this.#input.valueAsNumber : null;
  }

  /** Empty again, or showing the answer given earlier. */
  reset(value) {
    this.#touched = value !== null;
    this.#input.value = value ?? (this.#low + this.#high) / 2;
    this.touches = [];
    this.#digit = null;
    this.#draw();
  }

  lock(locked) {
    this.#input.disabled = locked;
  }

  focus() {
    this.#input.focus({ preventScroll: true });
  }

  /** Move by a key: arrows from where it stands, digits to where they say. */
  key(event) {
    if (this.#input.disabled) return;
    const value = /^[0-9]$/.test(event.key) ? this.#typed(event) : this.#stepped(event);
    if (Number.isNaN(value)) return;
    event.preventDefault();
    this.#touch(this.#near(value));
  }

  /** Left and right are where the eye sees them: from right to left, the left end is the high one. */
  #stepped(event) {
    const mirrored = this.#isMirrored && /^Arrow(Left|Right)$/.test(event.key);
    const steps = (mirrored ? -1 : 1) * (STEPS[event.key] ?? NaN);
    return this.#input.valueAsNumber + this.#step * steps;
  }

  /** The nearest value that the line has. */
  #near(value) {
    const within = Math.min(this.#high, Math.max(this.#low, value));
    return this.#low + this.#step * Math.round((within - this.#low) / this.#step);
  }

  get #isMirrored() {
    return getComputedStyle(this.#input).direction === "rtl";
  }

  /** A digit is a tenth of the way, a second one a hundredth; up to 10, the number itself. */
  #typed(event) {
    const first = this.#digit;
    const digit = Number(event.key);
    let isSecond = first !== null && event.timeStamp - first.at < SECOND_DIGIT_MS;
    if (this.#high <= 10 && isSecond) isSecond = 10 * first.digit + digit <= this.#high;
    this.#digit = isSecond ? null : { digit, at: event.timeStamp };
    if (this.#high <= 10) return isSecond ? 10 * first.digit + digit : digit;
    const hundredths = isSecond ? 10 * first.digit + digit : 10 * digit;
    return this.#low + ((this.#high - this.#low) * hundredths) / 100;
  }

  #press(event) {
    if (event.button !== 0 || this.#input.disabled) return;
    event.preventDefault();
    this.focus();
    this.#input.setPointerCapture(event.pointerId);
    this.#touch(this.#at(event));
  }

  #drag(event) {
    if (this.#input.hasPointerCapture(event.pointerId)) this.#touch(this.#at(event));
  }

  #at(event) {
    const box = this.#input.getBoundingClientRect();
    const half = parseFloat(getComputedStyle(this.root).getPropertyValue("--thumb")) / 2;
    const along = this.#isMirrored ? box.right - event.clientX : event.clientX - box.left;
    const share = (along - half) / (box.width - 2 * half);
    const span = this.#high - this.#low;
    return this.#near(this.#low + span * share);
  }

  #touch(value) {
    const moved = !this.#touched || value !== this.#input.valueAsNumber || !this.touches.length;
    this.#touched = true;
    this.#input.value = value;
    if (moved) this.touches.push(performance.now());
    this.#draw();
    this.onChange();
  }

  #draw() {
    this.root.classList.toggle("is-touched", this.#touched);
    const given = { value: this.#input.value, high: this.#high };
    const said = this.#touched ? say("value", given) : say("unrated");
    this.#input.setAttribute("aria-valuetext", said);
    this.#output.value = this.#touched ? this.#input.value : "–";
  }
}
