/** How the cluster of a unit differs from what the unit applied last, or, for a ResourceSet, from what it renders, at one moment. */
import type { PlanChange, PlanCounts } from '../kinds/plan.ts'

export interface Comparison {
  /** RFC 3339. */
  readonly comparedAt: string
  /** What the cluster was compared with. A ResourceSet renders again; mostly that is what it applied last. */
  readonly desired: 'AppliedLast' | 'RenderedNow'
  /** Its revision: that of the source, the release with its chart, or the digest of what a ResourceSet renders. */
  readonly revision: string
  /** By what applying it again would do. */
  readonly counts: PlanCounts
  /** As those of a Plan: `before` is on the cluster, `after` is in the build. Secrets are masked. */
  readonly changes: readonly PlanChange[]
  /** Number of changes that are not listed. */
  readonly moreChanges: number
  /** What the cluster refuses to compare, a line each. */
  readonly refused: readonly string[]
}

/** A comparison, or why there is none. */
export type Compared = Comparison | { readonly notCompared: string }

/** Whether anything differs. */
export const isDifferent = ({ counts: { unchanged: _, ...changed } }: Pick<Comparison, 'counts'>): boolean =>
  Object.values(changed).some(count => count > 0)
