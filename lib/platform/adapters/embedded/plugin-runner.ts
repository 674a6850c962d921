import { spawn, spawnSync } from 'node:child_process'
import { accessSync, constants, readFileSync, statSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { sha256Hex } from '../../../foundations/rules/sha256.ts'

export interface PluginRunnerSettings {
  /** kustomize's plugin directory: `$XDG_CONFIG_HOME/kustomize`, by default `$HOME/.config/kustomize`. */
  readonly home?: string
  /** The required SHA-256 digests, in hex, of installed plugins by path below home; absent = any plugin may run. */
  readonly digests?: Readonly<Record<string, string>>
  /** The environment that plugins inherit, except variables that look like credentials. */
  readonly environment?: Readonly<Record<string, string | undefined>>
  /** Whether plugins may use the network. Otherwise they run in an empty one or, where that is impossible, not at all. */
  readonly network?: boolean
  /** Plugins that take longer are killed. */
  readonly timeoutMs?: number
  /** Plugins that write more are killed. */
  readonly maxOutputBytes?: number
}

interface Request {
  readonly program: { readonly installed: string } | { readonly local: string }
  readonly args: readonly string[]
  readonly stdin: string
  readonly files: ReadonlyMap<string, Uint8Array>
  readonly environment: Readonly<Record<string, string>>
}

interface Outcome {
  readonly exitCode: number
  readonly stdout: string
  readonly stderr: string
  readonly problem?: string
}

const CREDENTIAL = /^AWS_|^AMAZON_|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIAL|_KEY$|KUBECONFIG|^SSH_/i

/**
 * Runs kustomize plugins as processes. Each works in a new copy of its kustomization's directory, which is deleted afterwards: it can change
 * nothing, and can't reach anything outside that directory by a relative path.
 */
export const pluginRunner = ({
  environment = process.env,
  home = kustomizeHome(environment),
  digests,
  network = false,
  timeoutMs = 60_000,
  maxOutputBytes = 64 << 20,
}: PluginRunnerSettings = {}): {
  locate(path: string): { program: string; executable: boolean; problem?: string } | undefined
  run(request: Request): Promise<Outcome>
} => ({
  locate(path) {
    const program = join(home, path)
    if (!statSync(program, { throwIfNoEntry: false })?.isFile()) return undefined
    const found = { program, executable: isExecutable(program) }
    if (!digests || digests[path] === digestOf(program)) return found
    return { ...found, problem: `plugin ${program} does not have the digest that is pinned for ${path}` }
  },

  async run(request) {
    const scratch = await mkdtemp(join(tmpdir(), 'keelson-plugin-'))
    // The directory has no siblings: not even the names of other temporary files are reachable by a relative path.
    const directory = join(scratch, 'work')
    try {
      await mkdir(directory)
      await writeFiles(directory, request)
      const program =
        'installed' in request.program ? request.program.installed : join(directory, request.program.local)
      const inherited = Object.entries(environment).filter(([name]) => !CREDENTIAL.test(name))
      const env = { ...Object.fromEntries(inherited), ...request.environment }
      const limits = { cwd: directory, env, timeoutMs, maxOutputBytes }
      if (network) return await execute(program, request.args, request.stdin, limits)
      return await withoutNetwork(program, request, limits)
    } finally {
      await rm(scratch, { recursive: true, force: true })
    }
  },
})

const digestOf = (file: string): string => sha256Hex(readFileSync(file))

const kustomizeHome = ({ XDG_CONFIG_HOME, HOME = '/' }: Readonly<Record<string, string | undefined>>): string =>
  join(XDG_CONFIG_HOME || join(HOME, '.config'), 'kustomize')

const isExecutable = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

const writeFiles = async (directory: string, { files, program }: Request): Promise<void> => {
  for (const [path, bytes] of files) {
    const target = join(directory, path)
    await mkdir(dirname(target), { recursive: true })
    await writeFile(target, bytes)
  }
  // Trees have no file modes; a program must be executable.
  if ('local' in program && files.has(program.local)) await chmod(join(directory, program.local), 0o755)
}

interface Limits {
  readonly cwd: string
  readonly env: Record<string, string | undefined>
  readonly timeoutMs: number
  readonly maxOutputBytes: number
}

/** unshare(1) runs the program in an empty network, as the same user and in the same process. */
const APART = ['--user', '--map-current-user', '--net']

const canBeApart = (): boolean => spawnSync('unshare', [...APART, 'true']).status === 0

const withoutNetwork = async (program: string, { args, stdin }: Request, limits: Limits): Promise<Outcome> => {
  if (!canBeApart())
    return {
      ...{ exitCode: -1, stdout: '', stderr: '' },
      problem:
        'plugins cannot be kept from the network on this machine (unshare is missing or not permitted): allow them to use it',
    }
  const outcome = await execute('unshare', [...APART, '--', program, ...args], stdin, limits)
  const isNotStarted = outcome.exitCode === 127 && outcome.stderr.startsWith('unshare: ')
  return isNotStarted ? { ...outcome, problem: 'it could not be started' } : outcome
}

const execute = (program: string, args: readonly string[], stdin: string, limits: Limits): Promise<Outcome> =>
  new Promise(resolve => {
    const { cwd, env, timeoutMs, maxOutputBytes } = limits
    const child = spawn(program, args, { cwd, env, detached: true })
    const output: Buffer[] = []
    const errors: Buffer[] = []
    let size = 0
    let problem: string | undefined
    const end = (why: string): void => {
      problem ??= why
      // Kills the whole group: a plugin's children keep its pipes open.
      try {
        process.kill(-child.pid!, 'SIGKILL')
      } catch {}
    }
    const timer = setTimeout(() => end(`timed out after ${timeoutMs} ms`), timeoutMs)
    const collect = (chunks: Buffer[]) => (chunk: Buffer) => {
      size += chunk.length
      if (size > maxOutputBytes) end(`wrote more than ${maxOutputBytes} bytes`)
      else chunks.push(chunk)
    }
    child.stdout.on('data', collect(output))
    child.stderr.on('data', collect(errors))
    child.stdin.on('error', () => {})
    const finish = (exitCode: number): void => {
      clearTimeout(timer)
      resolve({
        exitCode,
        stdout: Buffer.concat(output).toString(),
        stderr: Buffer.concat(errors).toString(),
        ...(problem !== undefined && { problem }),
      })
    }
    child.on('error', error => {
      problem ??= error.message
      finish(-1)
    })
    child.on('close', code => finish(code ?? -1))
    child.stdin.end(stdin)
  })
