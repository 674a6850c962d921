import { type Approval, approval } from '../../foundations/kinds/approval.ts'
import { type Artifact, artifactOf } from '../../foundations/kinds/artifact.ts'
import { type Cluster, cluster as clusterKind } from '../../foundations/kinds/cluster.ts'
import { isMadeElsewhere } from '../../foundations/kinds/external-artifact.ts'
import { type HelmChart, helmChart } from '../../foundations/kinds/helm-chart.ts'
import { helmRelease } from '../../foundations/kinds/helm-release.ts'
import { kustomization } from '../../foundations/kinds/kustomization.ts'
import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import { sourceGroup } from '../../foundations/kinds/references.ts'
import { hotfixAnnotation, type Rollout, unitKindsOf } from '../../foundations/kinds/rollout.ts'
import {
  type PinnedChart,
  type PinnedInput,
  type PinnedSource,
  type RolloutRun,
  rolloutLabel,
  rolloutRun,
} from '../../foundations/kinds/rollout-run.ts'
import type { StrategySpec } from '../../foundations/kinds/rollout-stages.ts'
import { type RolloutStrategy, rolloutStrategy } from '../../foundations/kinds/rollout-strategy.ts'
import { matchesSelector } from '../../foundations/rules/match-labels.ts'
import { rolloutsIn } from '../../foundations/rules/pin.ts'
import { isRolledOut, placedSource } from '../../foundations/rules/rolled-out.ts'
import { sha256Digest } from '../../foundations/rules/sha256.ts'
import type { CrossNamespaceSettings } from '../../hub/references/access-denied.ts'
import type { References } from '../../hub/references/references.ts'
import type { Hub } from '../../hub/store/hub.ts'
import { sourcesOfRollout } from '../source-artifact/sources-of-rollout.ts'

export interface ObservePorts {
  readonly hub: Pick<Hub, 'list'>
  readonly references: Pick<References, 'anywhere' | 'local'>
  readonly settings: CrossNamespaceSettings
}

/** The newest artifacts of a Rollout's sources, and the data of its inputs, as a set; and how it is rolled out. */
export interface Newest {
  readonly sources: readonly PinnedSource[]
  readonly inputs: readonly PinnedInput[]
  readonly isHotfix: boolean
  readonly strategy: StrategySpec
}

/** Why there is no such set: the reason of Ready, and a message. */
export interface NoSet {
  readonly reason: 'SourceNotReady' | 'StrategyNotFound'
  readonly missing: string
}

type Source = KubernetesObject & { readonly status?: { readonly artifact?: Artifact } }

/** The newest artifacts of all sources; or why there is no such set, and no run can begin. Fails with AccessDenied for a source that may not be read. */
export const newestSet = async (rollout: Rollout, { references, settings }: ObservePorts): Promise<Newest | NoSet> => {
  const strategy = await strategyOf(rollout, references)
  if (!strategy) {
    const { namespace } = rollout.metadata
    const name = `${rolloutStrategy.kind}/${namespace}/${rollout.spec.strategyRef?.name}`
    return { reason: 'StrategyNotFound', missing: `${name} was not found` }
  }
  const unready = (missing: string): NoSet => ({ reason: 'SourceNotReady', missing })
  const found: PinnedSource[] = []
  let isHotfix = false
  for (const reference of rollout.spec.sources) {
    const { kind } = reference
    const { namespace, name } = placedSource(reference, rollout)
    const label = `${kind}/${namespace}/${name}`
    const place = { namespace, name }
    const source = await references.anywhere<Source>(rollout, { group: sourceGroup, kind }, place, settings)
    if (!source) return unready(`${label} was not found`)
    if (isMadeElsewhere(source))
      return unready(`the artifact of ${label} is on a server of another controller, and can't be kept`)
    const artifact = artifactOf(source)
    if (!artifact) return unready(`${label} has no artifact yet`)
    const chart = kind === helmChart.kind ? (source as HelmChart) : undefined
    if (chart && chart.status?.observedGeneration !== chart.metadata.generation)
      return unready(`the artifact of ${label} is that of an older spec`)
    found.push({ kind, namespace, name, artifact, ...(chart && { chart: pinnedChartOf(chart) }) })
    isHotfix ||=
      source.metadata.annotations?.[hotfixAnnotation] === artifact.revision ||
      artifact.metadata?.[hotfixAnnotation] === 'true'
  }
  const inputs = await newestInputs(rollout, references)
  return 'missing' in inputs ? unready(inputs.missing) : { sources: found, inputs: inputs.found, isHotfix, strategy }
}

