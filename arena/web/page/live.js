"use strict";
// Asks for state.json once a second and shows it. All text goes in as text: bots choose their own names.

const POLL_MS = 1000;
const SVG = "http://www.w3.org/2000/svg";
const byId = (id) => document.getElementById(id);
let shown = -1;
let ended = false;

function put(id, text) {
  const node = byId(id);
  if (node.textContent !== text) node.textContent = text;
}

function make(tag, text, name) {
  const node = document.createElement(tag);
  if (text !== undefined) node.textContent = text;
  if (name) node.className = name;
  return node;
}

function duration(seconds) {
  if (seconds === null || seconds === undefined) return "–";
  const s = Math.max(0, Math.round(seconds));
  if (s < 60) return `${s} s`;
  if (s < 3600) return `${Math.floor(s / 60)} min ${s % 60} s`;
  return `${Math.floor(s / 3600)} h ${Math.floor((s % 3600) / 60)} min`;
}

const whole = (n) => n.toLocaleString("en");
const percent = (x) => `${(100 * x).toFixed(1)}%`;

function progress(state) {
  const p = state.progress;
  const share = p.total ? p.done / p.total : 0;
  byId("fill").style.width = `${100 * share}%`;
  byId("bar").setAttribute("aria-valuenow", Math.round(100 * share));
  put("games", whole(p.done));
  put("of", p.total ? `of ${whole(p.total)} (${Math.floor(100 * share)}%)` : "\u00a0");
  put("rate", p.rate >= 100 ? p.rate.toFixed(0) : p.rate.toFixed(1));
  put("left", state.phase === "ended" ? "–" : duration(p.left));
  put("elapsed", `${duration(p.seconds)} so far`);
  put("fault-count", whole(p.faults));
  put("fault-share", p.done && p.faults ? `${percent(p.faults / p.done)} of the games` : "\u00a0");
  byId("fault-tile").className = p.faults ? "some" : "";
  document.title = p.total ? `${Math.floor(100 * share)}% – arena` : "arena";
}

function curve(points) {
  const svg = byId("curve");
  const old = svg.firstChild;
  if (points.length < 2) {
    if (old) old.remove();
    return;
  }
  const first = points[0][0], last = points[points.length - 1][0];
  const top = Math.max(...points.map((point) => point[1])) || 1;
  const at = ([t, rate]) => `${(120 * (t - first) / (last - first)).toFixed(1)} ${(22 - 20 * rate / top).toFixed(1)}`;
  const path = old || svg.appendChild(document.createElementNS(SVG, "path"));
  path.setAttribute("d", `M${points.map(at).join("L")}`);
}

function standings(state) {
  const rows = state.standings.map((bot, i) => {
    const row = make("tr");
    const name = make("td", bot.bot, "bot");
    name.title = bot.bot;
    row.append(make("td", String(i + 1), "n"), name);
    const score = make("td");
    if (bot.score !== null) {
      const meter = make("span", undefined, "meter");
      const fill = make("div");
      fill.style.width = percent(bot.score);
      meter.append(fill);
      score.append(meter, percent(bot.score));
    }
    const points = bot.points === null ? "" : (bot.points < 0 ? "−" : "+") + Math.abs(bot.points).toFixed(2);
    row.append(score, make("td", whole(bot.games), "n"), make("td", points, "n"),
      make("td", bot.forfeits ? whole(bot.forfeits) : "", bot.forfeits ? "n bad" : "n"));
    return row;
  });
  byId("standings").tBodies[0].replaceChildren(...rows);
  const more = state.bots - state.standings.length;
  put("more", (more > 0 ? `And ${whole(more)} more. ` : "") +
    "Shares of the score of finished games; ratings with error bars come at the end.");
}

function crosstable(cross) {
  const head = make("tr");
  head.append(make("th"));
  cross.bots.forEach((bot, i) => { const th = make("th", String(i + 1)); th.title = bot; head.append(th); });
  const rows = cross.bots.map((bot, i) => {
    const row = make("tr");
    const name = make("th", `${bot} ${i + 1}`, "bot");
    name.title = bot;
    row.append(name);
    cross.cells[i].forEach((cell, j) => {
      const td = make("td");
      if (i === j) td.className = "self";
      if (cell) {
        const [score, games] = cell;
        td.textContent = (100 * score).toFixed(0);
        td.title = `${bot} – ${cross.bots[j]}: ${percent(score)} of ${whole(games)} games`;
        const strength = Math.min(0.62, Math.abs(score - 0.5) * 1.2);
        td.style.backgroundColor = `rgb(var(${score >= 0.5 ? "--win" : "--lose"}) / ${strength.toFixed(2)})`;
      }
      row.append(td);
    });
    return row;
  });
  byId("cross").tHead.replaceChildren(head);
  byId("cross").tBodies[0].replaceChildren(...rows);
  byId("cross-section").hidden = cross.bots.length < 2;
}

function faults(state) {
  byId("faults-section").hidden = !state.faults.length;
  byId("faults").tBodies[0].replaceChildren(...state.faults.map((fault) => {
    const row = make("tr");
    row.append(make("td", fault.bot, "bot"), make("td", fault.code), make("td", whole(fault.games), "n"));
    return row;
  }));
  byId("recent-faults").replaceChildren(...state.recent_faults.slice(0, 6).map((fault) => {
    const line = make("li");
    line.append(make("b", fault.bot), ` ${fault.code}, pair ${fault.pair}, leg ${fault.leg}: ${fault.text}`);
    return line;
  }));
}

function recent(games) {
  byId("recent").tBodies[0].replaceChildren(...games.map((game) => {
    const row = make("tr");
    row.append(make("td", game.a, game.score > 0.5 ? "bot won" : "bot"),
      make("td", `${game.points[0]} : ${game.points[1]}`, "n"),
      make("td", game.b, game.score < 0.5 ? "bot won" : "bot"),
      make("td", `pair ${game.pair}, leg ${game.leg}${game.reason === "target" ? "" : `, ${game.reason}`}`, "n"));
    return row;
  }));
}

function lines(id, texts, none) {
  byId(id).replaceChildren(...(texts.length || !none ? texts : [none]).map((text) => make("li", text)));
}

function phase(name, text) {
  byId("phase").className = `pill ${name}`;
  put("phase", text);
}

function show(state) {
  put("game", state.game ? `${state.game}${state.rules ? ` ${state.rules}` : ""}` : "arena");
  if (state.game) {
    put("facts", `${whole(state.bots)} bots, ${state.slots} at a time, isolation ${state.isolation}` +
      `${state.guessable ? ", guessable seed" : ""}`);
    put("foot", `Results in ${state.out}. Seed commitment ${state.commitment}.`);
  }
  ended = state.phase === "ended";
  phase(state.phase, state.words ? (ended ? `ended: ${state.words}` : state.words) : state.phase);
  progress(state);
  curve(state.curve);
  standings(state);
  crosstable(state.crosstable);
  faults(state);
  recent(state.recent);
  lines("running", ended ? [] : state.running, "nothing");
  byId("notices-section").hidden = !state.notices.length;
  lines("notices", state.notices);
}

async function ask() {
  try {
    const answer = await fetch("state.json", { cache: "no-store" });
    if (!answer.ok) throw new Error(String(answer.status));
    const state = await answer.json();
    if (state.version !== shown) {
      shown = state.version;
      show(state);
    }
  } catch {
    if (!ended) phase("lost", "no connection");
    shown = -1;
  }
  setTimeout(ask, POLL_MS);
}

ask();
