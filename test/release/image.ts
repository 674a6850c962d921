import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, mkdirSync, readFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/** What docs/embedded/Dockerfile says of a running container. */
export interface ImageCommands {
  /** ENTRYPOINT and CMD. */
  readonly start: readonly string[]
  readonly healthCheck: readonly string[]
}

export const imageCommands = (dockerfile: string): ImageCommands => {
  const text = readFileSync(dockerfile, 'utf8').replaceAll('\\\n', ' ')
  const list = (pattern: RegExp): readonly string[] => {
    const [, json] = pattern.exec(text) ?? []
    if (!json) throw new Error(`${dockerfile} has no list for ${pattern}`)
    return JSON.parse(json)
  }
  return {
    start: [...list(/^ENTRYPOINT (\[.*\])$/m), ...list(/^CMD (\[.*\])$/m)],
    healthCheck: list(/^HEALTHCHECK .* CMD (\[.*\])$/m),
  }
}

/** Why this machine can't run something as a container does; false if it can. */
export const cannotConfine = (): string | false => {
  const { status } = spawnSync('unshare', ['--mount', 'setpriv', '--reuid', '1000', '--clear-groups', 'true'])
  return status === 0 ? false : 'unshare and setpriv need the rights of root here'
}

/** A process as in the image: uid 1000 without rights, a read-only root, and one folder that it may write to. */
export const startConfined = (argv: readonly string[], data: string, programs: string): ChildProcess => {
  mkdirSync(data)
  chownSync(data, 1000, 1000)
  chmodSync(data, 0o700)
  const mounts = 'mount --bind "$0" "$0" && mount -o remount,bind,ro / && cd "$0"'
  const unprivileged = 'setpriv --reuid 1000 --regid 1000 --clear-groups --no-new-privs --bounding-set -all'
  return spawn('unshare', ['--mount', 'sh', '-c', `${mounts} && exec ${unprivileged} "$@"`, data, ...argv], {
    env: { PATH: [programs, process.env.PATH].join(delimiter), NODE_ENV: 'production' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

/** Ends a process as container engines do, and returns its exit code. */
export const stopped = async (child: ChildProcess): Promise<number | null> => {
  if (child.exitCode !== null) return child.exitCode
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  const [code] = (await ended) as [number | null]
  return code
}

/** Commands with other places: a port and a folder of the test's own. */
export const placed = (argv: readonly string[], data: string, port: number): readonly string[] =>
  argv.map(word => word.replaceAll('/data', data).replaceAll('6448', `${port}`))

export const binOf = (home: string): string => join(home, 'node_modules/.bin')
