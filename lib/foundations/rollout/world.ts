/** What a decision about a run is made of: its state, and what is known of clusters, units and gates. */
import type { pauseReasons, rollbackScopes, runOrders, runPhases, stageSteps } from '../kinds/rollout-run.ts'
import type { failureActions, offlineRules, supersedeRules } from '../kinds/rollout-stages.ts'

export type RunPhase = (typeof runPhases)[number]
export type StageStep = (typeof stageSteps)[number]
export type PauseReason = (typeof pauseReasons)[number]
export type RollbackScope = (typeof rollbackScopes)[number]

/** The stored state of a run. Which unit has which revision is not in it: that is observed. Times are milliseconds since the epoch. */
export interface RunState {
  readonly phase: RunPhase
  /** Index of the stage under way. */
  readonly stage: number
  readonly step: StageStep
  /** When the step began. */
  readonly since: number
  readonly pausedFor?: PauseReason | undefined
  readonly rollback?: RollbackScope | undefined
  /** Failed clusters that a person has accepted by resuming, by stage. */
  readonly accepted?: readonly number[] | undefined
  /** Failures of before do not count: their units are tried again. */
  readonly retriedAt?: number | undefined
  /** Names of the clusters of the stage under way that are through the gates after them: a gate that opened once does not close again. */
  readonly passed?: readonly string[] | undefined
  /** The last order that was carried out. */
  readonly order?: string | undefined
}

export type OrderType = (typeof runOrders)[number]

/** What a person wants of a run. Each order has an id of its own, so that it is carried out once. */
export interface Order {
  readonly type: OrderType
  readonly id: string
}

/** A unit as it is observed. */
export interface RolloutUnit {
  /** `Kind/namespace/name`. */
  readonly key: string
  /** The revision that its pin allows: that of this run, that of before, any other; none without a pin. */
  readonly pin: 'target' | 'previous' | 'other' | 'none'
  /** The revision that it has applied, where it has no pin yet. */
  readonly runs?: 'target' | 'previous' | undefined
  /** How it is doing with the revision of its pin. */
  readonly state: 'progressing' | 'ready' | 'failed'
  /** When it got its pin. */
  readonly pinnedAt: number
  /** What the revision of this run would change is planned, or will be. */
  readonly isProposed: boolean
}

export interface RolloutCluster {
  readonly name: string
  /** It does not respond. */
  readonly offline: boolean
  readonly units: readonly RolloutUnit[]
}

export interface RolloutStage {
  readonly name: string
  /** In the order in which they start. */
  readonly clusters: readonly RolloutCluster[]
  /** Clusters that may be under way at a time, at least 1. */
  readonly maxConcurrency: number
  /** Clusters that may fail. */
  readonly maxFailures: number
  /** Its units apply the revision only as their plans were approved. */
  readonly isPlanned: boolean
  /** Whether there are gates before and after each cluster. */
  readonly eachCluster: { readonly before: boolean; readonly after: boolean }
}

/** Whether a gate is open. */
export interface GateResult {
  readonly name: string
  /** `failed`: it will not open by waiting. */
  readonly state: 'open' | 'closed' | 'failed'
  /** What it waits for. */
  readonly message: string
  /** When to check it again, if that is known. */
  readonly until?: number | undefined
  /** What an Approval must name to open it, if users can. */
  readonly digest?: string | undefined
}

export type SupersedeRule = (typeof supersedeRules)[number]
export type FailureAction = (typeof failureActions)[number]
export type OfflineRule = (typeof offlineRules)[number]

export interface RolloutWorld {
  readonly now: number
  readonly stages: readonly RolloutStage[]
  /** Units that no stage selects. */
  readonly unassigned: readonly RolloutUnit[]
  /** Gates of the step under way. */
  readonly gates: readonly GateResult[]
  /** Gates of the clusters that are at one, by the name of the cluster; see `clustersAtGates`. */
  readonly clusterGates: ReadonlyMap<string, readonly GateResult[]>
  readonly order?: Order | undefined
  /** A newer revision is there, and may be a hotfix. */
  readonly newer?: { readonly isHotfix: boolean } | undefined
  /** Whether there is a revision to go back to. */
  readonly hasPrevious: boolean
  readonly supersede: SupersedeRule
  readonly onFailure: FailureAction
  /** Skip: a cluster that does not respond holds nothing up, and catches up later. Block: its stage waits for it. */
  readonly offline: OfflineRule
  /** How long a unit may take from its pin until it is ready. */
  readonly progressDeadlineMs: number
}

/** What is observed of clusters and units, before gates are judged by it. */
export type ObservedWorld = Omit<RolloutWorld, 'gates' | 'clusterGates'>

/** A unit gets a pin. */
export interface PinChange {
  readonly key: string
  readonly to: 'target' | 'previous'
  /** Only as its plan was approved. */
  readonly isPlanned?: boolean
}

/**
 * Move: the run has another state, which must be stored before anything else is done; then decide again. Hold: the state stays, these units
 * get pins, and the run waits for something, or has ended.
 */
export type Decision =
  | { readonly type: 'move'; readonly state: RunState; readonly message: string }
  | {
      readonly type: 'hold'
      readonly pins: readonly PinChange[]
      /** Keys of units whose change must be planned. */
      readonly proposals?: readonly string[]
      /** When the run has ended, only gates of clusters that were not there. */
      readonly waitsFor: readonly string[]
      /** When to decide again, if time alone may change the decision. */
      readonly recheckAt?: number | undefined
    }
