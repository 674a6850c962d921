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

/** A base may ask for more time, but not for ever. */
const MAX_SECONDS = 300

/**
 * Reads a repository that a kustomization names, over http or https, with the user and password of its address if there are
 * any. Links and submodules are left out, as from sources. Fails with GitError, or an Error for other protocols.
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
    const visit = git.visit({ url, credentials: readCredentials(url), signal })
    try {
      const { tree } = await visit.fetch(await resolve(visit, ref))
      return fileSystemOf(inMemory(tree))
    } finally {
      await visit.close()
    }
  }

/** Files that outlive the visit. */
const inMemory = (tree: SourceTree): SourceTree =>
  new Map(tree.entries().map(([path, { content, executable }]) => [path, { content, executable }]))

/** A ref stands for what `git fetch` takes it for: a commit, a full name, a tag, or a branch; for HEAD when there is none. */
const resolve = async (visit: GitSession, ref = 'HEAD'): Promise<Target> => {
  const candidates: GitReference[] =
    ref === 'HEAD' || ref.startsWith('refs/')
      ? [{ name: ref }]
      : isObjectId(ref)
        ? [{ commit: ref }]
        : [{ tag: ref }, { branch: ref }]
  const failures: unknown[] = []
  for (const reference of candidates) {
    try {
      return await visit.resolve(reference)
    } catch (error) {
      if (!(error instanceof GitError) || error.code !== 'referenceNotFound') throw error
      failures.push(error)
    }
  }
  throw failures.at(-1)
}
