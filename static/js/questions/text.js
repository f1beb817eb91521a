/* A sentence in one line, and hints that are ticked. Enter goes on. */

export default class Text {
  #area;
  #hints;

  constructor(root, { onChange, onEnter }) {
    this.root = root;
    this.#area = root.querySelector("textarea");
    this.#hints = [...root.querySelectorAll("input")];
    Object.assign(this, { onChange });
    for (const input of [this.#area, ...this.#hints])
      input.addEventListener("input", () => this.#touch());
    this.#area.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || event.isComposing) return;
      event.preventDefault();
      onEnter();
    });
    this.reset(null);
  }

  /** The sentence and the ticked hints; null while nothing is written that has to be. */
  get value() {
    const text = this.#area.value.trim().replace(/\s+/g, " ");
    const ticked = this.#hints.filter((input) => input.checked);
    return text || "optional" in this.root.dataset ? { text, ticks: ticked.map((input) => input.value) } : null;
  }

  /** Empty again, or showing what was written earlier. */
  reset(value) {
    this.#area.value = value?.text ?? "";
    for (const input of this.#hints) input.checked = Boolean(value?.ticks.includes(input.value));
    this.touches = [];
  }

  lock(locked) {
    for (const input of [this.#area, ...this.#hints]) input.disabled = locked;
  }

  focus() {
    this.#area.focus({ preventScroll: true });
  }

  key() {} // letters belong to whatever has the focus

  #touch() {
    this.touches.push(performance.now());
    this.onChange();
  }
}
