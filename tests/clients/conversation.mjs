// One conversation with a real AG-UI client: `node conversation.mjs PACKAGE ADDRESS SCENARIO`. What it saw comes out as one JSON document.
const [name, address, scenario] = process.argv.slice(2);
const { HttpAgent } = await import(name);

// Clients tell the console of what they reject; that is told by what they throw.
console.error = () => {};
const warnings = [];
console.warn = (text) => warnings.push(String(text));

const agent = (thread, headers = { "x-user": "acme/ada" }) => new HttpAgent({ url: `${address}/agui`, threadId: thread, headers });
const user = (id, content) => ({ id, role: "user", content });

async function run(client, parameters = {}, more = {}) {
  const seen = { kinds: [], outcome: null, code: null, failed: null, problem: null };
  const subscriber = {
    onEvent: ({ event }) => { seen.kinds.push(event.type); },
    onRunFinishedEvent: ({ outcome, event }) => { seen.outcome = outcome ?? event.outcome?.type ?? null; },
    onRunErrorEvent: ({ event }) => { seen.code = event.code; },
    onRunFailed: ({ error }) => { seen.problem = { status: error.status ?? null, payload: error.payload ?? null }; },
    ...more,
  };
  try {
    await client.runAgent(parameters, subscriber);
  } catch (error) {
    seen.failed = error.message;
  }
  return { ...seen, messages: structuredClone(client.messages), pending: structuredClone(client.pendingInterrupts ?? []), state: client.state };
}

const answer = (client, approved) =>
  client.pendingInterrupts.map((interrupt) => ({ interruptId: interrupt.id, status: "resolved", payload: { approved } }));

async function decided(thread, approved) {
  const client = agent(thread);
  client.addMessage(user("u1", "/list_orders"));
  const read = await run(client);
  client.addMessage(user("u2", "/cancel_order order=o_17"));
  const asked = await run(client);
  const refused = await run(client);
  const resumed = await run(client, { resume: answer(client, approved) });
  client.addMessage(user("u3", "/list_orders"));
  const after = await run(client);
  return { read, asked, refused, resumed, after };
}

const scenarios = {
  approve: () => decided("approve", true),
  decline: () => decided("decline", false),
  async stop() {
    const client = agent("stop");
    client.addMessage(user("u1", "/slow_read"));
    const stopped = await run(client, {}, {
      onToolCallEndEvent: async () => {
        const headers = { "x-user": "acme/ada" };
        const { sessions } = await (await fetch(`${address}/sessions`, { headers })).json();
        const session = sessions.find(({ alias }) => alias === "stop");
        await fetch(`${address}/sessions/${session.id}/stop`, { method: "POST", headers });
      },
    });
    client.addMessage(user("u2", "/list_orders"));
    return { stopped, after: await run(client) };
  },
  async abort() {
    const client = agent("abort");
    client.addMessage(user("u1", "/slow_read"));
    return { aborted: await run(client, {}, { onToolCallEndEvent: () => { client.abortRun(); } }) };
  },
  async refuse() {
    const nobody = agent("refuse", {});
    nobody.addMessage(user("u1", "/list_orders"));
    const empty = agent("refuse");
    const busy = agent("busy");
    busy.addMessage(user("u1", "/slow_read"));
    const second = agent("busy");
    second.addMessage(user("u1", "/list_orders"));
    let conflict;
    await run(busy, {}, { onToolCallEndEvent: async () => { conflict ??= await run(second); busy.abortRun(); } });
    return { nobody: await run(nobody), empty: await run(empty), conflict };
  },
};

process.stdout.write(JSON.stringify({ ...(await scenarios[scenario]()), warnings }));
process.exit(0);
