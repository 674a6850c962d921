import type {
  ActionDeps,
  ActionOutcome,
  InstallRequest,
  RollbackRequest,
  TestRequest,
  UninstallRequest,
  UpgradeRequest,
} from '../../clusters/helm-release/action.ts'
import type { DriftOptions } from '../../clusters/helm-release/drift.ts'
import type { Release } from '../../engines/helm/release/release.ts'
import type { HelmRelease } from '../../foundations/kinds/helm-release.ts'
import type { PlanPorts } from '../approvals/plan-book.ts'
import type { Pass } from '../runtime/reconciler.ts'
import type { UnitMemory } from '../runtime/unit-memory.ts'
import type { Restraint } from '../windows/restraint.ts'
import type { Draft } from './draft.ts'
import type { Wanted } from './release-state.ts'
import type { Attempt } from './report.ts'
import type { ChartAndValues, RequestSettings } from './requests.ts'
import type { HelmReleaseSettings } from './settings.ts'

/** The actions on releases, implemented in `lib/clusters/helm-release`. */
export interface Actions {
  install(deps: ActionDeps, request: InstallRequest): Promise<ActionOutcome>
  upgrade(deps: ActionDeps, request: UpgradeRequest): Promise<ActionOutcome>
  rollback(deps: ActionDeps, request: RollbackRequest): Promise<ActionOutcome>
  uninstall(deps: ActionDeps, request: UninstallRequest): Promise<ActionOutcome>
  test(deps: ActionDeps, request: TestRequest): Promise<ActionOutcome>
  /** Resolves to the version that was pending, as it is stored now. */
  unlock(deps: ActionDeps, name: string): Promise<Release | undefined>
}

/** What to release, and where: known once all prerequisites are met. */
export interface Work extends ChartAndValues {
  readonly draft: Draft
  readonly pass: Pass<HelmRelease>
  readonly actions: Actions
  readonly deps: ActionDeps
  /** Name of the release. */
  readonly name: string
  readonly wanted: Wanted
  readonly attempt: Attempt
  readonly requests: RequestSettings
  readonly settings: HelmReleaseSettings
  readonly drift: DriftOptions
  /** Where plans are kept. */
  readonly plans: PlanPorts
  /** What the guard has decided. */
  readonly units: UnitMemory
  /** Who has pushed the chart, or else the author of its commit, as far as is known. */
  readonly author?: string | undefined
  /** What windows hold back, and what users must approve. */
  readonly restraint: Restraint
  /** The object that requests something newer than the unfinished action, if that ends its wait: `Kind/namespace/name` (HR-055). */
  readonly newer: string | undefined
  /** The release is suspended or deleted: an action that was begun is ended, with what follows a failure, and nothing else is released. */
  readonly onlyEndsAction?: true
  /** The contents that an undo keeps, by their digest: nothing else is released. */
  readonly undo?: string
  /** Whether the last attempt was for another chart or other values. */
  readonly isAnotherAttempt: () => boolean
  readonly now: () => number
}
