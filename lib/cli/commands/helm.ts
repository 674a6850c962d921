import type { Command } from 'commander'
import { helmCommandWith } from '../helm/helm-command.ts'
import type { Terminal } from '../terminal.ts'

export interface HelmCommandPorts {
  readonly env: NodeJS.ProcessEnv
  readonly output: NodeJS.WritableStream
  readonly terminal: Terminal
}

/** By name. Each loads only its own code: rendering a chart must not load the code that pulls one. */
const subcommands: Readonly<Record<string, (ports: HelmCommandPorts) => Promise<Command>>> = {
  template: async ({ output }) => (await import('../helm/template.ts')).templateCommand(output),
  lint: async ({ output }) => (await import('../helm/lint.ts')).lintCommand(output),
  show: async ({ output }) => (await import('../helm/show.ts')).showCommand(output),
  package: async ({ output }) => (await import('../helm/package.ts')).packageCommand(output),
  pull: async ({ env, terminal }) => (await import('../helm/pull.ts')).pullCommand(env, terminal),
}

/** `keelson helm`, with only the subcommand that the arguments name, or all if they name none. */
export const helmCommand = async ([name = '']: readonly string[], ports: HelmCommandPorts): Promise<Command> => {
  const named = Object.hasOwn(subcommands, name) ? [subcommands[name]!] : Object.values(subcommands)
  const loaded: Command[] = []
  for (const load of named) loaded.push(await load(ports))
  return helmCommandWith(loaded)
}
