// One MCP client at work: `node mcp.mjs PACKAGE MODE SERVER CALLS`. It lists, and calls and lists again for each of CALLS. What it saw comes out
// as one JSON document: its lists, its results, and what arrived on the wire in that order.
const [name, mode, server, calls] = process.argv.slice(2);
const place = JSON.parse(server);

const packages = {
  async sdk() {
    const { Client } = await import("@modelcontextprotocol/sdk/client/index.js");
    const { StreamableHTTPClientTransport } = await import("@modelcontextprotocol/sdk/client/streamableHttp.js");
    const { StdioClientTransport } = await import("@modelcontextprotocol/sdk/client/stdio.js");
    return { Client, StreamableHTTPClientTransport, StdioClientTransport };
  },
  async client() {
    const { Client, StreamableHTTPClientTransport } = await import("@modelcontextprotocol/client");
    const { StdioClientTransport } = await import("@modelcontextprotocol/client/stdio");
    return { Client, StreamableHTTPClientTransport, StdioClientTransport };
  },
};

const { Client, StreamableHTTPClientTransport, StdioClientTransport } = await packages[name]();
const transport = place.url
  ? new StreamableHTTPClientTransport(new URL(place.url), { requestInit: { headers: { authorization: `Bearer ${place.who}` } } })
  : new StdioClientTransport({ ...place, stderr: "inherit" });

const saw = { version: null, lists: [], results: [], wire: [], refreshed: [], failed: null };
const client = new Client(
  { name: "handgriff-tests", version: "1" },
  {
    ...(mode === "legacy" ? {} : { versionNegotiation: { mode: mode === "auto" ? "auto" : { pin: mode } } }),
    listChanged: {
      tools: { autoRefresh: true, debounceMs: 0, onChanged: (error, tools) => saw.refreshed.push(error ? String(error) : names(tools)) },
    },
  },
);

const names = (tools) => tools.map((tool) => tool.name);

async function list() {
  const { tools } = await client.listTools();
  saw.lists.push(names(tools));
}

try {
  await client.connect(transport);
  const handle = transport.onmessage;
  transport.onmessage = (message, extra) => {
    saw.wire.push(message.method ?? (message.result?.content ? "result" : "answer"));
    handle(message, extra);
  };
  saw.version = client.getNegotiatedProtocolVersion?.() ?? transport.protocolVersion ?? null;
  await list();
  for (const [tool, given] of JSON.parse(calls)) {
    saw.wire.push(`call ${tool}`);
    const { isError, content, structuredContent } = await client.callTool({ name: tool, arguments: given });
    saw.results.push({ isError: isError ?? false, text: content[0].text, structuredContent });
    await list();
  }
} catch (error) {
  saw.failed = String(error?.stack ?? error);
}
await client.close();
console.log(JSON.stringify(saw));
