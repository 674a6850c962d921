import type { ResourceSet } from '../../foundations/kinds/resource-set.ts'
import { failure as failureOf, stall as stallOf } from '../applied-objects/failure.ts'

/** Ends a pass that can't go on for now. */
export const failure = failureOf<ResourceSet>

/** Ends a pass that can't go on until the spec, or what it refers to, is changed. */
export const stall = stallOf<ResourceSet>
