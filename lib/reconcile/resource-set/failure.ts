import type { ResourceSet } from '../../foundations/kinds/resource-set.ts'
import { failure as failureOf, stall as stallOf } from '../applied-objects/failure.ts'

/** Ends a pass that can't continue for now. */
export const failure = failureOf<ResourceSet>

/** Ends a pass that can't continue until the spec, or an object it refers to, changes. */
export const stall = stallOf<ResourceSet>
