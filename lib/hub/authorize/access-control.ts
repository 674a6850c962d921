import type { KubernetesObject, ObjectRef } from '../../foundations/kinds/object.ts'
import { rbacGroup } from '../../foundations/kinds/policy-rule.ts'
import type { Clock } from '../../platform/ports/clock.ts'
import type { Hub } from '../store/hub.ts'
import type { Authorizer } from './access.ts'
import { aggregateRoles } from './aggregate-roles.ts'
import { bootstrapRoles } from './bootstrap-roles.ts'
import { policyCache } from './policy-cache.ts'
import { rbacAuthorizer } from './rbac-authorizer.ts'

export interface AccessControlPorts {
  readonly hub: Pick<Hub, 'list' | 'create' | 'update' | 'patch'>
  readonly clock: Pick<Clock, 'now'>
  /** Hears of background work that failed; the next sweep tries again. */
  readonly onError: (error: unknown) => void
}

/** RBAC for one hub, with what keeps its roles in order. */
export interface AccessControl {
  readonly authorizer: Authorizer
  /** To be told of every change that the hub stored. */
  notice(ref: ObjectRef, after: KubernetesObject | undefined): void
  /** Makes the default roles and bindings; at each start, before requests are served. */
  prepare(): Promise<void>
  /** Makes good what an earlier process left undone; now and then. */
  sweep(): Promise<void>
  /** Resolves when what was noticed is done. */
  settled(): Promise<void>
}

/** `maxAgeMs`: how old the knowledge of other processes' changes may be; Infinity where there are none. */
export const accessControl = (ports: AccessControlPorts, maxAgeMs: number): AccessControl => {
  const { hub, clock, onError } = ports
  const cache = policyCache({ hub, clock }, maxAgeMs)
  let aggregating: Promise<void> | undefined
  let isAgainWanted = false

  const aggregate = async () => {
    // The write that brought this is answered first.
    await new Promise(setImmediate)
    do {
      isAgainWanted = false
      await aggregateRoles(hub, await cache.current()).catch(onError)
    } while (isAgainWanted)
    aggregating = undefined
  }
  const aggregateSoon = () => {
    isAgainWanted = true
    aggregating ??= aggregate()
  }

  return {
    authorizer: rbacAuthorizer(cache.current),
    notice: (ref, after) => {
      cache.notice(ref, after)
      if (ref.group === rbacGroup && ref.kind === 'ClusterRole') aggregateSoon()
    },
    prepare: async () => {
      await bootstrapRoles(hub)
      aggregateSoon()
      await aggregating
    },
    sweep: async () => {
      aggregateSoon()
      await aggregating
    },
    settled: async () => {
      while (aggregating) await aggregating
    },
  }
}
