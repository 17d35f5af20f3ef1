"use strict";

const find = (id) => document.getElementById(id);
let words = {};
let state = null;
let busy = false;

/** A sentence of words.json with its gaps filled. */
const say = (word, gaps = {}) => words[word].replace(/\{(\w+)\}/g, (_, gap) => gaps[gap]);

/** An element with attributes and children. */
function make(kind, attributes = {}, ...children) {
  const element = document.createElement(kind);
  Object.assign(element, attributes);
  element.append(...children);
  return element;
}

/** What was drawn. */
function frame(item, name) {
  const url = `drawn/${item.file}`;
  const media = {
    image: () => make("img", { src: url, alt: name }),
    audio: () => make("audio", { src: url, controls: true, ariaLabel: name }),
    video: () => make("video", { src: url, controls: true, ariaLabel: name }),
    page: () => {
      const page = make("iframe", { title: name });
      page.setAttribute("sandbox", "");
      page.src = url;
      return page;
    },
    text: () => make("div", { className: "text", textContent: item.text, tabIndex: 0, role: "group", ariaLabel: name }),
  };
  return make("div", { className: "frame" }, media[item.kind]());
}

/** Ask the server until it answers; what was sent twice counts once. */
async function ask(path, said) {
  const options = said && { method: "POST" };
  const address = said ? `${path}?${new URLSearchParams(said)}` : path;
  for (;;) {
    const late = setTimeout(() => { find("problem").textContent = say("wait"); }, 700);
    try {
      const answer = await fetch(address, options);
      clearTimeout(late);
      const text = await answer.text();
      find("problem").textContent = answer.ok ? "" : text;
      return answer.ok ? JSON.parse(text) : null;
    } catch {
      clearTimeout(late);
      find("problem").textContent = say("lost");
      await new Promise((resolve) => setTimeout(resolve, 1000));
    }
  }
}

/** Tell the server something and show what it asks next. */
async function tell(path, said) {
  if (busy) return;
  busy = true;
  find("items").classList.add("busy");
  const next = await ask(path, said);
  busy = false;
  find("items").classList.remove("busy");
  if (next && next.question !== state?.question) await show(next);
  // At the end, another judge's answer may make another champion.
  if (next && !next.items.length) setTimeout(tell, 10000, "state");
}

const choose = (said) => state?.items.length && tell("answer", { question: state.question, said });
const undo = () => state?.number && tell("undo", { question: state.question });

async function show(next) {
  state = next;
  const count = state.items.length;
  const figures = state.items.map((item, place) => {
    const name = say("item", { place: place + 1, count });
    const button = make("button", {
      className: "prefer", textContent: say("prefer"), ariaLabel: `${say("prefer")}: ${name}`,
    });
    button.addEventListener("click", () => choose(`${place + 1}`));
    return make("figure", {}, frame(item, name), button);
  });
  find("items").replaceChildren(...figures);
  find("items").dataset.count = count;
  find("items").classList.toggle("many", count > 4);
  const gaps = { number: state.number + 1, left: state.left, judge: state.judge };
  const progress = say(state.left > 0 ? "early" : "later", gaps);
  find("progress").textContent = count ? (state.judge && say("hello", gaps)) + progress : "";
  find("news").textContent = find("progress").textContent;
  find("title").textContent = say(count ? "title" : "end");
  find("undo").disabled = !state.number;
  find("others").hidden = !count;
  find("keys").hidden = !count;
  find("keys").textContent = say("keys", { choose: count === 2 ? "← →" : `1 – ${count}` });
  find("note").textContent = "";
  if (!count) {
    const told = await ask("best");
    if (told?.best.length) {
      find("note").textContent = say("endNote");
      find("items").replaceChildren(make("figure", {}, frame(told.best[0], say("best"))));
    }
  }
}

async function showBest() {
  const told = await ask("best");
  if (!told) return;
  const { best, agreement, chance } = told;
  const sure = chance === null ? say("tooEarly") : say("champion", { chance: Math.round(100 * chance) });
  find("chance").textContent = best.length ? sure : say("nothing");
  find("ranking").replaceChildren(...best.map((one, place) => {
    const caption = make("figcaption", { textContent: one.words.join(", ") });
    return make("li", {}, make("figure", {}, frame(one, `${place + 1}`), caption));
  }));
  find("judges-title").hidden = !agreement.length;
  find("judges").replaceChildren(...agreement.map(([judge, agreed, count]) =>
    make("li", { textContent: say("agreed", { judge: judge || say("nobody"), agreed, count }) })));
  find("best").showModal();
}

function onKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || find("best").open) return;
  const onControl = event.target.closest("button, audio, video, a");
  const count = state?.items.length;
  if (event.key === "ArrowLeft" && count === 2) choose("1");
  else if (event.key === "ArrowRight" && count === 2) choose("2");
  else if (/^[1-9]$/.test(event.key) && Number(event.key) <= count) choose(event.key);
  else if (event.key === " " && !onControl) choose("=");
  else if (event.key.toLowerCase() === "s") choose("n");
  else if (event.key.toLowerCase() === "z") undo();
  else return;
  event.preventDefault();
}

async function begin() {
  const translations = await (await fetch("words.json")).json();
  const language = navigator.languages.map((name) => name.slice(0, 2)).find((name) => name in translations) ?? "en";
  words = translations[language];
  document.documentElement.lang = language;
  document.title = say("title");
  for (const element of document.querySelectorAll("[data-word]")) {
    element.textContent = say(element.dataset.word);
  }
  find("tie").addEventListener("click", () => choose("="));
  find("skip").addEventListener("click", () => choose("n"));
  find("undo").addEventListener("click", undo);
  find("show-best").addEventListener("click", showBest);
  document.addEventListener("keydown", onKey);
  // After a click the space bar is for "no difference" again.
  document.addEventListener("click", (event) => event.detail && document.activeElement.blur());
  await tell("state");
}

begin();
