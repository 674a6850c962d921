import type { KubernetesObject, ObjectRef } from '../../foundations/kinds/object.ts'
import { rbacGroup } from '../../foundations/kinds/policy-rule.ts'
import type { Clock } from '../../platform/ports/clock.ts'
import type { Hub, HubList } from '../store/hub.ts'
import type { Policy } from './policy.ts'
import { policy as emptyPolicy } from './policy.ts'

export interface PolicyCachePorts {
  readonly hub: Pick<Hub, 'list'>
  readonly clock: Pick<Clock, 'now'>
}

export interface PolicyCache {
  /** The current roles and bindings; changes of other processes may be missing for up to `maxAgeMs`. */
  current(): Promise<Policy>
  /** Must be called for every change that this process stores, so that it applies from the next request on. */
  notice(ref: ObjectRef, after: KubernetesObject | undefined): void
}

const kinds = ['Role', 'ClusterRole', 'RoleBinding', 'ClusterRoleBinding']
const page = 1000

/**
 * Caches the roles and bindings, so that authorizing a request reads nothing. Applies this process's changes one by one; detects other
 * processes' changes by the collections' versions, read when they are older than `maxAgeMs` (Infinity if this is the only process that
 * writes).
 */
export const policyCache = ({ hub, clock }: PolicyCachePorts, maxAgeMs: number): PolicyCache => {
  let known: { readonly policy: Policy; readonly versions: string; readonly checked: number } | undefined
  let loading: Promise<Policy> | undefined
  /** This process's changes since loading began: the list being read may lack them. */
  let sinceLoading: (() => void)[] = []
  let target: Policy | undefined

  const load = async (): Promise<Policy> => {
    const checked = clock.now()
    sinceLoading = []
    const versions = await versionsOf(hub)
    if (known?.versions === versions) {
      known = { ...known, checked }
      return known.policy
    }
    const policy = emptyPolicy()
    for (const kind of kinds) for await (const object of objectsOf(hub, kind)) policy.put(object)
    target = policy
    for (const replay of sinceLoading) replay()
    known = { policy, versions, checked }
    return policy
  }

  return {
    current: async () => {
      if (known && clock.now() - known.checked < maxAgeMs) return known.policy
      loading ??= load().finally(() => {
        loading = undefined
      })
      return loading
    },
    notice: (ref, after) => {
      if (ref.group !== rbacGroup) return
      const follow = () => (after ? target?.put(after) : target?.remove(ref))
      if (loading) sinceLoading.push(follow)
      follow()
    },
  }
}

/** Changes whenever a role or binding changes. */
const versionsOf = async (hub: Pick<Hub, 'list'>): Promise<string> => {
  const lists = await Promise.all(kinds.map(kind => hub.list({ group: rbacGroup, kind, limit: 1 })))
  return lists.map(({ resourceVersion }) => resourceVersion).join(' ')
}

async function* objectsOf(hub: Pick<Hub, 'list'>, kind: string): AsyncGenerator<KubernetesObject> {
  let next: string | undefined
  do {
    const found: HubList<KubernetesObject> = await hub.list({
      group: rbacGroup,
      kind,
      limit: page,
      ...(next && { continue: next }),
    })
    yield* found.items
    next = found.continue
  } while (next)
}