/** That of its own spec, or of the RolloutStrategy that it names; undefined if that is not there. */
const strategyOf = async (
  rollout: Rollout,
  references: Pick<References, 'local'>,
): Promise<StrategySpec | undefined> => {
  const { strategyRef, stages } = rollout.spec
  if (!strategyRef) return stages && { ...rollout.spec, stages }
  return (await references.local<RolloutStrategy>(rollout, rolloutStrategy, strategyRef.name))?.spec
}

const pinnedChartOf = ({ spec: { chart, sourceRef, verify } }: HelmChart): PinnedChart => ({
  chart,
  sourceRef: { kind: sourceRef.kind, name: sourceRef.name },
  ...(verify && {
    verify: {
      provider: verify.provider ?? 'cosign',
      ...(verify.secretRef && { secretRef: { name: verify.secretRef.name } }),
    },
  }),
})

/** A run keeps them, and each pass of its units reads it. */
const maxInputBytes = 64 * 1024

type Holder = KubernetesObject & { readonly data?: Readonly<Record<string, string>> }

const newestInputs = async (
  rollout: Rollout,
  references: Pick<References, 'local'>,
): Promise<{ readonly found: readonly PinnedInput[] } | { readonly missing: string }> => {
  const found: PinnedInput[] = []
  for (const { kind, name } of rollout.spec.inputs ?? []) {
    const holder = await references.local<Holder>(rollout, { group: '', kind }, name)
    if (!holder) return { missing: `${kind}/${rollout.metadata.namespace}/${name} was not found` }
    const { data = {} } = holder
    const sorted = Object.fromEntries(Object.entries(data).toSorted(([a], [b]) => (a < b ? -1 : 1)))
    found.push({ kind, name, digest: sha256Digest(JSON.stringify(sorted)), data: sorted })
  }
  return JSON.stringify(found).length > maxInputBytes
    ? { missing: 'the data of its inputs is larger than 64 KiB' }
    : { found }
}

/** The runs of a Rollout by number, the latest last. */
export const runsOf = async (
  { metadata }: Rollout,
  { hub }: Pick<ObservePorts, 'hub'>,
): Promise<readonly RolloutRun[]> => {
  const { group, kind } = rolloutRun
  const labelSelector = `${rolloutLabel}=${metadata.name}`
  const { items } = await hub.list<RolloutRun>({ group, kind, namespace: metadata.namespace, labelSelector })
  return items
    .filter(({ metadata: run }) => !run.deletionTimestamp)
    .toSorted((a, b) => runNumber(a.metadata.name) - runNumber(b.metadata.name))
}

/** `web-7` is number 7. */
export const runNumber = (name: string): number => Number(/-(\d+)$/.exec(name)?.[1] ?? 0)

/** The units of a Rollout, and what they are placed by. */
export interface ObservedFleet {
  readonly units: readonly KubernetesObject[]
  readonly clusters: readonly Cluster[]
  /** Namespaces of the units, by name. */
  readonly namespaces: ReadonlyMap<string, KubernetesObject>
}

/** Lists the units in the Rollout's namespace, and in Namespaces that name it. */
export const observeFleet = async (
  rollout: Rollout,
  { hub, references }: Pick<ObservePorts, 'hub' | 'references'>,
): Promise<ObservedFleet> => {
  const own = rollout.metadata.namespace ?? ''
  const { items } = await hub.list<KubernetesObject>({ group: '', kind: 'Namespace' })
  const governed = items.filter(
    item =>
      item.metadata.name === own ||
      rolloutsIn(item).some(({ namespace, name }) => namespace === own && name === rollout.metadata.name),
  )
  const matches = matchesSelector(rollout.spec.units?.selector)
  const kinds = [kustomization, helmRelease].filter(({ kind }) => unitKindsOf(rollout).some(one => one === kind))
  const lists = await Promise.all(
    governed.flatMap(({ metadata }) =>
      kinds.map(({ group, kind }) => hub.list<KubernetesObject>({ group, kind, namespace: metadata.name })),
    ),
  )
  const clusters = await hub.list<Cluster>({ group: clusterKind.group, kind: clusterKind.kind })
  const sources = await sourcesOfRollout(rollout, references)
  return {
    units: lists.flatMap(list =>
      list.items.filter(unit => !unit.metadata.deletionTimestamp && isRolledOut(unit, rollout, sources, matches)),
    ),
    clusters: clusters.items,
    namespaces: new Map(governed.map(item => [item.metadata.name, item])),
  }
}

/** The decisions of users in the namespace of a run. */
export type RunApprovals = (run: RolloutRun) => Promise<readonly Approval[]>

/** Costs a list of the Approvals of the namespace. */
export const approvalsIn =
  ({ list }: Pick<Hub, 'list'>): RunApprovals =>
  async ({ metadata: { namespace = '' } }) => {
    const { group, kind } = approval
    return (await list<Approval>({ group, kind, namespace })).items
  }
