/** What a unit would do with the head of a pull request, and how much of that a reader of the repository may see. */
import type { KubernetesObject } from '../kinds/object.ts'
import type { PlanChange, PlanCounts } from '../kinds/plan.ts'
import type { TargetReference } from '../kinds/target-reference.ts'

/** How a release is planned that takes values which the repository does not have. */
export const blindNote = 'as rendered without values that are not in the repository'

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
  readonly note?: typeof blindNote
  /** What the repository alone has of a unit that applies to the hub: HelmReleases among others, which follow the change. */
  readonly onHub?: OpenBuilds
}

/** It can't be known before the merge, and nothing is wrong. `open` says why, for readers of the repository; `message` says more to those of the unit. */
export interface SkippedHead {
  readonly type: 'skipped'
  readonly open: string
  readonly message?: string
}

/** `message` is for readers of the unit, `open` for those of the repository. */
interface FailedHead {
  readonly type: 'failed'
  readonly message: string
  readonly open: string
}

/** A planned change with what a reader of the repository may see of it. */
export interface OpenChange {
  readonly action: PlanChange['action']
  readonly kind: string
  /** Namespace and name. */
  readonly name: string
  readonly origin?: string
  readonly fields: readonly OpenField[]
  /** Number of fields of the repository that are not listed. */
  readonly moreFields: number
  /** Fields differ that the repository does not have. */
  readonly hasOthers?: true
}

export interface OpenField {
  readonly path: string
  /** Absent if the field does not exist on that side. */
  readonly before?: string
  readonly after?: string
}

/** The objects of builds that know nothing but the repository: by the base, and by the head. */
export interface OpenBuilds {
  readonly base: readonly KubernetesObject[]
  readonly head: readonly KubernetesObject[]
}

/** What a policy has against the head of a pull request. */
export interface HeadFinding {
  readonly policy: string
  readonly action: 'Deny' | 'RequireApproval'
  readonly message: string
  /** Whether readers of the repository may see the message. */
  readonly isOpen: boolean
}
