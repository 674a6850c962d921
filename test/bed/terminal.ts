import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import xterm from '@xterm/headless'
import { ifProcessEnds } from './teardown.ts'

/** A program that draws on a terminal, before somebody who reads the screen and types. */
export interface Terminal extends AsyncDisposable {
  /** What is on the screen now, line by line. */
  screen(): string
  type(keys: string): void
}

export interface TerminalOptions {
  readonly env: NodeJS.ProcessEnv
  readonly columns?: number
  readonly rows?: number
}

/** Why no program can be run in a terminal; undefined if one can. That of macOS and BSD takes other arguments. */
export const missingTerminal = (): string | undefined =>
  /util-linux/.test(spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout ?? '')
    ? undefined
    : 'there is no `script` of util-linux'

/** Runs a program in a terminal of its own, by the `script` of util-linux, which every Debian has. */
export const startInTerminal = (
  file: string,
  args: readonly string[],
  { env, columns = 180, rows = 50 }: TerminalOptions,
): Terminal => {
  const command = [file, ...args].map(quoted).join(' ')
  const child = spawn(
    'script',
    ['--quiet', '--return', '--command', `stty cols ${columns} rows ${rows}; exec ${command}`, '/dev/null'],
    { stdio: ['pipe', 'pipe', 'inherit'], env: { ...env, TERM: 'xterm-256color', SHELL: '/bin/sh' } },
  )
  const ended = once(child, 'exit')
  const abandon = ifProcessEnds(() => child.kill('SIGKILL'))
  child.stdin.on('error', () => {})
  const terminal = new xterm.Terminal({ cols: columns, rows, allowProposedApi: true })
  child.stdout.on('data', (chunk: Buffer) => terminal.write(chunk))
  // Programs ask a terminal where its cursor is, and wait for the response.
  terminal.onData(response => child.stdin.write(response))
  return {
    screen: () => {
      const { active } = terminal.buffer
      const lines = Array.from({ length: rows }, (_, row) =>
        active.getLine(active.viewportY + row)?.translateToString(true),
      )
      return lines.join('\n')
    },
    type: keys => void child.stdin.write(keys),
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await ended
      abandon()
      terminal.dispose()
    },
  }
}

const quoted = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`
