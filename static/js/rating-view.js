/* What the page shows of the work: one section at a time, progress, time, what is saved. */

const SAVED = {
  saved: "Saved",
  saving: "Saving…",
  offline: "Offline: your work is kept here",
  fragile: "Offline: keep this page open",
};

export const element = (id) => document.getElementById(id);

export function showSection(name) {
  for (const section of document.querySelectorAll("main > section"))
    section.hidden = section.id !== name;
  document.body.dataset.section = name;
  scrollTo(0, 0);
  // Whoever listens or types continues at the top of what has just appeared.
  element(name).querySelector("h1")?.focus({ preventScroll: true });
}

/** Say something to those who listen instead of looking. */
export function announce(sentence) {
  element("announcer").textContent = sentence;
}

/** Position -1 is the practice caption. */
export function showProgress(position, total) {
  const text = position < 0 ? "Practice" : `${Math.min(position + 1, total)} of ${total}`;
  element("progress-text").textContent = text;
  element("progress-bar").value = Math.max(0, position);
}

export function showSaved(state, survives) {
  const shown = state === "offline" && !survives ? "fragile" : state;
  const badge = element("saved");
  if (badge.dataset.state === shown) return;
  badge.hidden = false;
  badge.dataset.state = shown;
  badge.textContent = SAVED[shown];
}

/** Until when the work can be handed in, counted down by this browser's own steady clock from what the server said. */
export function showTimeLeft(seconds) {
  const start = performance.now();
  const draw = () => {
    const minutes = Math.floor((seconds - (performance.now() - start) / 1000) / 60);
    const text = minutes < 1 ? "due in under a minute" : `due in ${spell(minutes)}`;
    element("time-left").textContent = text;
    element("time-left").classList.toggle("is-short", minutes < 10);
  };
  draw();
  setInterval(draw, 10_000);
}

function spell(minutes) {
  const hours = Math.floor(minutes / 60);
  return hours ? `${hours} h ${minutes % 60} min` : `${minutes} min`;
}
