/* The captions on the screen, each with its questions: one for most protocols, all captions of a
 * video for some. The page brings the first; others are copies of it.
 */

import { reveal } from "./rating-view.js";
import { say } from "./rating-words.js";

const NAMING = ["id", "for", "name", "aria-labelledby", "aria-describedby"];

/** The question that keys are for: words to be marked have keys of their own. */
const main = ({ questions }) => questions.find(({ marked }) => marked === undefined);

export class Entries {
  #first;
  #pattern;
  #all = [];
  #shown = [];

  /** `kinds` are the classes of questions, by the name that `data-question` has. */
  constructor(first, kinds, options) {
    this.#first = first;
    this.#pattern = first.cloneNode(true);
    this.#pattern.querySelector(".watch-first").remove();
    Object.assign(this, { kinds, options });
    this.#add(first);
  }

  get length() {
    return this.#shown.length;
  }

  /** Put items on the screen, each with the answer it has. */
  show(items) {
    while (this.#all.length < items.length) this.#add(this.#copy(this.#all.length + 1));
    this.#all.forEach((entry, i) => {
      entry.root.hidden = i >= items.length;
    });
    this.#shown = this.#all.slice(0, items.length);
    this.#shown.forEach((entry, i) => {
      entry.item = items[i];
      entry.caption.textContent = items[i].text;
      if (entry.feedback) entry.feedback.hidden = true;
      for (const question of entry.questions) {
        question.show?.(items[i]);
        question.reset(items[i].answer?.[question.root.dataset.name] ?? null);
      }
    });
  }

  /** What was answered before a reload, caption by caption. */
  restore(answers) {
    this.#shown.forEach(({ questions }, i) => {
      for (const question of questions) {
        const value = answers[i]?.[question.root.dataset.name] ?? null;
        if (value === null) continue;
        question.reset(value);
        question.touches.push(performance.now());
      }
    });
  }

  /** Locked, only the first keeps its place: it says what to do first. */
  lock(locked) {
    for (const { root, caption, questions } of this.#shown) {
      root.hidden = locked && root !== this.#first;
      caption.hidden = locked;
      for (const question of questions) question.lock(locked);
    }
  }

  /** The first question without an answer. */
  get unanswered() {
    return this.#questions().find((question) => question.value === null);
  }

  /** The entry that has the focus; else the first that waits for an answer. */
  get current() {
    const focused = this.#shown.find(({ root }) => root.contains(document.activeElement));
    const waiting = ({ questions }) => questions.some((question) => question.value === null);
    return focused ?? this.#shown.find(waiting) ?? this.#shown[0];
  }

  get texts() {
    return this.#shown.map(({ item }) => item.text).join(" ");
  }

  focus() {
    main(this.#shown[0]).focus();
  }

  key(event) {
    for (const question of this.current.questions)
      if (!event.defaultPrevented) question.key(event);
  }

  /** Say below each caption of a tutorial whether its answers fit, and why. */
  tell(verdicts) {
    for (const { item, feedback } of this.#shown) {
      const found = verdicts.find(({ position }) => position === item.position);
      const verdict = document.createElement("strong");
      verdict.textContent = found.fits === null ? "" : say(found.fits ? "fits" : "fits-not");
      feedback.replaceChildren(verdict, " ", found.feedback);
      feedback.dataset.fits = found.fits;
      feedback.hidden = false;
    }
  }

  /** The first caption whose marks and level do not go together: an error, yet the highest level,
   * or a lower one without an error. */
  get contradiction() {
    for (const { root, questions } of this.#shown) {
      const marks = questions.find((question) => question.marked !== undefined);
      const level = questions.find((question) => question.isHighest !== undefined);
      if (marks && level && marks.marked === level.isHighest)
        return { root, level, word: marks.marked ? "marked-yet-best" : "unmarked-yet-worse" };
    }
    return null;
  }

  /** What was answered, item by item, with when each was touched. */
  get answers() {
    return this.#shown.map(({ item, questions }) => ({
      item,
      answer: Object.fromEntries(
        questions.map((question) => [question.root.dataset.name, question.value]),
      ),
      touches: questions.flatMap((question) => question.touches),
    }));
  }

  #questions() {
    return this.#shown.flatMap(({ questions }) => questions);
  }

  #copy(number) {
    const root = this.#pattern.cloneNode(true);
    root.id = `${root.id}-${number}`;
    for (const attribute of NAMING)
      for (const named of root.querySelectorAll(`[${attribute}]`))
        named.setAttribute(attribute, `${named.getAttribute(attribute)}-${number}`);
    this.#all.at(-1).root.after(root);
    return root;
  }

  #add(root) {
    const entry = { root, caption: root.querySelector(".caption-text"), item: null };
    entry.feedback = root.querySelector(".feedback"); // where there is a tutorial
    const onMove = (step) => this.#move(entry, step);
    entry.questions = [...root.querySelectorAll("[data-question]")].map(
      (each) => new this.kinds[each.dataset.question](each, { ...this.options, onMove }),
    );
    this.#all.push(entry);
  }

  #move(entry, step) {
    const next = this.#shown[this.#shown.indexOf(entry) + step];
    if (!next) return;
    main(next).focus();
    reveal(next.root);
  }
}
