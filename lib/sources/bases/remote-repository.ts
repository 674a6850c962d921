import type { FileSystem } from '../../engines/kustomize/file-system.ts'
import type { RemoteTarget } from '../../engines/kustomize/remote-target.ts'
import type { GitReference } from '../../foundations/kinds/git-repository.ts'
import { fileSystemOf } from '../artifact/file-system.ts'
import type { SourceTree } from '../artifact/source-tree.ts'
import { readCredentials } from '../git/credentials.ts'
import type { GitClient, GitSession } from '../git/git-client.ts'
import { GitError } from '../git/git-error.ts'
import { isObjectId } from '../git/git-object.ts'
import type { Target } from '../git/reference.ts'

/** Upper limit for the timeout that a base may set. */
const MAX_SECONDS = 300

/**
 * Reads a repository that a kustomization names, over http or https, with the user and password of its address if it
 * has any. Skips links and submodules, as sources do. Fails with GitError, or with an Error for other protocols.
 */
export const remoteRepository =
  (git: GitClient) =>
  async ({ url: address, ref, timeoutSeconds }: RemoteTarget): Promise<FileSystem> => {
    const url = URL.parse(address)
    if (url?.protocol !== 'https:' && url?.protocol !== 'http:')
      throw new Error(
        `remote bases are read over https or http, and ${address} is neither: use such an address, or make the repository ` +
          'a source of its own',
      )
    const signal = AbortSignal.timeout(Math.min(timeoutSeconds, MAX_SECONDS) * 1000)
    const session = git.open({ url, credentials: readCredentials(url), signal })
    try {
      const { tree } = await session.fetch(await resolve(session, ref))
      return fileSystemOf(inMemory(tree))
    } finally {
      await session.close()
    }
  }

/** Copies the files, so that they outlive the session. */
const inMemory = (tree: SourceTree): SourceTree =>
  new Map(tree.entries().map(([path, { content, executable }]) => [path, { content, executable }]))

/** Resolves a ref like `git fetch`: a commit, a full name, a tag, or a branch; HEAD by default. */
const resolve = async (session: GitSession, ref = 'HEAD'): Promise<Target> => {
  const candidates: GitReference[] =
    ref === 'HEAD' || ref.startsWith('refs/')
      ? [{ name: ref }]
      : isObjectId(ref)
        ? [{ commit: ref }]
        : [{ tag: ref }, { branch: ref }]
  const failures: unknown[] = []
  for (const reference of candidates) {
    try {
      return await session.resolve(reference)
    } catch (error) {
      if (!(error instanceof GitError) || error.code !== 'referenceNotFound') throw error
      failures.push(error)
    }
  }
  throw failures.at(-1)
}
