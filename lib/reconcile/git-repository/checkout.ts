import type { GitRepository } from '../../foundations/kinds/git-repository.ts'
import { timeoutOf } from '../../foundations/kinds/source-fields.ts'
import { sha256Hex } from '../../foundations/rules/sha256.ts'
import type { GitCredentials } from '../../sources/git/credentials.ts'
import type { Checkout, GitClient, GitSession } from '../../sources/git/git-client.ts'
import { GitError } from '../../sources/git/git-error.ts'
import type { Target } from '../../sources/git/reference.ts'
import type { Pass } from '../runtime/reconciler.ts'
import { fetchFailed } from './halts.ts'

/** Resolves spec.ref. Halts if the server can't. */
export const resolveTarget = (
  session: GitSession,
  { spec }: GitRepository,
  isObserved: boolean,
  pass: Pass<GitRepository>,
): Promise<Target> => session.resolve(spec.ref ?? {}, isObserved).catch(failing(pass))

interface TargetRequest {
  readonly repository: GitRepository
  readonly url: URL
  readonly credentials: GitCredentials
  readonly isObserved: boolean
}

/**
 * Resolves spec.ref in a dry run: repositories of all namespaces with the same address, reference and credentials share one request, since each
 * would get the same response. If the server does not respond, each gets a pass of its own, which repeats the request.
 */
export const sharedTarget = (
  git: GitClient,
  { repository, url, credentials, isObserved }: TargetRequest,
  pass: Pass<GitRepository>,
): Promise<Target> => {
  const ref = repository.spec.ref ?? {}
  const key = sha256Hex(JSON.stringify([url.href, credentials, ref, isObserved]))
  const resolve = async (signal: AbortSignal): Promise<Target> => {
    const session = git.open({
      url,
      credentials,
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutOf(repository))]),
    })
    try {
      return await session.resolve(ref, isObserved)
    } finally {
      await session.close()
    }
  }
  return pass.dryRun!.once(`git ${key}`, resolve).catch(failing(pass))
}

/** Fetches the files of the target, or of the folders in spec.sparseCheckout. Halts if a folder is missing. */
export const checkoutTarget = async (
  session: GitSession,
  target: Target,
  { spec }: GitRepository,
  pass: Pass<GitRepository>,
): Promise<Checkout> => {
  // As in Flux, a folder is a path prefix: `app` includes `apps/`.
  const prefixes = spec.sparseCheckout?.map(folder => folder.replace(/^\.\//, '')) ?? []
  const wanted = { ...(prefixes.length > 0 && { prefixes }), submodules: spec.recurseSubmodules }
  const checkout = await session.fetch(target, wanted).catch(failing(pass))
  for (const folder of prefixes) requireFolder(checkout, folder)
  return checkout
}

const requireFolder = ({ tree }: Checkout, folder: string): void => {
  const path = folder.replace(/^\/+|\/+$/g, '')
  const isThere = path === '' || path === '.' || tree.keys().some(file => file === path || file.startsWith(`${path}/`))
  if (isThere) return
  const missing = `sparse checkout dir '${folder}' does not exist in repository: lstat /${path}: no such file or directory`
  throw fetchFailed('GitOperationFailed', `failed to sparse checkout directories : ${missing}`)
}

const failing = (pass: Pass<GitRepository>) => (error: unknown) => {
  pass.signal.throwIfAborted()
  if (!(error instanceof GitError)) throw error
  if (error.code === 'emptyRepository') throw fetchFailed('EmptyGitRepository', error.message, error)
  throw fetchFailed('GitOperationFailed', `failed to checkout and determine revision: ${error.message}`, error)
}
