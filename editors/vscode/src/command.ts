/** What is started, and what is said where that cannot be: no editor is needed to test it. */

export interface Started {
  command: string;
  args: string[];
}

/** The server's command: the setting's, with ~ as the home folder and ${workspaceFolder} as the first folder. */
export function serverCommand(setting: string, home: string, folder: string | undefined): Started {
  let command = setting.trim() || "gluon-inspect";
  if (command === "~" || command.startsWith("~/")) {
    command = home + command.slice(1);
  }
  if (folder !== undefined) {
    command = command.replaceAll("${workspaceFolder}", folder);
  }
  return { command, args: ["lsp", "--stdio"] };
}

/** Why the server did not start, and what to do about it. */
export function startFailure(command: string, error: unknown): string {
  const told = error instanceof Error ? error.message : String(error);
  return `${command} could not be started (${told}): pip install 'gluon-inspect[lsp]', or set gluonInspect.path`;
}
