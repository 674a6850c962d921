import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { goCommand } from './go-command.ts'

export interface GoTool {
  readonly name: string
  /** The folder of its Go module: go.mod, go.sum and *.go. */
  readonly source: string
  /** The package to build, of another module that go.mod names; the module's own unless given. */
  readonly package?: string
  /** Other flags mean other cached packages: a change here compiles everything again. */
  readonly ldflags: string
  /** The message for a user who waits. */
  readonly takes: string
}

/** Where built tools are kept: outside the clone, so that they outlive it. */
export const cacheDir = (): string => process.env.KEELSON_CACHE ?? join(homedir(), '.cache', 'keelson')

/**
 * The path of the tool's binary, which is built unless the cache has it for these very sources. Processes that ask at
 * the same time build it once. Prints what it does on stderr.
 */
export async function goTool(tool: GoTool): Promise<string> {
  const dir = join(cacheDir(), tool.name, sourceHash(tool.source))
  const binary = join(dir, tool.name)
  if (existsSync(binary)) return binary
  mkdirSync(dir, { recursive: true })
  using _lock = await exclusively(join(dir, 'building'))
  if (!existsSync(binary)) await build(tool, binary)
  return binary
}

/** The path of the tool's binary if the cache has it for these very sources. */
export function builtGoTool({ name, source }: GoTool): string | undefined {
  const binary = join(cacheDir(), name, sourceHash(source), name)
  return existsSync(binary) ? binary : undefined
}

/** Of names and contents of all files of the module: equal sources, equal binary. */
export function sourceHash(source: string): string {
  const hash = createHash('sha256')
  for (const file of readdirSync(source).sort()) {
    hash.update(`${file}\0`).update(
      createHash('sha256')
        .update(readFileSync(join(source, file)))
        .digest(),
    )
  }
  return hash.digest('hex').slice(0, 16)
}

async function build(tool: GoTool, binary: string): Promise<void> {
  const say = (text: string) => process.stderr.write(`${tool.name}: ${text}\n`)
  say(`building it from Go modules, once; ${tool.takes}`)
  const start = performance.now()
  const seconds = () => `${Math.round((performance.now() - start) / 1000)} s`
  const partial = `${binary}.${process.pid}`
  // -v prints a line per compiled package: the only progress that go build offers.
  const args = [
    'build',
    '-v',
    '-trimpath',
    '-buildvcs=false',
    `-ldflags=${tool.ldflags}`,
    '-o',
    partial,
    tool.package ?? '.',
  ]
  const go = spawn(await goCommand(cacheDir()), args, {
    cwd: tool.source,
    env: { ...process.env, CGO_ENABLED: '0', GOFLAGS: '' },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const ended = new Promise<number | null>((resolve, reject) => go.once('error', reject).once('close', resolve))
  let compiled = 0
  let downloaded = 0
  let complaints: string[] = []
  const timer = setInterval(
    () => say(`${seconds()}: ${downloaded} modules fetched, ${compiled} packages compiled`),
    15_000,
  )
  const read = async () => {
    for await (const line of createInterface(go.stderr)) {
      if (line.startsWith('go: downloading ')) downloaded++
      else if (/^[\w.~/-]+$/.test(line)) compiled++
      else complaints = [...complaints, line].slice(-20)
    }
  }
  try {
    const [exitCode] = await Promise.all([ended, read()])
    if (exitCode !== 0) throw new Error(`go build of ${tool.name} failed:\n${complaints.join('\n')}`)
  } finally {
    clearInterval(timer)
  }
  renameSync(partial, binary) // whoever sees the name sees a whole binary
  say(`built in ${seconds()}: ${binary}`)
}

/** Holds a lock file with our process id in it; a lock of a process that is gone does not count. */
async function exclusively(file: string): Promise<Disposable> {
  for (;;) {
    try {
      writeFileSync(file, String(process.pid), { flag: 'wx' })
      return { [Symbol.dispose]: () => rmSync(file, { force: true }) }
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
      if (!holderLives(file)) rmSync(file, { force: true })
      else await sleep(500)
    }
  }
}

function holderLives(file: string): boolean {
  try {
    return process.kill(Number(readFileSync(file, 'utf8')), 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH' // released meanwhile, or another user's: ask again
  }
}
