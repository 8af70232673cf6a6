// bot.ts becomes bot.js: by the compiler where it is installed (npm install -g typescript, or in this
// folder npm install typescript), which checks the types too; else Node 22.13 or newer does it alone.

import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import module from "node:module";

const local = "node_modules/typescript/bin/tsc";
const compiled = existsSync(local)
  ? spawnSync(process.execPath, [local, "--project", "."], { stdio: "inherit" })
  : spawnSync("tsc", ["--project", "."], { stdio: "inherit" });

if (!compiled.error) process.exit(compiled.status);
if (!module.stripTypeScriptTypes) {
  console.error(`Node ${process.version} needs the compiler: npm install -g typescript`);
  process.exit(1);
}
writeFileSync("bot.js", module.stripTypeScriptTypes(readFileSync("bot.ts", "utf8")));
