import { execFile } from 'node:child_process'
import { mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'

interface Repository {
  readonly url: string
  readonly ref?: string
  readonly submodules: boolean
  readonly timeoutSeconds: number
}

/**
 * Checks out one commit of a repository, as kustomize does, with this machine's git program and its user's keys and credentials; `submodules` adds
 * those. Returns the directory, a new one below `scratch`. Fails with kustomize's messages.
 */
export const checkOutWithGit = async (
  { url, ref = 'HEAD', submodules, timeoutSeconds }: Repository,
  scratch: string,
  environment: NodeJS.ProcessEnv = process.env,
): Promise<string> => {
  if (ref.startsWith('-')) throw new Error(`the ref ${JSON.stringify(ref)} of ${url} is invalid: it starts with a dash`)
  const directory = await mkdtemp(join(scratch, 'repository-'))
  const env = { GIT_TERMINAL_PROMPT: '0', ...environment }
  const git = (...args: string[]): Promise<void> => run(args, { cwd: directory, env, timeout: timeoutSeconds * 1000 })
  await git('init')
  await git('remote', 'add', 'origin', url) // submodules with relative URLs need it
  await git('fetch', '--depth=1', url, ref)
  await git('checkout', 'FETCH_HEAD')
  if (submodules) await git('submodule', 'update', '--init', '--recursive')
  return directory
}

interface Place {
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
  /** Milliseconds. */
  readonly timeout: number
}

const run = (args: readonly string[], place: Place): Promise<void> =>
  new Promise((resolve, reject) => {
    execFile('git', args, { ...place, maxBuffer: 16 << 20 }, (error, stdout, stderr) => {
      if (!error) return resolve()
      const command = `git ${args.join(' ')}`
      if (error.killed) return reject(new Error(`hit ${place.timeout / 1000}s timeout running '${command}'`))
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return reject(new Error("no 'git' program on path"))
      reject(new Error(`failed to run '${command}': ${stdout}${stderr}: exit status ${error.code}`))
    })
  })
