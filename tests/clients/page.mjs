// A browser that is told what to do: each line in is one wish in JSON, each line out says what came of it.
//   {"person": {…}}                            somebody new sits down: no cookies, no tabs, Playwright's options
//   {"tab": "a", "steps": [["click", "#send"]]}   Playwright's own methods, one called on what the one before gave
//   {"tab": "a", "stub": "**/agui", "answer": {…}}   what the server shall seem to answer
//   {"seen": true}                             everything that was asked for and complained of since they sat down
import { createInterface } from "node:readline";
import { launch } from "./browser.mjs";

const browser = await launch();
let context, tabs, seen;

async function person(options) {
  await context?.close();
  context = await browser.newContext(options);
  [tabs, seen] = [new Map(), { requests: [], console: [], errors: [], dialogs: [] }];
  const kept = seen;
  context.on("request", (request) => kept.requests.push(request.url()));
  context.on("console", (message) => { if (message.type() !== "log") kept.console.push(message.text()); });
  context.on("weberror", (error) => kept.errors.push(error.error().message));
  context.on("dialog", (dialog) => { kept.dialogs.push(dialog.message()); dialog.dismiss(); });
}

async function tab(name) {
  if (!tabs.has(name)) {
    const page = await context.newPage();
    page.setDefaultTimeout(20_000);
    tabs.set(name, page);
  }
  return tabs.get(name);
}

async function perform(wish) {
  if (wish.person) return person(wish.person);
  if (wish.seen) return seen;
  const page = await tab(wish.tab);
  if (wish.stub) return page.route(wish.stub, (route) => route.fulfill(wish.answer));
  let value = page;
  for (const [method, ...given] of wish.steps) value = await value[method](...given);
  return value;
}

for await (const line of createInterface({ input: process.stdin })) {
  let answer;
  try {
    const value = await perform(JSON.parse(line));
    // What is no data, such as a response or a handle, stays here.
    answer = { value: Array.isArray(value) || Object(value) !== value || value.constructor === Object ? value : null };
  } catch (error) {
    answer = { error: error.message };
  }
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
await browser.close();
