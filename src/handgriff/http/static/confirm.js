// The page of proposals: its buttons send what was decided. Whatever comes back is set as text and never read as markup.
const { sending, sent, lost, missing, signin } = document.body.dataset;
const language = document.documentElement.lang;

for (const time of document.querySelectorAll("time")) {
  time.textContent = new Date(time.dateTime).toLocaleString(language, { dateStyle: "medium", timeStyle: "short" });
}

async function post(path, body) {
  try {
    const options = { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
    const answer = await fetch(path, options);
    return { status: answer.status, ok: answer.ok, told: await answer.json() };
  } catch {
    return { told: { message: lost } };
  }
}

for (const card of document.querySelectorAll("[data-proposal]")) {
  const [controls, status, field] = [".controls", "[role=status]", "input"].map((part) => card.querySelector(part));
  const address = `../proposals/${encodeURIComponent(card.dataset.proposal)}`;
  const say = (text) => { status.textContent = text; };

  function settle(text) {
    controls.remove();
    say(text);
    // The button that had the focus is gone.
    status.focus();
  }

  async function act(what) {
    if (card.ariaBusy === "true") return;
    card.ariaBusy = "true";
    say(what === "code" ? "" : sending);
    const decision = { approved: what === "confirm", ...(what === "confirm" && field && { code: field.value }) };
    const { status: code, ok, told } = await (what === "code" ? post(`${address}/code`, {}) : post(address, decision));
    card.ariaBusy = "false";
    if (ok && what !== "code") settle([told.proposal.state_text, shown(told)].filter(Boolean).join(" "));
    else if (code === 404) settle(missing);
    else if (told.facts?.state) settle(told.message);
    else {
      say(ok ? sent : code === 401 ? signin : (told.message ?? told.detail));
      if (field) { field.select(); field.focus(); }
    }
  }

  // What a tool itself has to say of it; for the other ends the words for the state say all there is.
  const shown = ({ proposal, outcome }) => ["done", "failed", "indeterminate"].includes(proposal.state) && outcome.summary;

  controls?.addEventListener("click", ({ target }) => { if (target.dataset.act) act(target.dataset.act); });
}
