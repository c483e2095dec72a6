// The browser that npm brings: `node browser.mjs` unpacks it, once and before anybody starts it; `launch` starts it.
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

const place = fileURLToPath(new URL("node_modules/.browser", import.meta.url));
const ready = join(place, "ready");

// Its own font, wherever this runs, so that pictures look the same.
const FONTS = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>${place}/fonts</dir><dir>/usr/share/fonts</dir><cachedir>${place}/cache</cachedir>
  <alias binding="strong"><family>system-ui</family><prefer><family>Open Sans</family></prefer></alias>
  <alias binding="strong"><family>ui-monospace</family><prefer><family>DejaVu Sans Mono</family></prefer></alias>
</fontconfig>
`;

async function unpack() {
  if (existsSync(ready)) return;
  rmSync(place, { recursive: true, force: true });
  mkdirSync(place, { recursive: true });
  // The package unpacks into the temporary folder, and the libraries a bare machine lacks only where it believes to be in the cloud.
  Object.assign(process.env, { TMPDIR: place, AWS_EXECUTION_ENV: "AWS_Lambda_nodejs20.x" });
  const { default: packed } = await import("@sparticuz/chromium");
  await packed.executablePath();
  writeFileSync(join(place, "fonts.xml"), FONTS);
  writeFileSync(ready, "");
}

// Without the flags the package recommends: they switch off what is tested here, such as the bounds between origins.
export const launch = () => chromium.launch({
  executablePath: join(place, "chromium"),
  args: ["--disable-background-networking", "--font-render-hinting=none"],
  env: { ...process.env, FONTCONFIG_FILE: join(place, "fonts.xml"), LD_LIBRARY_PATH: join(place, "al2023", "lib") },
});

if (process.argv[1] === fileURLToPath(import.meta.url)) await unpack();
