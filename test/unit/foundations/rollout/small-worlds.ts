/** Small worlds for a run, all of whose states a test can visit. */
import { clustersAtGates } from '../../../../lib/foundations/rollout/cluster-gates.ts'
import { initialState } from '../../../../lib/foundations/rollout/decide.ts'
import type {
  ObservedWorld,
  OrderType,
  RolloutCluster,
  RolloutStage,
  RolloutUnit,
  RolloutWorld,
  RunState,
} from '../../../../lib/foundations/rollout/world.ts'

/** A small world, and how often what may happen in it. Clusters have one unit each, but for the first, which has two. */
export interface Options
  extends Pick<RolloutWorld, 'supersede' | 'onFailure' | 'offline' | 'hasPrevious'>,
    Readonly<{
      orders: number
      gateFlaps: number
      outages: number
      failures: number
      newer?: boolean
      hotfix?: boolean
      /** Plans of the units are approved. */
      planned?: boolean
      /** Each cluster has gates of its own. */
      eachCluster?: Partial<RolloutStage['eachCluster']>
      /** How often gates of clusters open or close. */
      clusterFlaps?: number
    }> {
  /** Numbers of clusters by stage. */
  readonly stages: readonly number[]
  readonly maxConcurrency: number
  readonly maxFailures: number
}

/** What the model remembers: the run, and what is true around it. */
export interface Model {
  readonly run: RunState
  readonly units: readonly (Pick<RolloutUnit, 'pin' | 'state' | 'pinnedAt' | 'isProposed'> & {
    readonly cluster: number
  })[]
  readonly offline: readonly boolean[]
  readonly isGateOpen: boolean
  /** By cluster. */
  readonly openClusters: readonly boolean[]
  readonly order?: { readonly type: OrderType; readonly id: string }
  readonly newer?: { readonly isHotfix: boolean }
  readonly now: number
  readonly left: Readonly<Record<'orders' | 'gateFlaps' | 'clusterFlaps' | 'outages' | 'failures', number>>
}

const gateless = { name: 'approval', message: 'waits for an approval' }

export const worldOf = (model: Model, options: Options): RolloutWorld => {
  const observed = observedOf(model, options)
  const gateOf = ({ name }: RolloutCluster) => ({
    ...gateless,
    state: model.openClusters[Number(name.split('-')[1])] ? ('open' as const) : ('closed' as const),
  })
  return {
    ...observed,
    gates: [{ ...gateless, state: isOpen(model, options) ? 'open' : 'closed' }],
    clusterGates: new Map(clustersAtGates(model.run, observed).map(({ cluster }) => [cluster.name, [gateOf(cluster)]])),
  }
}

const observedOf = (model: Model, options: Options): ObservedWorld => {
  const firstOf = options.stages.map((_, at) => options.stages.slice(0, at).reduce((sum, count) => sum + count, 0))
  return {
    ...options,
    now: model.now,
    progressDeadlineMs: Number.POSITIVE_INFINITY,
    unassigned: [],
    order: model.order,
    newer: model.newer,
    stages: options.stages.map((count, at) => ({
      name: `stage-${at}`,
      maxConcurrency: options.maxConcurrency,
      maxFailures: options.maxFailures,
      isPlanned: options.planned === true,
      eachCluster: { before: false, after: false, ...options.eachCluster },
      clusters: Array.from({ length: count }, (_, index) => {
        const cluster = firstOf[at]! + index
        const units = model.units.flatMap((unit, key) => (unit.cluster === cluster ? { ...unit, key: `${key}` } : []))
        return { name: `cluster-${cluster}`, offline: model.offline[cluster]!, units }
      }),
    })),
  }
}

/** Users approve a stage only if all of its units have plans. */
export const isOpen = ({ isGateOpen, run, units }: Model, options: Options): boolean =>
  isGateOpen &&
  (!options.planned ||
    run.step !== 'Before' ||
    units.every(
      ({ cluster, pin, isProposed }) => stageOf(cluster, options) !== run.stage || pin === 'target' || isProposed,
    ))

export const stageOf = (cluster: number, { stages }: Options): number => {
  let from = 0
  for (const [at, count] of stages.entries()) {
    from += count
    if (cluster < from) return at
  }
  throw new Error('no such cluster')
}

export const begin = ({ stages, hasPrevious, ...limits }: Options): Model => {
  const clusters = stages.reduce((sum, count) => sum + count, 0)
  const pin = hasPrevious ? 'previous' : 'none'
  const unit = (cluster: number) => ({ cluster, pin, state: 'ready', pinnedAt: 0, isProposed: false }) as const
  const { orders, gateFlaps, clusterFlaps = 0, outages, failures } = limits
  return {
    run: initialState(0),
    units: [unit(0), ...Array.from({ length: clusters }, (_, cluster) => unit(cluster))],
    offline: Array.from({ length: clusters }, () => false),
    isGateOpen: false,
    openClusters: Array.from({ length: clusters }, () => false),
    now: 1,
    left: { orders, gateFlaps, clusterFlaps, outages, failures },
  }
}
