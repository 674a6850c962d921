import type { PreviousId } from './known-object.ts'
import { KustomizeError } from './kustomize-error.ts'

/** kustomize keeps them in lists apart by commas, and breaks down over those within a name. */
export const requireReadable = (previous: readonly PreviousId[]): void => {
  const parts = (key: keyof PreviousId): number => previous.reduce((sum, id) => sum + id[key].split(',').length, 0)
  requireEqualCounts(parts('name'), parts('namespace'), parts('kind'))
}

/** Fails as kustomize does when its three lists of previous ids have come apart. */
export const requireEqualCounts = (names: number, namespaces: number, kinds: number): void => {
  if (names !== namespaces || names !== kinds)
    throw new KustomizeError(
      'number of previous names, number of previous namespaces, number of previous kinds not equal',
    )
}
