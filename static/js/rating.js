/* The rating page: instructions, practice, one caption after the other, the end.
 *
 * The server decides what is rated in which order; this script shows it, measures what only a
 * browser can measure, and hands every rating to the Saver, which never loses one.
 */

import { Api, Refusal } from "./rating-api.js";
import { Player } from "./rating-player.js";
import { Saver } from "./rating-saver.js";
import { Scale } from "./rating-scale.js";
import { Tabs } from "./rating-tabs.js";
import {
  announce,
  element,
  showProgress,
  showSaved,
  showSection,
  showTimeLeft,
} from "./rating-view.js";
import { say } from "./rating-words.js";

const work = JSON.parse(element("work").textContent);
const api = new Api(work.endpoints, work.token);
const tabs = new Tabs(work.name, leaveToOtherTab);
const items = new Map(); // position -> item, as far as the server has handed them out
const PRACTICE = -1;
const ENDED = ["work-closed", "link-refused"];
let position = null; // what is on the screen; null before, between and after
let wanted = null; // what is to be on the screen as soon as it arrives
let shownAt = 0;
let hiddenMs = 0;
let hiddenSince = null;
let submitting = false;

const scales = [...document.querySelectorAll("[data-scale]")].map(
  (root) =>
    new Scale(root, {
      showsNumber: work.showsNumber,
      onChange: () => element("missing").replaceChildren(),
    }),
);
const player = new Player([...document.querySelectorAll(".screen video")], {
  onState: showState,
  onTime: (share) => (element("seek").value = 1000 * share),
  onWatched: () => unlock(),
  onFailure: showFailure,
});
const saver = new Saver(work.name, {
  send: api.save,
  onSaved: received,
  onRefused: refused,
  onState: (state) => {
    showSaved(state, saver.survives);
    if (state === "saved" && submitting) submit();
  },
});

/* Which caption is on the screen ------------------------------------------------------------ */

function keep(handedOut) {
  for (const item of handedOut) items.set(item.position, item);
}

/** Show a caption, fetching it first where it is not here; past the last one, the end. */
async function open(target) {
  wanted = target;
  submitting = false;
  player.pause();
  if (target >= work.total) return finish();
  if (!items.has(target)) {
    position = null;
    showSection("waiting");
    await fetchItem(target);
    if (wanted !== target || !items.has(target)) return;
  }
  show(items.get(target));
}

/** Ask until it comes. While ratings are on their way it comes with their answers, unasked. */
async function fetchItem(target) {
  while (wanted === target && !items.has(target)) {
    const asks = !saver.waiting;
    try {
      if (asks) keep((await api.item(target)).items);
    } catch (error) {
      if (error instanceof Refusal && error.code !== "unknown-item") return refused(error);
    }
    if (items.has(target)) return;
    await new Promise((resolve) => setTimeout(resolve, asks ? 1000 : 50));
  }
}

function show(item) {
  position = item.position;
  shownAt = performance.now();
  hiddenMs = 0;
  const answers = item.answer ? [item.answer.score, item.answer.fluency] : [null, null];
  scales.forEach((scale, i) => {
    scale.reset(answers[i]);
  });
  element("caption").textContent = item.text;
  element("back").disabled = position <= 0;
  element("next").textContent = say(position === PRACTICE ? "done" : "next");
  element("practice-note").hidden = position !== PRACTICE;
  showReport(position !== PRACTICE);
  element("missing").replaceChildren();
  showSection("rating");
  lock(work.mustWatch && !item.answer);
  player.show(item.media, { autoplay: !item.answer });
  prefetch();
  showProgress(position, work.total);
  const place = { number: position + 1, total: work.total };
  announce(position >= 0 ? say("caption-number", place) : say("practice"));
  if (element("judgement").dataset.locked === "true") element("play").focus();
  else scales[0].focus();
}

function prefetch() {
  const next = position === PRACTICE ? items.get(work.done) : items.get(position + 1);
  if (next) player.prefetch(next.media);
}

function lock(locked) {
  element("judgement").dataset.locked = locked;
  element("caption").hidden = locked;
  element("watch-first").hidden = !locked;
  element("watch-first").textContent = say("watch-first");
  element("next").disabled = locked;
  for (const scale of scales) scale.lock(locked);
}

