import type { StoredRelease } from '../../clusters/helm-release/storage.ts'
import { errorMessage } from '../../foundations/rules/error-message.ts'
import { failure } from './failure.ts'
import type { Work } from './work.ts'

type Stored = Pick<Work, 'name' | 'draft' | 'pass'> & { readonly deps: Pick<Work['deps'], 'storage'> }

/** All versions of the release on its cluster, newest first. Halts if they can't be read. */
export const storedVersions = async ({ deps, name, draft, pass }: Stored): Promise<readonly StoredRelease[]> => {
  try {
    return await deps.storage.history(name)
  } catch (error) {
    pass.signal.throwIfAborted()
    const why = `failed to retrieve last release from storage: query: failed to query with labels: ${errorMessage(error)}`
    throw failure(draft, 'StateError', `Could not determine release state: ${why}`)
  }
}
