import { spawn } from 'node:child_process'
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** The first release with Node 20, the oldest that the README allows. */
const release = 'trixie'

/** What the README asks for. Beside it there is only what these depend on, and what every Debian has. */
const packages = ['nodejs', 'npm', 'git', 'python3', 'python3-venv']

/** Where an administrator puts authorities, such as that of a company's proxy; `ca-certificates` reads it when it is installed. */
const authorities = '/usr/local/share/ca-certificates'
const authoritiesOfNode = '/etc/node-extra-authorities.pem'

/** How a command ended: its exit code, null when a signal ended it, and what it printed on both streams. */
export interface Ending {
  readonly exitCode: number | null
  readonly output: string
}

export interface DebianRoot {
  readonly path: string
  /** Runs a line of `sh` with nothing of this machine but its kernel, network and devices; prints what it prints. */
  run(line: string): Promise<Ending>
}

/** What this machine lacks for an empty root, in a sentence; undefined when it has all. */
export const whyNoRoot = async (): Promise<string | undefined> => {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'only root can make an empty root, on Linux'
  const { exitCode } = await ended('sh', ['-c', 'command -v debootstrap unshare pivot_root >/dev/null'])
  return exitCode === 0 ? undefined : 'this machine lacks debootstrap: apt-get install --yes debootstrap'
}

/** The root at this path, which is made first, in some minutes, where there is none. Fails with the program that failed. */
export const debianRoot = async (path: string): Promise<DebianRoot> => {
  if (!existsSync(path)) {
    const partial = `${path}.${process.pid}`
    mkdirSync(dirname(path), { recursive: true })
    try {
      succeeded(await ended('debootstrap', ['--variant=minbase', release, partial]), 'debootstrap')
      const install = `apt-get update -q && apt-get install --yes --no-install-recommends ${packages.join(' ')}`
      trustOurAuthorities(partial)
      succeeded(await rootAt(partial).run(install), 'apt-get')
      renameSync(partial, path)
    } finally {
      rmSync(partial, { recursive: true, force: true })
    }
  }
  return rootAt(path)
}

/** Mounts and processes have namespaces of their own: whatever the command leaves behind goes with it. */
const rootAt = (path: string): DebianRoot => ({
  path,
  run: line => {
    const mounts = 'mount --rbind /dev "$0/dev" && mount -t proc proc "$0/proc" && mount -t tmpfs tmpfs "$0/tmp"'
    // Not chroot: in one, the kernel allows no namespaces of users, which plugins are kept from the network with.
    const enter = 'cd "$0" && pivot_root . mnt && umount --lazy /mnt'
    const variables = [
      ...['HOME=/root', 'LANG=C.UTF-8', 'PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'],
      'DEBIAN_FRONTEND=noninteractive',
      ...(existsSync(join(path, authoritiesOfNode)) ? [`NODE_EXTRA_CA_CERTS=${authoritiesOfNode}`] : []),
    ]
    return ended('unshare', [
      ...['--mount', '--pid', '--fork', '--kill-child'],
      ...['sh', '-c', `mount --rbind "$0" "$0" && ${mounts} && ${enter} && exec env -i "$@"`, path],
      ...[...variables, 'sh', '-c', line],
    ])
  },
})

/** Before anything is installed: one of the packages brings `ca-certificates`, which reads them then. Node has authorities of its own. */
const trustOurAuthorities = (path: string): void => {
  const own = globSync(`${authorities}/**/*.crt`)
  if (own.length === 0) return
  cpSync(authorities, join(path, authorities), { recursive: true })
  writeFileSync(join(path, authoritiesOfNode), own.map(file => readFileSync(file, 'utf8')).join('\n'))
}

const succeeded = ({ exitCode, output }: Ending, program: string): void => {
  if (exitCode !== 0)
    throw new Error(`${program} ended with ${exitCode}: ${output.trim().split('\n').slice(-5).join('\n')}`)
}

const ended = (program: string, args: readonly string[]): Promise<Ending> =>
  new Promise(resolve => {
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text
        process.stdout.write(text)
      })
    child.once('error', error => resolve({ exitCode: null, output: error.message }))
    child.once('close', exitCode => resolve({ exitCode, output }))
  })
