/* The rating page: instructions, practice, one page of captions after the other, the end.
 *
 * The server decides what is rated in which order; this script shows it, measures what only a
 * browser can measure, and hands every rating to the Saver, which never loses one.
 */

import { Api, Refusal } from "./rating-api.js";
import { Entries } from "./rating-entries.js";
import { Player } from "./rating-player.js";
import { Saver } from "./rating-saver.js";
import { Tabs } from "./rating-tabs.js";
import {
  announce,
  element,
  reveal,
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
const ENDED = ["work-closed", "link-refused"];
const NOT_TAKEN = ["invalid-post", "too-large"];
const CHOOSING = [" ", "ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"];
let position = null; // of the first caption on the screen; null before, between and after
let wanted = null; // what is to be on the screen as soon as it arrives
let shownAt = 0;
let hiddenMs = 0;
let hiddenSince = null;
let submitting = false;
let lessonFits = false; // what is answered on a page of the tutorial
let askedBack = ""; // answers that were asked about already
let refusal = null; // why the answers of a page were not taken: { page, sentence }

const kinds = {};
for (const { dataset } of document.querySelectorAll("[data-question]"))
  kinds[dataset.question] ??= (await import(dataset.module)).default;
const entries = new Entries(element("entry"), kinds, {
  showsNumber: work.showsNumber,
  onChange: () => {
    element("missing").replaceChildren();
    if (position < 0 && lessonFits) changeLesson();
    if (isKept()) saver.keepDraft(position, entries.answers.map(({ answer }) => answer));
  },
  onEnter: () => next(),
});
const player = new Player(document.querySelector(".watching"), {
  onState: showState,
  onTime: (share) => (element("seek").value = 1000 * share),
  onWatched: () => unlock(),
  onFailure: showFailure,
});
const saver = new Saver(work.name, {
  send: ({ page, ...given }) => api.save(given),
  onSaved: received,
  onRefused: refused,
  onState: (state) => {
    showSaved(state, saver.survives);
    if (state === "saved" && submitting) submit();
  },
});

/* What was sent back ------------------------------------------------------------------------- */

const isCorrecting = () => work.sentBack?.length > 0;

/** Where to go on: the first video that was sent back, or whatever is not rated yet. */
const begins = () => (isCorrecting() ? work.sentBack[0].position : work.done);

/** Of work that was handed in, only pages that were sent back are opened. */
function after(stop) {
  if (!isCorrecting() || stop <= 0) return stop;
  return work.sentBack.find((each) => each.position >= stop)?.position ?? work.total;
}

function before(start) {
  if (!isCorrecting()) return start - 1;
  return work.sentBack.findLast((each) => each.position < start)?.position ?? -1;
}

function showRemark() {
  const found = isCorrecting() && work.sentBack.find((each) => each.position === position);
  if (!element("sent-back")) return; // nothing was sent back when the page was opened
  element("sent-back").hidden = !found;
  element("remark").textContent = found ? found.remark : "";
}

/* Which captions are on the screen ---------------------------------------------------------- */

/** Whether a reload shall find what is on the screen. */
const isKept = () => position !== null && position >= 0 && !work.preview;

function keep(handedOut) {
  for (const item of handedOut) items.set(item.position, item);
}

/** The captions that are shown together with one; nothing while one of them is not here. */
function pageOf(target) {
  const [first, stop] = items.get(target)?.page ?? [target, target + 1];
  const page = Array.from({ length: stop - first }, (_, i) => items.get(first + i));
  return page.includes(undefined) ? null : page;
}

/** Show the page of a caption, fetching it where it is not here; past the last one, the end. */
async function open(target) {
  wanted = target;
  submitting = false;
  player.pause();
  if (target >= work.total) return finish();
  if (!pageOf(target)) {
    position = null;
    showSection("waiting");
    await fetchPage(target);
    if (wanted !== target || !pageOf(target)) return;
  }
  show(pageOf(target));
}

/** Ask until it comes. While ratings are on their way it comes with their answers, unasked. */
async function fetchPage(target) {
  while (wanted === target && !pageOf(target)) {
    const asks = !saver.waiting;
    try {
      if (asks) keep((await api.item(target)).items);
    } catch (error) {
      if (error instanceof Refusal && error.code !== "unknown-item") return refused(error);
    }
    if (pageOf(target)) return;
    await new Promise((resolve) => setTimeout(resolve, asks ? 1000 : 50));
  }
}

function show(page) {
  position = page[0].position;
  shownAt = performance.now();
  hiddenMs = 0;
  const isPractice = position < 0;
  const isDone = page.every((item) => item.answer);
  entries.show(page);
  if (isKept()) entries.restore(saver.draft(position) ?? []);
  element("back").disabled = before(position) < 0;
  showRemark();
  element("next").textContent = say(!isPractice ? "next" : work.tutorial ? "check" : "done");
  element("practice-note").hidden = !isPractice;
  showReport(!isPractice);
  element("missing").textContent = refusal?.page === position ? refusal.sentence : "";
  showSection("rating");
  lock(work.mustWatch && !isDone);
  player.show(page[0].media, {
    autoplay: !isDone,
    isImage: page[0].isImage,
    clip: page[0].clip,
  });
  prefetch();
  showProgress(position, work.total, page.length);
  announce(isPractice ? say("practice") : placeOf(page));
  if (element("judgement").dataset.locked === "true") element("play").focus();
  else entries.focus();
}

function placeOf(page) {
  const place = { number: position + 1, last: position + page.length, total: work.total };
  return say(page.length > 1 ? "caption-numbers" : "caption-number", place);
}

function prefetch() {
  const next = items.get(position < 0 ? work.done : position + entries.length);
  if (next) player.prefetch(next.media, next.isImage, next.clip);
}

function lock(locked) {
  element("judgement").dataset.locked = locked;
  element("watch-first").hidden = !locked;
  element("watch-first").textContent = say("watch-first");
  element("next").disabled = locked;
  entries.lock(locked);
}

function unlock() {
  if (element("judgement").dataset.locked !== "true") return;
  lock(false);
  announce(say("caption-said", { text: entries.texts }));
  entries.focus();
  reveal(element("judgement"));
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
  const untouched = entries.unanswered;
  if (untouched) return sayMissing(untouched);
  if (asksBack()) return;
  if (position < 0) return work.tutorial ? check() : practised();
  const changed = entries.answers.filter(hasChanged);
  for (const given of entries.answers) given.item.answer = given.answer;
  if (isKept()) for (const given of changed) saver.add(rating(given));
  if (isKept() && !changed.length) saver.keepDraft(position, null);
  open(after(position + entries.length));
}

/** Ask once whether marks and levels that contradict each other are meant; Next again says yes. */
function asksBack() {
  const contradiction = entries.contradiction;
  const given = JSON.stringify(entries.answers.map(({ answer }) => answer));
  if (!contradiction || given === askedBack) return false;
  askedBack = given;
  element("missing").textContent = say(contradiction.word);
  contradiction.level.focus();
  reveal(contradiction.root);
  return true;
}

const hasChanged = ({ item, answer }) =>
  Object.keys(answer).some((name) => !same(item.answer?.[name], answer[name]));

const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);

