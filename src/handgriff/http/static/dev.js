// The page of development: a client of the HTTP face like any other. Whatever comes is set as text and never read as markup.
const $ = (id) => document.getElementById(id);
const [log, form, input, send, stop] = ["log", "form", "input", "send", "stop"].map($);
const say = (text) => { $("status").textContent = text; };
let session, seen, tools, texts, cards, ended;

function make(tag, parent, text, kind) {
  const node = document.createElement(tag);
  if (text !== undefined) node.textContent = text;
  if (kind) node.className = kind;
  const stays = log.scrollHeight - log.scrollTop - log.clientHeight < 60;
  parent.append(node);
  if (stays) log.scrollTop = log.scrollHeight;
  return node;
}

function clear() { log.replaceChildren(); [tools, texts, cards] = [new Map(), new Map(), new Map()]; }

function bubble(id, role) {
  const node = texts.get(id) ?? make("div", log, "", role === "user" ? "user" : "assistant");
  node.textContent = "";
  texts.set(id, node);
  return node;
}

function start(id, name) {
  const line = make("details", log);
  tools.set(id, { line, name, head: make("summary", line, `${name} …`), args: make("pre", line, "") });
}

function table(diff, parent) {
  if (!diff?.length) return;
  const grid = make("table", parent), head = make("tr", grid);
  for (const name of ["", "before", "after"]) make("th", head, name).scope = "col";
  for (const { label, before, after } of diff) {
    const row = make("tr", grid);
    make("th", row, label).scope = "row";
    make("del", make("td", row), before ?? "–");
    make("ins", make("td", row), after ?? "–");
  }
}

function result(id, text) {
  const tool = tools.get(id);
  if (!tool) return;
  let told;
  try { told = JSON.parse(text); } catch { told = { summary: text }; }
  tool.head.textContent = `${tool.name}: ${told.summary}${told.error ? ` (${told.error.code})` : ""}`;
  const href = told.link?.href;
  if (/^\/(?![\/\\])/.test(href ?? "")) make("a", tool.line, told.link.label).href = href;
  table(told.diff, tool.line);
  tool.line.open = Boolean(told.diff?.length || told.error);
}

function card(interrupt) {
  const box = make("section", log, undefined, "card");
  box.tabIndex = -1;
  make("strong", box, interrupt.message);
  table(interrupt.metadata?.handgriff?.diff, box);
  make("p", box, `Until ${new Date(interrupt.expiresAt).toLocaleTimeString()}`);
  for (const [name, approved] of [["Decline", false], ["Confirm", true]]) {
    make("button", box, name).onclick = () => decide(interrupt.id, approved);
  }
  cards.set(interrupt.id, box);
  box.focus();
}

function settle(proposal, state) {
  const box = cards.get(proposal);
  for (const button of box?.querySelectorAll("button") ?? []) button.remove();
  if (box) make("p", box, state);
}

function snapshot(messages) {
  clear();
  for (const message of messages) {
    if (message.role === "tool") result(message.toolCallId, message.content);
    else if (message.content) bubble(message.id, message.role).textContent = message.content;
    for (const call of message.toolCalls ?? []) {
      start(call.id, call.function.name);
      tools.get(call.id).args.textContent = call.function.arguments;
    }
  }
}

const custom = {
  "handgriff.progress": ({ toolCallId, done, total, text }) => say(`${tools.get(toolCallId)?.name}: ${text ?? ""} ${done}${total ? `/${total}` : ""}`),
  "handgriff.retrying": ({ seconds }) => say(`The model is asked again in ${seconds} s.`),
  "handgriff.decision": ({ proposal, state }) => settle(proposal, state),
  "handgriff.turn_ended": ({ message }) => make("p", log, message, "note"),
};

