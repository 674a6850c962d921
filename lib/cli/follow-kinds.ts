import { setTimeout as sleep } from 'node:timers/promises'
import { ClusterError } from '../clusters/client/client.ts'
import { resourcePath } from '../clusters/client/cluster-client.ts'
import { apiVersionOf } from '../foundations/kinds/all.ts'
import type { Kind } from '../foundations/kinds/kind.ts'
import type { KubernetesObject } from '../foundations/kinds/object.ts'
import type { HubAccess } from './hub-access.ts'
import { type Listed, listKind, type Scope } from './read-fleet.ts'

/** Changes that come within this time of the first are shown together. */
const momentMs = 250
/** The delay before a hub that has not responded is tried again. */
const retryMs = 1_000

/** The objects of several kinds, once all are listed, and again whenever some have changed. Ends with the signal of the hub's access, by its reason. */
export async function* followKinds(
  hub: HubAccess,
  scope: Scope,
  kinds: readonly Kind[],
): AsyncGenerator<readonly Listed[], void> {
  const known = new Map<Kind, Listed>()
  let wake = Promise.withResolvers<void>()
  const changed = (listed: Listed): void => {
    known.set(listed.kind, listed)
    if (known.size === kinds.length) wake.resolve()
  }
  const following = Promise.all(kinds.map(kind => followKind(hub, scope, kind, changed)))
  for (;;) {
    await Promise.race([wake.promise, following])
    wake = Promise.withResolvers()
    yield kinds.flatMap(kind => known.get(kind) ?? [])
    await sleep(momentMs, undefined, { signal: hub.signal })
  }
}

/** Lists a kind and watches it: from where a watch has ended, or from a new list when that is too old. Ends only for kinds that are refused. */
const followKind = async (
  hub: HubAccess,
  scope: Scope,
  kind: Kind,
  changed: (listed: Listed) => void,
): Promise<void> => {
  for (;;) {
    try {
      const listed = await listKind(hub, scope, kind)
      changed(listed)
      if (listed.refused !== undefined) return await forever(hub.signal)
      await followFrom(hub, scope, listed, changed)
    } catch (error) {
      hub.signal.throwIfAborted()
      if (!isPassing(error)) throw error
      await sleep(retryMs, undefined, { signal: hub.signal })
    }
  }
}

const forever = (signal: AbortSignal): Promise<void> =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }))

/** Whether a new list may help. */
const isPassing = (error: unknown): boolean =>
  error instanceof ClusterError && (['unreachable', 'throttled', 'server'].includes(error.code) || error.status === 410)

const followFrom = async (
  hub: HubAccess,
  { allNamespaces, namespace }: Scope,
  { kind, items, resourceVersion = '' }: Listed,
  changed: (listed: Listed) => void,
): Promise<void> => {
  const [apiVersion, keyOf] = [
    apiVersionOf(kind),
    ({ metadata }: KubernetesObject) => `${metadata.namespace}/${metadata.name}`,
  ]
  const resource = await hub.cluster.resourceFor(apiVersion, kind.kind, { signal: hub.signal })
  const path = resourcePath(resource, allNamespaces ? '' : namespace)
  const objects = new Map(items.map(object => [keyOf(object), object]))
  let version = resourceVersion
  for (;;)
    for await (const { type, object } of hub.watches().watch(path, version, hub.signal)) {
      version = object.metadata.resourceVersion ?? version
      if (type === 'BOOKMARK') continue
      if (type === 'DELETED') objects.delete(keyOf(object))
      else objects.set(keyOf(object), object)
      changed({ kind, items: [...objects.values()], resourceVersion: version })
    }
}
