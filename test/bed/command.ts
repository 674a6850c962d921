import { spawn } from 'node:child_process'

export interface CommandOptions {
  /** Written to the command's stdin, which is then closed. */
  readonly input?: string | Uint8Array
  readonly cwd?: string
  /** The whole environment, not an addition: what a user has set must not change a test. */
  readonly env?: NodeJS.ProcessEnv
  readonly signal?: AbortSignal
  /** Where the command runs; on this machine's own network unless given. */
  readonly network?: Network | undefined
}

/** A network other than the machine's own: a program and its arguments become those that start it there. */
export interface Network {
  enter(file: string, args: readonly string[]): readonly [file: string, args: readonly string[]]
}

/** What starts a program in a network, or on the machine's own. */
export const inNetwork = (network: Network | undefined, file: string, args: readonly string[]) =>
  network?.enter(file, args) ?? ([file, args] as const)

/** A command that ended with another exit code than 0. The message holds what it printed on stderr. */
export class CommandFailed extends Error {
  readonly exitCode: number | null
  readonly stdout: string
  readonly stderr: string
  constructor(command: string, exitCode: number | null, stdout: string, stderr: string) {
    super(`${command} ended with ${exitCode ?? 'a signal'}: ${stderr.trim() || stdout.trim()}`)
    this.name = 'CommandFailed'
    this.exitCode = exitCode
    this.stdout = stdout
    this.stderr = stderr
  }
}

/** How a command ended; the exit code is null when a signal ended it. */
export interface Ending {
  readonly exitCode: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Runs a program to its end and returns what it printed on stdout; fails with CommandFailed. */
export async function command(file: string, args: readonly string[], options?: CommandOptions): Promise<string> {
  const { exitCode, stdout, stderr } = await ending(file, args, options)
  if (exitCode !== 0) throw new CommandFailed([file, ...args].join(' '), exitCode, stdout, stderr)
  return stdout
}

/** Runs a program; resolves to its output and exit code, also if it fails. */
export async function ending(file: string, args: readonly string[], options: CommandOptions = {}): Promise<Ending> {
  const { input = '', network, ...spawning } = options
  const child = spawn(...inNetwork(network, file, args), { ...spawning, stdio: 'pipe' })
  child.stdin.on('error', () => {}) // it may end without reading its input; its exit code tells
  child.stdin.end(input)
  const ended = new Promise<number | null>((resolve, reject) => child.once('error', reject).once('close', resolve))
  const [stdout, stderr, exitCode] = await Promise.all([text(child.stdout), text(child.stderr), ended])
  return { exitCode, stdout, stderr }
}

async function text(stream: NodeJS.ReadableStream): Promise<string> {
  let all = ''
  for await (const chunk of stream.setEncoding('utf8')) all += chunk
  return all
}
