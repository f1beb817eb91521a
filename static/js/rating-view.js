/* What the page shows of the work: one section at a time, progress, time, what is saved. */

import { say } from "./rating-words.js";

const MILESTONES = { quarter: 0.25, half: 0.5, "three-quarters": 0.75 };
const LONG_ENOUGH = 20; // captions; in a shorter HIT a quarter is nothing to speak of

export const element = (id) => document.getElementById(id);

export function showSection(name) {
  for (const section of document.querySelectorAll("main > section"))
    section.hidden = section.id !== name;
  document.body.dataset.section = name;
  scrollTo(0, 0);
  // Whoever listens or types continues at the top of what has just appeared.
  element(name).querySelector("h1")?.focus({ preventScroll: true });
}

const still = matchMedia("(prefers-reduced-motion: reduce)");

/** Bring something into sight; a script's smooth scrolling would not ask whether motion is wanted. */
export function reveal(node) {
  node.scrollIntoView({ block: "nearest", behavior: still.matches ? "instant" : "smooth" });
}

/** Say something to those who listen instead of looking. */
export function announce(sentence) {
  element("announcer").textContent = sentence;
}

/** Positions below 0 are for practice. */
export function showProgress(position, total, shown = 1) {
  const number = Math.min(position + 1, total);
  const last = Math.min(position + shown, total);
  const several = last > number ? "progress-several" : "progress";
  element("progress-text").textContent =
    position < 0 ? say("practice") : say(several, { number, last, total });
  element("progress-bar").value = Math.max(0, position);
  element("milestone").textContent = milestone(position, total, shown);
}

/** Said once, with the first page after it. */
function milestone(position, total, shown) {
  if (total < LONG_ENOUGH) return "";
  const reached = Object.keys(MILESTONES).find((name) => {
    const passed = position - Math.ceil(MILESTONES[name] * total);
    return passed >= 0 && passed < shown;
  });
  return reached ? say(reached) : "";
}

export function showSaved(state, survives) {
  const shown = state === "offline" && !survives ? "fragile" : state;
  const badge = element("saved");
  if (badge.dataset.state === shown) return;
  badge.hidden = false;
  badge.dataset.state = shown;
  badge.textContent = say(shown);
}

/** Until when the work can be handed in, counted down by this browser's own steady clock from what the server said. */
export function showTimeLeft(seconds) {
  const start = performance.now();
  const draw = () => {
    const minutes = Math.floor((seconds - (performance.now() - start) / 1000) / 60);
    element("time-left").textContent =
      minutes < 1 ? say("due-soon") : say("due", { time: spell(minutes) });
    element("time-left").classList.toggle("is-short", minutes < 10);
  };
  draw();
  setInterval(draw, 10_000);
}

function spell(minutes) {
  const hours = Math.floor(minutes / 60);
  return hours ? say("hours", { hours, minutes: minutes % 60 }) : say("minutes", { minutes });
}
