import type { OpenBuilds, OpenChange } from '../../clusters/apply/open-changes.ts'
import type { Artifact } from '../../foundations/kinds/artifact.ts'
import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import type { PlanCounts } from '../../foundations/kinds/plan.ts'
import type { TargetReference } from '../../foundations/kinds/target-reference.ts'
import type { HeadFinding } from '../policies/open-findings.ts'
import type { Pass } from '../runtime/reconciler.ts'

/** What a unit would do with the head of a pull request. */
export type HeadPlan = Untouched | PlannedHead | SkippedHead | FailedHead

/** It would build the same. */
interface Untouched {
  readonly type: 'untouched'
}

export interface PlannedHead {
  readonly type: 'planned'
  /** Absent for the hub itself. */
  readonly cluster?: TargetReference | undefined
  /** For readers of the unit: of all objects. */
  readonly counts: PlanCounts
  /** For readers of the repository. */
  readonly changes: readonly OpenChange[]
  /** What the cluster refuses, for readers of the unit. */
  readonly refused: readonly string[]
  /** What policies have against it. */
  readonly policies: readonly HeadFinding[]
  /** How it was planned, if not by dry runs of what would be applied. */
  readonly note?: string
  /** What the repository alone has of a unit that applies to the hub: HelmReleases among others, which follow the change. */
  readonly onHub?: OpenBuilds
}

/** It can't be known before the merge, and nothing is wrong. `open` says why, for readers of the repository. */
export interface SkippedHead {
  readonly type: 'skipped'
  readonly open: string
}

/** `message` is for readers of the unit, `open` for those of the repository. */
interface FailedHead {
  readonly type: 'failed'
  readonly message: string
  readonly open: string
}

/** Plans a unit at another artifact than that of its source. Never fails, but with the abort of the pass. */
export type PlanHead<T extends KubernetesObject> = (unit: T, head: Artifact, pass: Pass<T>) => Promise<HeadPlan>
