// What people decide, with a real AG-UI client: `node consent.mjs PACKAGE ADDRESS SCENARIO FILE`. What it saw comes out as one JSON document.
// FILE is where the last code was sent to, and where one process leaves what the next one, after a reload, begins with.
import { existsSync, readFileSync, writeFileSync } from "node:fs";

const [name, address, scenario, file] = process.argv.slice(2);
const { HttpAgent } = await import(name);

// Clients tell the console of what they reject; that is told by what they throw.
console.error = () => {};
const warnings = [];
console.warn = (text) => warnings.push(String(text));

const owner = { "x-user": "acme/ada" };
const agent = (more = {}) => new HttpAgent({ url: `${address}/agui`, threadId: "t1", headers: owner, ...more });
const user = (id, content) => ({ id, role: "user", content });
const code = () => readFileSync(`${file}.code`, "utf8");
const wrong = () => String((Number(code()) + 1) % 1_000_000).padStart(6, "0");

async function run(client, resume) {
  const seen = { kinds: [], custom: [], outcome: null, failed: null };
  const subscriber = {
    onEvent: ({ event }) => { seen.kinds.push(event.type); },
    onCustomEvent: ({ event }) => { seen.custom.push([event.name.replace("handgriff.", ""), event.value]); },
    onRunFinishedEvent: ({ outcome, event }) => { seen.outcome = outcome ?? event.outcome?.type ?? null; },
  };
  try {
    await client.runAgent(resume ? { resume } : {}, subscriber);
  } catch (error) {
    seen.failed = error.message;
  }
  return { ...seen, messages: structuredClone(client.messages), pending: structuredClone(client.pendingInterrupts ?? []) };
}

async function ask(client, text, id = "u1") {
  client.addMessage(user(id, text));
  return run(client);
}

const answer = (client, ...payloads) =>
  client.pendingInterrupts.map(({ id }, index) => ({ interruptId: id, status: "resolved", payload: payloads[index] ?? payloads[0] }));

// Another tab, or the same one after a reload that kept what it showed.
function again(client) {
  const other = agent({ initialMessages: structuredClone(client.messages) });
  other.pendingInterrupts = structuredClone(client.pendingInterrupts);
  return other;
}

const post = async (path, body, headers = owner) => {
  const sent = { method: "POST", headers: { ...headers, "content-type": "application/json" }, body: JSON.stringify(body) };
  return (await fetch(`${address}${path}`, sent)).json();
};
const get = async (path, headers = owner) => (await fetch(`${address}${path}`, { headers })).json();

const scenarios = {
  async code() {
    const client = agent();
    const asked = await ask(client, "/pay amount=10 to=acc-2");
    const refused = await run(client, answer(client, { approved: true, code: wrong() }));
    const none = await run(client, answer(client, { approved: true }));
    const done = await run(client, answer(client, { approved: true, code: code() }));
    return { asked, refused, none, done, after: await ask(client, "/list_orders", "u2") };
  },
  async siblings() {
    const client = agent();
    const asked = await ask(client, "/cancel_order order=o_17\n/cancel_order order=o_19");
    const done = await run(client, answer(client, { approved: true }, { approved: false }));
    return { asked, done, after: await ask(client, "/list_orders", "u2") };
  },
  async secondTab() {
    const client = agent();
    const asked = await ask(client, "/cancel_order order=o_17");
    const other = again(client);
    const done = await run(client, answer(client, { approved: true }));
    return { asked, done, late: await run(other, answer(other, { approved: false })) };
  },
  async replayed() {
    const client = agent();
    const asked = await ask(client, "/cancel_order order=o_17");
    const resume = answer(client, { approved: true });
    return { asked, done: await run(client, resume), late: await run(client, resume), after: await ask(client, "/list_orders", "u2") };
  },
  async superseded() {
    const client = agent();
    const asked = await ask(client, "/cancel_order order=o_17");
    const other = agent({ initialMessages: structuredClone(client.messages) });
    const instead = await ask(other, "/list_orders", "u2");
    return { asked, instead, late: await run(client, answer(client, { approved: true })) };
  },
  async secondPerson() {
    const client = agent();
    const asked = await ask(client, "/close_shop reason=holiday");
    const refused = await run(client, answer(client, { approved: true }));
    const { proposals } = await get("/proposals", { "x-user": "acme/eve" });
    const { proposal } = await post(`/proposals/${proposals[0].id}`, { approved: true }, { "x-user": "acme/eve" });
    const stream = await (await fetch(`${address}/sessions/t1/stream`, { headers: owner })).text();
    return { asked, refused, decided: { proposal, stream }, done: await run(client, answer(client, { approved: true })) };
  },
  // One process asks, and leaves what it held; another one, after whatever happened to the server, clicks.
  async asks() {
    const client = agent();
    const asked = await ask(client, "/cancel_order order=o_17");
    writeFileSync(file, JSON.stringify({ messages: client.messages, pending: client.pendingInterrupts }));
    return { asked };
  },
  async clicks() {
    const { messages, pending } = JSON.parse(readFileSync(file, "utf8"));
    const client = agent({ initialMessages: messages });
    client.pendingInterrupts = pending;
    return { done: await run(client, answer(client, { approved: true })), after: await ask(client, "/list_orders", "u2") };
  },
  // A page that kept nothing finds what waits in the list.
  async clicksAnew() {
    const client = agent();
    const { proposals } = await get("/proposals");
    const resume = proposals.map(({ id }) => ({ interruptId: id, status: "resolved", payload: { approved: true } }));
    return { done: await run(client, resume), after: await ask(client, "/list_orders", "u2") };
  },
};

if (!scenarios[scenario] || (scenario.startsWith("clicks") && !existsSync(file))) throw new Error(`cannot play ${scenario}`);
process.stdout.write(JSON.stringify({ ...(await scenarios[scenario]()), warnings }));
process.exit(0);
