import type { RecentlyUsed } from '../../foundations/budget/recently-used.ts'
import { type KubernetesObject, refOf } from '../../foundations/kinds/object.ts'
import type { ClusterClient } from '../client/client.ts'
import { type ReleaseStorage, readRelease, type StoredRelease } from './storage.ts'

/**
 * A read-only storage for dry runs. It knows only the newest version of each release, and caches it, without the chart's files, until its Secret is
 * written again, which shows in a list of metadata that the dry runs of many releases share. Writes fail.
 */
export const observedStorage = (
  cluster: ClusterClient,
  namespace: string,
  known: RecentlyUsed<StoredRelease>,
  { signal }: { readonly signal?: AbortSignal } = {},
): ReleaseStorage => ({
  history: async name => {
    const labelSelector = `name=${name},owner=helm`
    const query = { apiVersion: 'v1', kind: 'Secret', namespace, labelSelector, metadataOnly: true }
    const { items } = await cluster.list(query, { signal })
    const newest = items.toSorted((a, b) => versionOf(b) - versionOf(a))[0]
    if (!newest) return []
    const { uid, resourceVersion } = newest.metadata
    const key = `${cluster.server} ${uid} ${resourceVersion}`
    const before = known.get(key)
    if (before) return [before]
    const secret = await cluster.get('v1', refOf(newest), { signal })
    const stored = secret && readRelease(secret)
    if (!stored) return []
    const { chart, ...rest } = stored.release
    const metadata = chart?.metadata ?? { name: '', version: '' }
    const lean = { ...rest, chart: { ...withoutFiles, metadata } }
    const found = { ...stored, release: lean }
    known.set(key, found, JSON.stringify(lean).length)
    return [found]
  },
  create: refuse,
  update: refuse,
  remove: refuse,
})

const withoutFiles = { lock: null, templates: null, values: null, schema: null, schemamodtime: '', files: null }

const versionOf = ({ metadata }: KubernetesObject): number => Number(metadata.labels?.version ?? 0)

const refuse = async (): Promise<never> => {
  throw new Error('dry runs write nothing')
}
