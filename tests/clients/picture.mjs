// Pictures of a conversation on the page of development, and of the page that confirms what it proposes: `node picture.mjs ADDRESS CHAT
// CONFIRM LINE…` says the lines, the last of which is to wait.
import { writeFileSync } from "node:fs";
import { crc32, deflateSync } from "node:zlib";
import { launch } from "./browser.mjs";

const [address, chat, confirm, ...lines] = process.argv.slice(2);
const size = { width: 720, height: 900 }, scale = 2;
const browser = await launch();

async function photograph() {
  const page = await browser.newPage({ viewport: size, deviceScaleFactor: scale, colorScheme: "light", locale: "en-GB" });
  await page.goto(address);
  for (const line of lines) {
    await page.fill("#input", line);
    await page.press("#input", "Enter");
    await page.locator("#status", { hasText: line === lines.at(-1) ? "Waiting for you." : "Answered." }).waitFor();
  }
  // As high as the conversation is long.
  size.height += await page.evaluate('(({ scrollHeight, clientHeight }) => scrollHeight - clientHeight)(document.querySelector("#log"))');
  await page.setViewportSize(size);
  write(await pixels(await page.screenshot({ caret: "hide" })), chat);
  const { proposals: [{ id }] } = await page.evaluate("fetch('proposals').then((answer) => answer.json())");
  await page.setViewportSize({ width: size.width, height: 1 });
  await page.goto(new URL(`confirm/${id}`, address).href);
  write(await pixels(await page.screenshot({ caret: "hide", fullPage: true })), confirm);
}

async function pixels(png) {
  const page = await browser.newPage();
  return page.evaluate(async (url) => {
    const image = await createImageBitmap(await (await fetch(url)).blob());
    const canvas = new OffscreenCanvas(image.width, image.height).getContext("2d");
    canvas.drawImage(image, 0, 0);
    const { data, width, height } = canvas.getImageData(0, 0, image.width, image.height);
    return { width, height, colours: new Uint32Array(data.buffer) };
  }, `data:image/png;base64,${png.toString("base64")}`);
}

// A page of text has few colours. With a byte for each point its picture is a third as large.
function write({ width, height, colours }, file) {
  const parts = (colour) => [colour & 255, (colour >> 8) & 255, (colour >> 16) & 255];
  const far = (one, other) => parts(one).reduce((sum, part, index) => sum + (part - parts(other)[index]) ** 2, 0);
  const often = new Map();
  for (const colour of colours) often.set(colour, (often.get(colour) ?? 0) + 1);
  const palette = [...often].sort((one, other) => other[1] - one[1]).slice(0, 256).map(([colour]) => colour);
  const places = new Map([...often.keys()].map((colour) => {
    const distances = palette.map((other) => far(colour, other));
    return [colour, distances.indexOf(Math.min(...distances))];
  }));
  const rows = Buffer.alloc((width + 1) * height);
  for (let at = 0; at < colours.length; at += 1) rows[at + Math.floor(at / width) + 1] = places.get(colours[at]);
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 3], 8);
  const chunks = [["IHDR", head], ["PLTE", Buffer.from(palette.flatMap(parts))], ["IDAT", deflateSync(rows, { level: 9 })], ["IEND", Buffer.alloc(0)]];
  writeFileSync(file, Buffer.concat([Buffer.from("\x89PNG\r\n\x1a\n", "latin1"), ...chunks.map(chunk)]));
}

function chunk([name, body]) {
  const named = Buffer.concat([Buffer.from(name), body]), framed = Buffer.alloc(named.length + 8);
  framed.writeUInt32BE(body.length, 0);
  framed.set(named, 4);
  framed.writeUInt32BE(crc32(named), named.length + 4);
  return framed;
}

await photograph();
await browser.close();
