import type { ResourceSet } from '../../foundations/kinds/resource-set.ts'
import { failure as failureOf, stall as stallOf } from '../applied-objects/failure.ts'
import type { Halt } from '../runtime/halt.ts'

/** Ends a pass that can't continue for now. */
export const failure = failureOf<ResourceSet>

/** Ends a pass that can't continue until the spec, or an object it refers to, changes. */
export const stall = stallOf<ResourceSet>

/** A new spec cancels the wait for the objects of the previous one. */
export const waitCanceled = (set: ResourceSet): Halt<ResourceSet> => {
  const reason = 'HealthCheckCanceled'
  const trigger = `new reconciliation triggered by ResourceSet/${set.metadata.namespace}/${set.metadata.name}`
  return failure(reason, `N${trigger.slice(1)}`, {
    afterMs: 0,
    isWait: true,
    event: { severity: 'info', reason, message: `Health checks canceled due to ${trigger}` },
  })
}
