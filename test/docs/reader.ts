import { execFileSync } from 'node:child_process'
import { chmodSync, copyFileSync, mkdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { freePorts } from '../bed/free-ports.ts'
import { endWithTest } from '../bed/teardown.ts'
import { disposableDir } from '../bed/temp-dir.ts'
import { kubectlProgram } from '../bed/testcluster.ts'
import { openShell, type Shell } from './shell.ts'

/** Somebody who has a fresh clone, kubectl, and a terminal that is open in the clone. */
export interface Reader extends AsyncDisposable {
  readonly shell: Shell
  /** The clone. */
  readonly clone: string
  /** Where the webhooks of the hub that is started arrive. */
  readonly edge: string
}

export interface ReaderOptions {
  /** Further programs: names to shell commands that take the arguments in their place. */
  readonly programs?: Readonly<Record<string, string>>
  /** Files in the home directory: paths to paths of what is copied there. */
  readonly files?: Readonly<Record<string, string>>
  readonly env?: Readonly<Record<string, string>>
  /** Whether what the clone needs is installed already, as in the checkout that it was made of; unless told otherwise, it is. */
  readonly installed?: boolean
}

const root = join(import.meta.dirname, '../..')

/** Ends with the running test. */
export const reader = async (options?: ReaderOptions): Promise<Reader> => endWithTest(await openReader(options))

/** One whom the caller disposes of. */
export const openReader = async (options: ReaderOptions = {}): Promise<Reader> => {
  const { programs = {}, files = {}, env = {}, installed = true } = options
  const directory = disposableDir()
  const place = directory.path
  const [clone, home, bin] = [join(place, 'keelson'), join(place, 'home'), join(place, 'bin')]
  cloneInto(clone)
  if (installed) installInto(clone)
  for (const [path, source] of Object.entries(files)) copy(source, join(home, path))
  mkdirSync(home, { recursive: true })
  const path = (process.env.PATH ?? '').split(delimiter).filter(folder => !folder.includes('node_modules'))
  const ports = await freePorts(2)
  const all = {
    kubectl: `exec ${await kubectlProgram()} "$@"`,
    npm: onPorts(ports, path),
    ...programs,
  }
  mkdirSync(bin)
  for (const [name, script] of Object.entries(all)) {
    writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`)
    chmodSync(join(bin, name), 0o755)
  }
  const git = { GIT_CONFIG_NOSYSTEM: '1', GIT_TERMINAL_PROMPT: '0' }
  const shell = openShell({
    directory: clone,
    env: { ...git, PATH: [bin, ...path].join(delimiter), HOME: home, LANG: 'C.UTF-8', ...env },
  })
  return {
    shell,
    clone,
    edge: `http://127.0.0.1:${ports[1]}`,
    async [Symbol.asyncDispose]() {
      await shell[Symbol.asyncDispose]()
      await directory[Symbol.asyncDispose]()
    },
  }
}

/** `npm start` takes these ports in place of its own: a hub of yours may run on this machine. */
const onPorts = (
  [port, edgePort]: readonly number[],
  path: readonly string[],
): string => `PATH='${path.join(delimiter)}'
case "$1 $2" in
'start ') exec npm start -- --port ${port} --edge-port ${edgePort} ;;
'start --') shift 2; exec npm start -- "$@" --port ${port} --edge-port ${edgePort} ;;
*) exec npm "$@" ;;
esac`

/** What git would check out, uncommitted changes included. */
const cloneInto = (clone: string): void => {
  const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '-z'], { cwd: root })
  for (const path of listed.toString().split('\0')) {
    if (path && !path.startsWith('test/')) copy(join(root, path), join(clone, path))
  }
}

const installInto = (clone: string): void => {
  symlinkSync(join(root, 'node_modules'), join(clone, 'node_modules'))
  utimesSync(join(clone, 'package-lock.json'), 0, 0) // older than what is installed: nothing is installed anew
}

const copy = (from: string, to: string): void => {
  mkdirSync(dirname(to), { recursive: true })
  copyFileSync(from, to)
}
