// What XState answers: machines come in on standard input, one JSON object a line with `config`, `events` and `probes`; for each of them the
// snapshots after its start and after each event go out, also one a line. Every snapshot is stored as JSON and read again before it goes on.
import readline from "node:readline";
import { assign, createMachine, initialTransition, transition } from "xstate";

const MOST_MICROSTEPS = 200;

const guards = {
  flagged: ({ event }, { flag }) => Boolean(event.flags?.[flag]),
  least: ({ context }, { n }) => (context.n ?? 0) >= n,
  answered: ({ event }, { output }) => JSON.stringify(event.output) === JSON.stringify(output),
};
const assigning = {
  count: assign(({ context }) => ({ n: (context.n ?? 0) + 1 })),
  keep: assign(({ event }, params) => ({ kept: [event.type, params.of] })),
};
// Every other action is only told.
const actions = new Proxy(assigning, { get: (known, name) => (Object.hasOwn(known, name) ? known[name] : () => {}), has: () => true });

function told(action) {
  if (action.type === "xstate.raise") return ["raise", action.params.event.type, action.params.delay];
  if (action.type === "xstate.cancel") return ["cancel", action.params.sendId];
  return action.params === undefined ? action.type : [action.type, action.params];
}

function answer(machine, snapshot, performed, probes) {
  if (snapshot.status === "error") throw snapshot.error;
  const stored = JSON.parse(JSON.stringify(machine.getPersistedSnapshot(snapshot)));
  const history = Object.entries(stored.historyValue).map(([state, left]) => [state, left.map(({ id }) => id)]);
  return {
    value: stored.value,
    status: stored.status,
    context: stored.context,
    output: stored.output ?? null,
    history: Object.fromEntries(history),
    actions: performed.map(told),
    can: stored.status === "active" ? probes.filter((probe) => snapshot.can(probe)).map(({ type }) => type) : [],
  };
}

function answers({ config, events, probes }) {
  const steps = [];
  try {
    const machine = createMachine(config, { guards, actions });
    machine.options = { ...machine.options, maxIterations: MOST_MICROSTEPS };
    let [snapshot, performed] = initialTransition(machine);
    steps.push(answer(machine, snapshot, performed, probes));
    for (const event of events) {
      if (snapshot.status !== "active") break;
      const stored = JSON.parse(JSON.stringify(machine.getPersistedSnapshot(snapshot)));
      [snapshot, performed] = transition(machine, machine.restoreSnapshot(stored, {}), event);
      steps.push(answer(machine, snapshot, performed, probes));
    }
  } catch (error) {
    return { steps, error: String(error.message) };
  }
  return { steps };
}

console.warn = () => {};
for await (const line of readline.createInterface({ input: process.stdin })) console.log(JSON.stringify(answers(JSON.parse(line))));
