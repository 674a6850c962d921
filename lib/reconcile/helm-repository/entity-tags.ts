import { RecentlyUsed } from '../../foundations/budget/recently-used.ts'
import type { HelmRepository } from '../../foundations/kinds/helm-repository.ts'
import { sha256Digest } from '../../foundations/rules/sha256.ts'
import type { FetchedIndex } from '../../sources/helm/http-repository.ts'

/** Entity tags of the latest indexes, so that unchanged ones are not downloaded again. */
export interface EntityTags {
  /** The tag of the index with this revision; undefined if it was not the latest one fetched. */
  of(repository: HelmRepository, revision: string): string | undefined
  remember(repository: HelmRepository, fetched: FetchedIndex): void
}

const MAX_REPOSITORIES = 10_000

/** Tags in the memory of a process, of up to 10,000 repositories: after a restart each index is downloaded once. */
export const entityTags = (): EntityTags => {
  const known = new RecentlyUsed<{ readonly url: string; readonly revision: string; readonly tag: string }>(
    MAX_REPOSITORIES,
  )
  return {
    of({ metadata, spec }, revision) {
      const last = known.peek(metadata.uid ?? '')
      return last?.revision === revision && last.url === spec.url ? last.tag : undefined
    },
    remember({ metadata, spec }, { content, entityTag }) {
      known.delete(metadata.uid ?? '')
      if (entityTag === undefined || !metadata.uid) return
      const revision = sha256Digest(content)
      known.set(metadata.uid, { url: spec.url, revision, tag: entityTag })
    },
  }
}
