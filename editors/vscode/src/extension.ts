/** Starts the language server for Python files, and restarts it when its path is changed. */

import * as os from "node:os";
import * as vscode from "vscode";
import { LanguageClient, TransportKind } from "vscode-languageclient/node";
import { serverCommand, startFailure } from "./command";

const INSPECT = "gluon-inspect.inspect";
let client: LanguageClient | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  context.subscriptions.push(
    vscode.commands.registerCommand("gluonInspect.restart", restart),
    vscode.commands.registerCommand("gluonInspect.inspectFile", inspectFile),
    vscode.workspace.onDidChangeConfiguration(async (change) => {
      if (change.affectsConfiguration("gluonInspect.path")) {
        await restart();
      }
    }),
  );
  await start();
}

export async function deactivate(): Promise<void> {
  await client?.stop();
  client = undefined;
}

async function start(): Promise<void> {
  const path = vscode.workspace.getConfiguration("gluonInspect").get<string>("path", "");
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;
  const { command, args } = serverCommand(path, os.homedir(), folder);
  const server = { command, args, transport: TransportKind.stdio, options: folder ? { cwd: folder } : {} };
  client = new LanguageClient("gluonInspect", "gluon-inspect", server, {
    documentSelector: [{ scheme: "file", language: "python" }],
  });
  try {
    await client.start();
  } catch (error) {
    client = undefined;
    void vscode.window.showErrorMessage(startFailure(command, error));
  }
}

async function restart(): Promise<void> {
  await deactivate();
  await start();
}

/** Run the file in front, once: the server does so for nothing but this and what the project names. */
async function inspectFile(): Promise<void> {
  const document = vscode.window.activeTextEditor?.document;
  if (document === undefined || client === undefined) {
    return;
  }
  if (document.isDirty && !(await document.save())) {
    return;
  }
  await client.sendRequest("workspace/executeCommand", { command: INSPECT, arguments: [document.uri.toString()] });
}
