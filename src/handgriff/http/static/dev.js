// The page of development: a client of the HTTP face like any other. Whatever comes is set as text and never read as markup.
const [fresh, log, state, form, input, send, stop] = document.querySelectorAll("[id]");
// `names` are the tools' titles; `seen` is the last id; `heard` is whether the connection said anything; `ended` is how the run did.
let session, seen, heard, ended, tools, texts, cards, names = new Map(), atEnd = true, leave = new AbortController();

const make = (tag, parent, text = "", kind = "") =>
  parent.appendChild(Object.assign(document.createElement(tag), { textContent: text, className: kind }));
const say = (text) => { state.textContent = text; };
const note = (text, role = null) => { make("p", log, text, "note").role = role; };
const clear = () => { log.replaceChildren(); [tools, texts, cards] = [new Map(), new Map(), new Map()]; };
const busy = (is, text) => { [send.hidden, stop.hidden] = [is, !is]; say(text); };
const bubble = (id, role, text = "") => texts.set(id, Object.assign(texts.get(id) ?? make("div", log, "", role), { textContent: text }));

function start(id, tool, text = "", name = names.get(tool) ?? tool) {
  const line = make("details", log);
  names.set(tool, name);
  tools.set(id, { line, name, head: make("summary", line, `${name} …`), args: make("pre", line, text) });
}

function mark(id, text, isTold = false) {
  const tool = tools.get(id);
  if (tool) Object.assign(tool, { isTold }).head.textContent = `${tool.name}: ${text}`;
}

function table(diff, parent) {
  if (!diff?.length) return;
  const grid = make("table", parent), head = make("tr", make("thead", grid)), rows = make("tbody", grid);
  make("td", head);
  for (const name of ["Before", "After"]) make("th", head, name).scope = "col";
  for (const { label, before, after } of diff) {
    const row = make("tr", rows);
    make("th", row, label).scope = "row";
    for (const [kind, value] of [["del", before], ["ins", after]]) make(value == null ? "span" : kind, make("td", row), value ?? "–");
  }
}

function result(id, text) {
  const tool = tools.get(id), told = JSON.parse(text);
  if (!tool) return;
  mark(id, `${told.summary}${told.error ? ` (${told.error.code})` : ""}`, true);
  const link = told.link && URL.parse(told.link.href, location.href);
  if (link?.protocol === location.protocol && link.host === location.host) make("a", tool.line, told.link.label).href = link.href;
  table(told.diff, tool.line);
  if (told.diff?.length || told.error) tool.line.open = true;
}

function card({ id, message, expiresAt, metadata, toolCallId }) {
  const box = Object.assign(make("section", log, "", "card"), { tabIndex: -1, role: "group", ariaLabel: "Your decision" });
  const { diff, confirm, count, sample = [] } = metadata?.handgriff ?? {};
  make("strong", box, message);
  table(diff, box);
  if (count != null) make("p", box, `${count} in all${sample.length ? `, for example: ${sample.join(", ")}` : ""}`);
  make("p", box, `Nothing is done unless ${confirm === "second_person" ? "they" : "you"} confirm, until ${new Date(expiresAt).toLocaleTimeString()}.`, "until");
  if (confirm === "code") {
    const row = make("p", box);
    Object.assign(make("input", row), { ariaLabel: "Code", placeholder: "Code", inputMode: "numeric", autocomplete: "one-time-code" });
    make("button", row, "Send a new code").onclick = () => call("POST", `proposals/${id}/code`, {}).then(
      () => tell(id, "A new code was sent."), (error) => tell(id, error.message));
  }
  if (confirm === "second_person") make("a", make("p", box, "Another person must confirm this: "), "the link for them").href = `confirm/${id}`;
  make("button", box, confirm === "second_person" ? "Withdraw" : "Decline").onclick = () => decide(id, false);
  if (confirm !== "second_person") make("button", box, "Confirm", "confirm").onclick = () => decide(id, true);
  make("p", box, "", "told");
  cards.set(id, box);
  mark(toolCallId, "waits for your decision", true);
  // On the card and never on a button; and nobody who is typing is disturbed.
  if (cards.size === 1 && !input.value) box.focus();
}

const parts = (proposal) => [...cards.get(proposal)?.querySelectorAll("button, input") ?? []];

function tell(proposal, text) {
  if (!cards.has(proposal)) return;
  cards.get(proposal).querySelector(".told").textContent = text;
  say(text);
}

function settle(proposal, text) {
  for (const part of parts(proposal)) part.remove();
  tell(proposal, text);
}

function restore({ id, role, content, toolCallId, toolCalls }) {
  if (role === "tool") result(toolCallId, content);
  else if (content) bubble(id, role, content);
  for (const call of toolCalls ?? []) start(call.id, call.function.name, call.function.arguments);
}