function unlock() {
  if (element("judgement").dataset.locked !== "true") return;
  lock(false);
  announce(say("caption-said", { text: element("caption").textContent }));
  scales[0].focus();
  element("judgement").scrollIntoView({ block: "nearest", behavior: "smooth" });
}

/** Whoever jumps to the end is told why no caption comes. */
function showState(state) {
  element("play").dataset.state = state;
  if (state !== "ended" || player.isWatched) return;
  element("watch-first").textContent = say("skipped");
  announce(say("skipped"));
}

function showFailure(failure) {
  element("failure").hidden = failure === null;
  element("without-video").hidden = failure !== "lasting";
}

/* Rating ------------------------------------------------------------------------------------ */

function next() {
  if (position === null || element("next").disabled) return;
  const untouched = scales.find((scale) => scale.value === null);
  if (untouched) return sayMissing(untouched);
  if (position === PRACTICE) return practised();
  const item = items.get(position);
  const [score, fluency = null] = scales.map((scale) => scale.value);
  const changed = item.answer?.score !== score || item.answer?.fluency !== fluency;
  if (changed && !work.preview) saver.add(rating(item, score, fluency));
  item.answer = { score, fluency };
  open(position + 1);
}

function rating(item, score, fluency) {
  const touches = scales.flatMap((scale) => scale.touches);
  const since = (time) => Math.round(Math.max(0, time - shownAt));
  return {
    receipt: item.receipt,
    key: newKey(),
    score,
    fluency,
    evidence: {
      elapsed_ms: since(performance.now()),
      first_touch_ms: since(Math.min(...touches)),
      last_touch_ms: since(Math.max(...touches)),
      moves: touches.length,
      plays: player.plays,
      watched_ms: player.watched,
      hidden_ms: Math.round(hiddenMs),
    },
  };
}

function newKey() {
  if (crypto.randomUUID) return crypto.randomUUID();
  // Plain http has no randomUUID; a version 4 UUID is 122 random bits and two marks.
  const hex = Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte, i) => {
    const marked = i === 6 ? (byte & 0x0f) | 0x40 : i === 8 ? (byte & 0x3f) | 0x80 : byte;
    return marked.toString(16).padStart(2, "0");
  }).join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

function sayMissing(scale) {
  element("missing").textContent = say("touch-first");
  scale.focus();
}

/** The server has a rating: it may hand out the next item, or know more than this tab does. */
function received(answer) {
  keep(answer.items);
  work.done = answer.done;
  if (position !== null && position < answer.done - 1 && answer.revision > 1 && !returning()) {
    announce(say("further-elsewhere"));
    open(answer.done);
  } else if (position !== null) prefetch();
}

/** Looking at an earlier caption again, which has a rating already. */
const returning = () => Boolean(items.get(position)?.answer);

async function refused(error, rating) {
  if (error.code === "too-many-changes") return keepSaved(error.message, rating);
  submitting = false;
  if (error.code === "out-of-order" || error.code === "unfinished") return resume();
  player.pause();
  saver.stop();
  element("closed-title").textContent = say(ENDED.includes(error.code) ? "ended" : "wrong");
  element("closed-sentence").textContent = error.message;
  wanted = position = null;
  showSection("closed");
}

/** A change was refused: the caption has the rating the server has, and the work goes on. */
async function keepSaved(sentence, { receipt }) {
  const item = [...items.values()].find((known) => known.receipt === receipt);
  if (item) items.delete(item.position); // fetched again when it is opened, with its rating
  if (item && position === item.position) await open(position);
  element("missing").textContent = sentence;
}

/* Beginning and end ------------------------------------------------------------------------- */

/** Go to where the server says the work is. */
async function resume() {
  try {
    Object.assign(work, await api.work());
    keep(work.items);
    open(work.done);
  } catch (error) {
    if (error instanceof Refusal) refused(error);
    else setTimeout(resume, 2000);
  }
}

async function begin() {
  if (!work.preview && !(await tabs.claim())) return showSection("elsewhere");
  if (saver.waiting) return catchUp();
  if (work.done) return open(work.done);
  showSection("instructions");
}

/** Send what this browser still holds from before, then go on. */
async function catchUp() {
  showSection("waiting");
  await saver.flush();
  return resume();
}

function takeOver() {
  tabs.takeOver();
  saver.start();
  catchUp();
}

function leaveToOtherTab() {
  saver.stop();
  player.pause();
  wanted = position = null;
  showSection("elsewhere");
}

