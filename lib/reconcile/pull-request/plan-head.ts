import type { HeadPlan } from '../../foundations/fleet/head-plan.ts'
import type { Artifact } from '../../foundations/kinds/artifact.ts'
import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import type { Pass } from '../runtime/reconciler.ts'

/** Plans a unit at another artifact than that of its source. Never fails, but with the abort of the pass. */
export type PlanHead<T extends KubernetesObject> = (unit: T, head: Artifact, pass: Pass<T>) => Promise<HeadPlan>
