import { join } from 'node:path'
import { fastImport, type TreeChange } from './fast-import.ts'
import { git } from './git.ts'
import { type GitOperation, type GitServer, type GitServerOptions, gitServer } from './git-server.ts'
import { endWithTest } from './teardown.ts'
import { disposableDir } from './temp-dir.ts'

/** A git repository behind a real smart-HTTP server of its own. */
export interface GitRepo extends AsyncDisposable {
  /** Where clients fetch from and push to. */
  readonly url: string
  /** The bare repository. */
  readonly dir: string
  readonly server: GitServer
  /** Commits a change of files (null deletes one) on a branch and returns the commit's hash. */
  push(changes: TreeChange, options?: PushOptions): Promise<string>
  /** The protocol commands of clients so far: `['ls-refs']` is one check of an unchanged remote. */
  operations(): GitOperation[]
  /** Runs git in the bare repository, for whatever `push` does not support. */
  git(...args: string[]): Promise<string>
}

export interface PushOptions {
  /** `main` unless given; a new branch starts from main. */
  readonly branch?: string
  /** A tag for the new commit. */
  readonly tag?: string
  /** Makes `tag` an annotated one with this message. */
  readonly annotation?: string
  readonly message?: string
}

export interface GitRepoOptions extends GitServerOptions {
  /** The hash function of object names. */
  readonly objectFormat?: 'sha1' | 'sha256'
}

/** A served repository with these files on `main`, until the test ends. */
export const gitRepo = async (files: TreeChange = {}, options?: GitRepoOptions): Promise<GitRepo> =>
  endWithTest(await startGitRepo(files, options))

/** A served repository which the caller disposes of, for use outside of tests. */
export async function startGitRepo(files: TreeChange = {}, options: GitRepoOptions = {}): Promise<GitRepo> {
  const root = disposableDir()
  const dir = join(root.path, 'repo.git')
  const { objectFormat = 'sha1' } = options
  await git(['init', '--quiet', '--bare', '--initial-branch=main', `--object-format=${objectFormat}`, dir])
  const server = await gitServer(root.path, options)
  let commits = 0
  let last: Promise<unknown> = Promise.resolve() // pushes follow each other, as on any branch

  const commit = async (changes: TreeChange, { branch = 'main', message, ...tagging }: PushOptions) => {
    const ref = `refs/heads/${branch}`
    const parent = (await tip(dir, ref)) ?? (await tip(dir, 'refs/heads/main'))
    commits++
    // Commits are a minute apart from a fixed date on: equal pushes have equal hashes, in every run.
    const seconds = Date.UTC(2026, 0, 1) / 1000 + commits * 60
    return fastImport(dir, { ref, parent, seconds, message: message ?? `Change ${commits}`, changes, ...tagging })
  }
  const it: GitRepo = {
    url: `${server.url}/repo.git`,
    dir,
    server,
    push(changes, pushing = {}) {
      const hash = last.then(() => commit(changes, pushing))
      last = hash.catch(() => {})
      return hash
    },
    operations: () => server.requests.map(request => request.operation),
    git: (...args) => git(args, { cwd: dir }),
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]()
      await last
      await root[Symbol.asyncDispose]()
    },
  }
  await it.push(files, { message: 'Initial commit' })
  return it
}

const tip = (dir: string, ref: string): Promise<string | undefined> =>
  git(['rev-parse', '--verify', '--quiet', ref], { cwd: dir }).catch(() => undefined)