const ends = { interrupt: "Waiting for you.", cancelled: "Stopped." };
const custom = {
  "handgriff.progress": (e) => mark(e.toolCallId, `${e.text ?? ""} ${e.done}${e.total ? `/${e.total}` : ""} …`),
  "handgriff.retrying": (e) => say(`The model is asked again in ${e.seconds} s.`),
  "handgriff.decision": (e) => settle(e.proposal, e.message),
  "handgriff.late_outcome": (e) => mark(e.toolCallId, e.summary, true),
  "handgriff.turn_ended": (e) => note(e.message),
};
const on = {
  TEXT_MESSAGE_START: (e) => bubble(e.messageId, e.role),
  TEXT_MESSAGE_CONTENT: (e) => { make("span", texts.get(e.messageId), e.delta); },
  TOOL_CALL_START: (e) => start(e.toolCallId, e.toolCallName, "", e.metadata?.handgriff?.title),
  TOOL_CALL_ARGS: (e) => { tools.get(e.toolCallId).args.textContent += e.delta; },
  TOOL_CALL_RESULT: (e) => result(e.toolCallId, e.content),
  MESSAGES_SNAPSHOT: (e) => { clear(); e.messages.forEach(restore); },
  CUSTOM: (e) => custom[e.name]?.(e.value),
  RUN_ERROR: (e) => { ended = "Failed."; note(e.message, "alert"); },
  RUN_FINISHED: (e) => { ended = ends[e.outcome?.type] ?? "Answered."; e.outcome?.interrupts?.forEach(card); },
};

async function call(method, path, body, signal) {
  const sent = body && { headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
  const answer = await fetch(path, { method, signal, ...sent });
  if (answer.ok) return answer;
  const { detail = answer.statusText, next = "", message = `${detail} ${next}`.trim() } = await answer.json().catch(() => ({}));
  throw Object.assign(new Error(message), { status: answer.status });
}
const follow = (signal) => call("GET", `sessions/${encodeURIComponent(session)}/stream?protocol=1.0&after=${seen ?? ""}`, null, signal);

async function listen(answer) {
  if (answer.status === 204) { ended = "Nothing runs."; return; }
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  for (let rest = "", part; !(part = await reader.read()).done; heard = true) {
    const frames = (rest + part.value).split("\n\n");
    rest = frames.pop();
    for (const frame of frames) {
      const data = frame.match(/^data: (.*)$/m), id = frame.match(/^id: (.*)$/m);
      if (data) { const event = JSON.parse(data[1]); on[event.type]?.(event); }
      if (id) seen = id[1];
    }
  }
}

// Begins and listens to the end. What is lost on the way is looked for again; nothing that may have arrived is sent twice.
async function run(begin, doing) {
  leave.abort();
  const { signal } = leave = new AbortController();
  let failure = ended = heard = undefined;
  busy(true, doing);
  for (let tries = 3; !ended; begin = session ? follow : begin) {
    failure = await begin(signal).then(listen).catch((error) => error);
    if (signal.aborted) return false;
    if (!ended && (failure?.status || (!heard && !tries))) {
      for (const [id, tool] of tools) if (!tool.isTold) mark(id, "interrupted");
      if (failure?.status === 404) open();
      note(failure?.status ? failure.message : "Interrupted: the server can't be reached. Reload to see what has become of it.", "alert");
      ended = "Failed.";
    } else if (!ended) {
      // A connection that said nothing leaves it open what arrived, so everything is read again.
      [tries, seen, heard] = heard ? [3, seen] : [tries - 1];
      say("The connection was lost; looking again …");
      await new Promise((again) => { setTimeout(again, 1000); });
    }
  }
  busy(false, ended);
  if (document.activeElement === document.body) input.focus();
  return failure;
}

async function decide(id, approved) {
  const box = cards.get(id), field = box.querySelector("input"), off = (is) => { for (const part of parts(id)) part.disabled = is; };
  const decision = { approved, ...(approved && field && { code: field.value }) };
  off(true);
  tell(id, approved ? "Confirmed …" : "Declined …");
  const late = await call("POST", `proposals/${id}`, decision).then(() => null, (error) => error);
  const waits = late?.status && (await call("GET", `proposals/${id}`).then((it) => it.json()).catch(() => ({}))).state === "pending";
  if (waits) {
    off(false);
    tell(id, late.message);
    (field ?? box).focus();
    return;
  }
  settle(id, late ? late.message : "Decided …");
  if ((await run(follow, "Answering …")) !== false && late && !box.isConnected) note(late.message, "alert");
}

function open(id = "") {
  leave.abort();
  clear();
  [session, seen] = [id, undefined];
  history.replaceState(null, "", `${location.pathname}${id && `#${id}`}`);
  busy(false, "");
  input.focus();
  if (id) run(follow, "Loading …");
}

form.onsubmit = async (event) => {
  event.preventDefault();
  const text = input.value.trim(), id = crypto.randomUUID();
  if (!text || send.hidden) return;
  input.value = "";
  bubble(id, "user", text);
  const failure = await run(async (signal) => {
    session ||= (await (await call("POST", "sessions", {}, signal)).json()).id;
    history.replaceState(null, "", `#${session}`);
    return call("POST", "agui", { threadId: session, protocolVersion: "1.0", messages: [{ id, role: "user", content: text }] }, signal);
  }, "Answering …");
  if (failure?.status) texts.get(id)?.remove();
  // What was not taken is given back, to be sent again.
  if (failure !== false && [...log.querySelectorAll(".user")].at(-1)?.textContent !== text) input.value ||= text;
};
input.onkeydown = (e) => { if (e.key === "Enter" && !e.shiftKey && !e.isComposing) { e.preventDefault(); form.requestSubmit(); } };
stop.onclick = () => session && call("POST", `sessions/${session}/stop`, {}).catch((error) => note(error.message, "alert"));
document.onkeydown = (e) => { if (e.key === "Escape" && !stop.hidden) stop.click(); };
log.onscroll = () => { atEnd = log.scrollHeight - log.scrollTop - log.clientHeight < 60; };
new MutationObserver(() => { if (atEnd) log.scrollTop = 1e9; }).observe(log, { childList: true, subtree: true, attributes: true });
fresh.onclick = () => open();
open(location.hash.slice(1));
