import * as assert from "node:assert";
import { test } from "node:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { serverCommand, startFailure } from "../command";

test("the setting is what is started", () => {
  assert.deepStrictEqual(serverCommand("", "/home/me", undefined), { command: "gluon-inspect", args: ["lsp", "--stdio"] });
  assert.strictEqual(serverCommand(" ~/venv/bin/gluon-inspect ", "/home/me", undefined).command, "/home/me/venv/bin/gluon-inspect");
  assert.strictEqual(serverCommand("${workspaceFolder}/.venv/bin/g", "/h", "/w").command, "/w/.venv/bin/g");
  assert.strictEqual(serverCommand("~other/g", "/h", undefined).command, "~other/g");
});

test("what failed says what to do", () => {
  assert.strictEqual(
    startFailure("g", new Error("spawn g ENOENT")),
    "g could not be started (spawn g ENOENT): pip install 'gluon-inspect[lsp]', or set gluonInspect.path",
  );
});

test("every command of the manifest is registered, and its scripts run in trusted workspaces only", () => {
  const manifest = JSON.parse(readFileSync(join(__dirname, "..", "..", "package.json"), "utf8"));
  const code = readFileSync(join(__dirname, "..", "extension.js"), "utf8");
  for (const { command } of manifest.contributes.commands) {
    assert.ok(code.includes(`"${command}"`), command);
  }
  assert.strictEqual(manifest.capabilities.untrustedWorkspaces.supported, false);
});