/** Numbers that have columns are sent by name, as most ratings are nothing else; all other answers
 * together. */
const body = (answer) =>
  Object.keys(answer).every((name) => name === "score" || name === "fluency")
    ? answer
    : { answers: answer };

function rating({ item, answer, touches }) {
  const since = (time) => Math.round(Math.max(0, time - shownAt));
  return {
    page: position, // for the draft, which is kept until the server has all of the page
    receipt: item.receipt,
    key: newKey(),
    ...body(answer),
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

function sayMissing(question) {
  element("missing").textContent = say(entries.length > 1 ? "rate-all" : "touch-first");
  question.focus();
  reveal(question.root);
}

/** The server has a rating: it may hand out the next item, or know more than this tab does. */
function received(answer, { page }) {
  keep(answer.items);
  work.done = answer.done;
  if (refusal?.page === page) refusal = null;
  if (page !== position && !saver.holds(page)) saver.keepDraft(page, null);
  const last = position + entries.length - 1;
  if (position !== null && last < answer.done - 1 && answer.revision > 1 && !returning()) {
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
  if (NOT_TAKEN.includes(error.code) && rating) return showAgain(error.message, rating);
  player.pause();
  saver.stop();
  element("closed-title").textContent = say(ENDED.includes(error.code) ? "ended" : "wrong");
  element("closed-sentence").textContent = error.message;
  wanted = position = null;
  showSection("closed");
}

/** Answers were not taken: their page is shown again, as it was answered, with the reason. */
function showAgain(sentence, { page }) {
  refusal = { page, sentence };
  for (const [at, item] of items) if (item.page?.[0] === page || at === page) items.delete(at);
  return open(page);
}

/** A change was refused: the caption has the rating the server has, and the work goes on. */
async function keepSaved(sentence, { receipt, page }) {
  saver.keepDraft(page, null);
  const item = [...items.values()].find((known) => known.receipt === receipt);
  if (item) items.delete(item.position); // fetched again when it is opened, with its rating
  const isShown = item?.position >= position && item?.position < position + entries.length;
  if (position !== null && isShown) await open(position);
  element("missing").textContent = sentence;
}

/* Beginning and end ------------------------------------------------------------------------- */

/** Go to where the server says the work is. */
async function resume() {
  try {
    Object.assign(work, await api.work());
    keep(work.items);
    open(begins());
  } catch (error) {
    if (error instanceof Refusal) refused(error);
    else setTimeout(resume, 2000);
  }
}

async function begin() {
  if (!work.preview && !(await tabs.claim())) return showSection("elsewhere");
  if (saver.waiting) return catchUp();
  if (work.done) return open(begins());
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

/** All answers so far: the tutorial is passed when each of its captions is answered as expected. */
const lessons = new Map();

function practise() {
  keep(work.practice);
  lessons.clear();
  openLesson(work.practice[0].position);
}

function openLesson(at) {
  wanted = at;
  lessonFits = false;
  show(pageOf(at));
}

/** Ask what is said of the answers; once they fit, the same button goes on. */
async function check() {
  if (lessonFits) return afterLesson();
  const at = position;
  for (const { item, answer } of entries.answers) lessons.set(item.position, answer);
  const verdicts = await judged();
  if (!verdicts || position !== at) return;
  const shown = verdicts.filter(({ position }) => pageOf(at).some((item) => item.position === position));
  entries.tell(shown);
  lessonFits = shown.every(({ fits }) => fits !== false);
  element("next").textContent = say(lessonFits ? "next" : "check");
  element("missing").textContent = lessonFits ? "" : say("check-again");
  announce(shown.map(({ fits, feedback }) => `${say(fits === false ? "fits-not" : "fits")} ${feedback}`).join(" "));
}

/** A preview has nobody to ask, and tells what would be said. */
async function judged() {
  if (work.preview)
    return work.practice.map(({ position, feedback }) => ({ position, feedback, fits: null }));
  element("next").disabled = true;
  try {
    return (await api.check(Object.fromEntries(lessons))).verdicts;
  } catch (error) {
    if (!(error instanceof Refusal)) element("missing").textContent = say("no-connection");
    else if (NOT_TAKEN.includes(error.code)) element("missing").textContent = error.message;
    else refused(error);
    return null;
  } finally {
    element("next").disabled = false;
  }
}

/** Another answer has to be looked at again. */
function changeLesson() {
  lessonFits = false;
  element("next").textContent = say("check");
}

function afterLesson() {
  const stop = pageOf(position).at(-1).position + 1;
  if (stop < 0) openLesson(stop);
  else practised();
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
    const corrected = (work.sentBack ?? []).map((each) => each.position);
    const answer = await api.submit(element("comment").value, corrected);
    saver.forgetDrafts();
    location.replace(answer.next);
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

/** Space plays, arrows and digits rate, Enter goes on. A control that has the focus keeps its own
 * keys: a button those that press it, so that one can rate after "Watch again". */
function key(event) {
  if (document.body.dataset.section !== "rating" || event.altKey || event.ctrlKey || event.metaKey)
    return;
  if (event.target.closest("a, select, textarea, #seek")) return;
  if (event.target.closest("button, summary") && [" ", "Enter"].includes(event.key)) return;
  if (event.target.closest("[data-choice], .hints") && CHOOSING.includes(event.key)) return;
  if (event.key === " ") {
    event.preventDefault();
    player.toggle();
  } else if (event.key === "Enter") {
    event.preventDefault();
    next();
  } else if (!event.defaultPrevented) entries.key(event);
}

const clicks = {
  try: practise,
  start: () => open(begins()),
  skip: () => open(begins()),
  play: () => player.toggle(),
  mute: toggleSound,
  report,
  next,
  back: () => open(before(position)),
  submit,
  check: () => open(0),
  help: readInstructions,
  "resume-reading": () => showSection("rating"),
  "without-video": unlock,
  "take-over": takeOver,
  "give-back": giveBack,
  "last-caption": () => open(before(work.total)),
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
if (!work.preview && !isCorrecting()) showTimeLeft(work.secondsLeft);
begin();
