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
  /** Called when background work fails; the next sweep retries it. */
  readonly onError: (error: unknown) => void
}

/** RBAC for one hub, including the controllers for its roles. */
export interface AccessControl {
  readonly authorizer: Authorizer
  /** Must be called for every change that the hub stores. */
  notice(ref: ObjectRef, after: KubernetesObject | undefined): void
  /** Creates the default roles and bindings; call it at each start, before requests are served. */
  prepare(): Promise<void>
  /** Completes unfinished work of an earlier process; call it periodically. */
  sweep(): Promise<void>
  /** Resolves when all pending work is done. */
  settled(): Promise<void>
}

/** `maxAgeMs`: maximum age of the view of other processes' changes; Infinity if there are none. */
export const accessControl = (ports: AccessControlPorts, maxAgeMs: number): AccessControl => {
  const { hub, clock, onError } = ports
  const cache = policyCache({ hub, clock }, maxAgeMs)
  let aggregating: Promise<void> | undefined
  let isAgainWanted = false

  const aggregate = async () => {
    // Let the triggering write respond first.
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
