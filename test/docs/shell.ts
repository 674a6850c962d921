import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { CommandFailed, ending } from '../bed/command.ts'
import { ifProcessEnds } from '../bed/teardown.ts'
import { disposableDir } from '../bed/temp-dir.ts'

/** A terminal: what is exported, and the folder one is in, is still so at the next commands. */
export interface Shell extends AsyncDisposable {
  /** Runs commands with bash until one fails, for 150 s at most; returns what they printed, or fails with what they said. */
  run(commands: string): Promise<string>
  /**
   * Runs commands that don't end by themselves, in a terminal of their own that begins where this one is, until another
   * call of the same name or the end; resolves when what they print matches.
   */
  keepRunning(name: string, commands: string, until: RegExp): Promise<void>
  /** What has been printed so far by what keeps running under that name, once that matches. */
  printed(name: string, until: RegExp): Promise<string>
  /** Ends what was started under that name, if anything was, and waits. */
  stop(name: string): Promise<void>
}

export interface ShellOptions {
  readonly directory: string
  readonly env: Readonly<Record<string, string | undefined>>
}

export const openShell = ({ directory, env }: ShellOptions): Shell => {
  const state = disposableDir()
  const [variables, place] = [join(state.path, 'variables'), join(state.path, 'place')]
  writeFileSync(variables, '')
  writeFileSync(place, directory)
  const background = new Map<string, Background>()
  const beginning = `. ${variables}; cd "$(cat ${place})"; set -eo pipefail\n`

  const it: Shell = {
    async run(commands) {
      const script = `${beginning}${commands}\nexport -p > ${variables}; pwd > ${place}\n`
      const { exitCode, stdout, stderr } = await ending('timeout', ['150', 'bash', '-c', script], { env })
      if (exitCode !== 0) throw new CommandFailed(commands.trim(), exitCode, stdout, stderr)
      return stdout
    },
    async keepRunning(name, commands, until) {
      await it.stop(name)
      const started = startInBackground(`. ${variables}; cd "$(cat ${place})"; ${commands}`, env)
      background.set(name, started)
      await started.printed(until)
    },
    async printed(name, until) {
      const it = background.get(name)
      if (!it) throw new Error(`nothing runs under the name ${name}`)
      return it.printed(until)
    },
    async stop(name) {
      await background.get(name)?.end()
      background.delete(name)
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([...background.values()].map(it => it.end()))
      await state[Symbol.asyncDispose]()
    },
  }
  return it
}

interface Background {
  printed(expected: RegExp): Promise<string>
  end(): Promise<void>
}

/** In a process group of its own, so that what the commands start ends with them. */
const startInBackground = (script: string, env: ShellOptions['env']): Background => {
  const child = spawn('bash', ['-c', script], { env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
  const kill = (signal: NodeJS.Signals) => endGroup(child, signal)
  const forget = ifProcessEnds(() => kill('SIGKILL'))
  const ended = once(child, 'close').finally(forget)
  let said = ''
  const listeners = new Set<() => void>()
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', chunk => {
      said += chunk
      for (const listener of listeners) listener()
    })
  return {
    async printed(expected) {
      const found = new Promise<void>(resolve => {
        const look = () => expected.test(said) && resolve()
        listeners.add(look)
        look()
      })
      const early = ended.then(() => Promise.reject(new Error(`ended before it printed ${expected}:\n${said}`)))
      early.catch(() => {})
      await Promise.race([found, early])
      return said
    },
    async end() {
      kill('SIGTERM')
      await ended
    },
  }
}

const endGroup = ({ pid, exitCode, signalCode }: ChildProcess, signal: NodeJS.Signals): void => {
  if (pid === undefined || exitCode !== null || signalCode !== null) return
  try {
    process.kill(-pid, signal)
  } catch {
    // it has just ended
  }
}