const on = {
  TEXT_MESSAGE_START: (e) => bubble(e.messageId, e.role),
  TEXT_MESSAGE_CONTENT: (e) => { const node = texts.get(e.messageId); if (node) make("span", node, e.delta); },
  TOOL_CALL_START: (e) => start(e.toolCallId, e.metadata?.handgriff?.title ?? e.toolCallName),
  TOOL_CALL_ARGS: (e) => { tools.get(e.toolCallId).args.textContent += e.delta; },
  TOOL_CALL_RESULT: (e) => result(e.toolCallId, e.content),
  MESSAGES_SNAPSHOT: (e) => snapshot(e.messages),
  CUSTOM: (e) => custom[e.name]?.(e.value),
  RUN_ERROR: (e) => { ended = true; make("p", log, e.message, "note").setAttribute("role", "alert"); },
  RUN_FINISHED: (e) => { ended = true; e.outcome?.interrupts?.forEach(card); say({ interrupt: "Waiting for you.", cancelled: "Stopped." }[e.outcome?.type] ?? ""); },
};

async function call(method, path, body) {
  const headers = body === undefined ? {} : { "content-type": "application/json" };
  const answer = await fetch(path, { method, headers, body: body && JSON.stringify(body) });
  if (answer.ok) return answer;
  const problem = await answer.json().catch(() => ({}));
  throw Object.assign(new Error([problem.detail ?? answer.statusText, problem.next].filter(Boolean).join(" ")), { status: answer.status });
}

async function listen(answer) {
  ended = answer.status === 204;
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
  for (let rest = "", part; reader && !(part = await reader.read()).done;) {
    const frames = (rest + part.value).split("\n\n");
    rest = frames.pop();
    for (const frame of frames) {
      const data = frame.match(/^data: (.*)$/m), id = frame.match(/^id: (.*)$/m);
      if (data) { const event = JSON.parse(data[1]); on[event.type]?.(event); }
      if (id) seen = id[1];
    }
  }
}

async function run(begin = follow) {
  [send.hidden, stop.hidden] = [true, false];
  say("…");
  let tries = 5;
  for (ended = false; !ended && tries; begin = follow) {
    try {
      await listen(await begin());
    } catch (error) {
      // Only a lost connection is tried again, and only by looking: a message is never sent twice.
      tries = error.status ? 0 : tries - 1;
      if (!tries) make("p", log, error.message, "note").setAttribute("role", "alert");
    }
    if (!ended && tries) await new Promise((again) => { setTimeout(again, 1000); });
  }
  if ($("status").textContent === "…") say("");
  [send.hidden, stop.hidden] = [false, true];
}

const follow = () => call("GET", `sessions/${session}/stream?protocol=1.0&after=${seen ?? ""}`);
const decide = async (id, approved) => {
  try { await call("POST", `proposals/${id}`, { approved }); } catch (error) { settle(id, error.message); }
  await run();
};

async function open(id) {
  clear();
  seen = undefined;
  if (id) await call("GET", `sessions/${id}?limit=1`);
  session = id ?? (await (await call("POST", "sessions", {})).json()).id;
  history.replaceState(null, "", `#${session}`);
  if (id) await run();
  input.focus();
}

form.onsubmit = (event) => {
  event.preventDefault();
  const text = input.value.trim(), id = crypto.randomUUID();
  if (!text || send.hidden) return;
  input.value = "";
  bubble(id, "user").textContent = text;
  run(() => call("POST", "agui", { threadId: session, protocolVersion: "1.0", messages: [{ id, role: "user", content: text }] }));
};
input.onkeydown = (event) => {
  if (event.key === "Enter" && !event.shiftKey && !event.isComposing) { event.preventDefault(); form.requestSubmit(); }
};
stop.onclick = () => call("POST", `sessions/${session}/stop`, {});
document.onkeydown = (event) => { if (event.key === "Escape" && !stop.hidden) stop.click(); };
$("fresh").onclick = () => open();
open(location.hash.slice(1) || undefined).catch(() => open()).catch((error) => say(error.message));