function practise() {
  items.set(PRACTICE, { position: PRACTICE, answer: null, ...work.practice });
  wanted = PRACTICE;
  show(items.get(PRACTICE));
}

function practised() {
  player.pause();
  position = null;
  showSection("practised");
}

function finish() {
  position = null;
  element("progress-bar").value = work.total;
  showSection(work.preview ? "preview-end" : "finish");
}

/** Hand in, as soon as the last ratings are with the server. */
async function submit() {
  submitting = true;
  if (saver.waiting) {
    element("submit-note").textContent = say("saving-last");
    return;
  }
  try {
    location.replace((await api.submit(element("comment").value)).next);
  } catch (error) {
    if (error instanceof Refusal) return refused(error);
    element("submit-note").textContent = say("no-connection-retry");
    setTimeout(() => submitting && submit(), 2000);
  }
}

async function giveBack() {
  if (!confirm(say("give-back"))) return;
  try {
    location.replace((await api.giveBack()).next);
  } catch (error) {
    if (error instanceof Refusal) refused(error);
    else element("give-back-note").textContent = say("no-connection");
  }
}

/** A video of the campaign can be reported; the form is closed again for every caption. */
function showReport(possible) {
  const form = element("problem"); // a preview has none
  if (form) Object.assign(form, { hidden: !possible, open: false });
  if (form) element("report-note").replaceChildren();
}

/** Tell the organiser what is wrong with this video. */
async function report() {
  const note = element("report-note");
  try {
    await api.report({
      receipt: items.get(position).receipt,
      kind: element("report-kind").value,
      remark: element("report-remark").value,
    });
    element("report-remark").value = "";
    note.textContent = say("reported");
  } catch (error) {
    note.textContent = error instanceof Refusal ? error.message : say("no-connection");
  }
}

/* Hands ------------------------------------------------------------------------------------- */

function readInstructions() {
  player.pause();
  element("resume-reading").hidden = position === null;
  for (const id of ["try", "skip"]) if (element(id)) element(id).hidden = position !== null;
  showSection("instructions");
}

function toggleSound() {
  const button = element("mute");
  const muted = button.getAttribute("aria-pressed") !== "true";
  button.setAttribute("aria-pressed", muted);
  player.set({ muted });
}

/** Space plays, arrows and digits rate, Enter goes on, from anywhere but other controls. */
function key(event) {
  if (document.body.dataset.section !== "rating" || event.altKey || event.ctrlKey || event.metaKey)
    return;
  if (event.target.closest("button, a, select, summary, textarea, #seek")) return;
  if (event.key === " ") {
    event.preventDefault();
    player.toggle();
  } else if (event.key === "Enter") {
    event.preventDefault();
    next();
  } else if (!event.defaultPrevented) scales[0].key(event);
}

const clicks = {
  try: practise,
  start: () => open(work.done),
  skip: () => open(work.done),
  play: () => player.toggle(),
  mute: toggleSound,
  report,
  next,
  back: () => open(position - 1),
  submit,
  help: readInstructions,
  "resume-reading": () => showSection("rating"),
  "without-video": unlock,
  "take-over": takeOver,
  "give-back": giveBack,
  "last-caption": () => open(work.total - 1),
};
for (const [id, act] of Object.entries(clicks)) element(id)?.addEventListener("click", act);
for (const video of document.querySelectorAll(".screen video"))
  video.addEventListener("click", () => player.toggle());
element("seek").addEventListener("input", () => player.seek(element("seek").value / 1000));
element("speed")?.addEventListener("change", ({ target }) => {
  player.set({ playbackRate: Number(target.value), defaultPlaybackRate: Number(target.value) });
});
addEventListener("keydown", key);
addEventListener("visibilitychange", () => {
  if (document.hidden) hiddenSince = performance.now();
  else if (hiddenSince !== null) hiddenMs += performance.now() - Math.max(hiddenSince, shownAt);
});
addEventListener("beforeunload", (event) => {
  if (saver.waiting && !saver.survives) event.preventDefault();
});
addEventListener("pageshow", (event) => {
  if (event.persisted && !work.preview) resume(); // the browser's Back shows an old picture
});
keep(work.items);
if (work.done) showProgress(work.done, work.total);
if (!work.preview) showTimeLeft(work.secondsLeft);
begin();
