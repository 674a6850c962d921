import { KustomizeError } from './kustomize-error.ts'
import type { PreviousId } from './object-snapshot.ts'

/** kustomize keeps them in comma-separated lists, and fails if a name contains a comma. */
export const requireReadable = (previous: readonly PreviousId[]): void => {
  const parts = (key: keyof PreviousId): number => previous.reduce((sum, id) => sum + id[key].split(',').length, 0)
  requireEqualCounts(parts('name'), parts('namespace'), parts('kind'))
}

/** Fails as kustomize does if its three lists of previous ids differ in length. */
export const requireEqualCounts = (names: number, namespaces: number, kinds: number): void => {
  if (names !== namespaces || names !== kinds)
    throw new KustomizeError(
      'number of previous names, number of previous namespaces, number of previous kinds not equal',
    )
}
