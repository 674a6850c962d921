import { builtChanges } from '../../clusters/apply/built-changes.ts'
import { countsOf } from '../../clusters/apply/describe-planned.ts'
import { type OpenBuilds, openChanges } from '../../clusters/apply/open-changes.ts'
import type { PlannedChange } from '../../clusters/apply/planned-changes.ts'
import { type ClusterClient, ClusterError } from '../../clusters/client/client.ts'
import { maskValues, secretValues } from '../../clusters/client/mask-secret.ts'
import type { ActionDeps } from '../../clusters/helm-release/action.ts'
import { cachedHistory } from '../../clusters/helm-release/cached-history.ts'
import { changesOf } from '../../clusters/helm-release/changes.ts'
import { objectsOf } from '../../clusters/helm-release/objects.ts'
import { withOwnership } from '../../clusters/helm-release/ownership.ts'
import { plannedRelease } from '../../clusters/helm-release/planned-release.ts'
import { type Preview, preview } from '../../clusters/helm-release/preview.ts'
import { releaseStorage } from '../../clusters/helm-release/storage.ts'
import { manifestReader } from '../../engines/helm/release/manifest-text.ts'
import { valuesDigest } from '../../engines/helm/release-values.ts'
import { RenderCache } from '../../engines/helm/render-cache.ts'
import type { ValueMap } from '../../engines/template/values/value.ts'
import { RecentlyUsed } from '../../foundations/budget/recently-used.ts'
import type { Artifact } from '../../foundations/kinds/artifact.ts'
import { type HelmChart, helmChart } from '../../foundations/kinds/helm-chart.ts'
import type { HelmRelease } from '../../foundations/kinds/helm-release.ts'
import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import { isSameJson } from '../../foundations/kinds/schema/same-json.ts'
import { errorMessage } from '../../foundations/rules/error-message.ts'
import { everyNamespace, type References } from '../../hub/references/references.ts'
import { chartRefOf } from '../../hub/runners/release-chart.ts'
import type { SourceTree } from '../../sources/artifact/source-tree.ts'
import type { Chart } from '../../sources/helm/chart.ts'
import type { HelmLimits } from '../../sources/helm/helm-limits.ts'
import { judgeOpenly } from '../policies/open-findings.ts'
import { policiesOf } from '../policies/policies-of.ts'
import type { HeadPlan, SkippedHead } from '../pull-request/head-plan.ts'
import { orAbort, restrainedPlan } from '../pull-request/restrained-plan.ts'
import type { Pass } from '../runtime/reconciler.ts'
import { unitMemory } from '../runtime/unit-memory.ts'
import { unpackedArtifacts } from '../source-artifact/unpacked.ts'
import type { Restraint } from '../windows/restraint.ts'
import { buildChartAtHead, type ChartAtHead } from './chart-at-head.ts'
import { chartOf } from './chart-of-release.ts'
import { composeValues } from './compose-values.ts'
import type { Context, HelmReleasePorts } from './context.ts'
import { Draft } from './draft.ts'
import { loadChart } from './load-chart.ts'
import { fieldManager, releaseNameOf, releaseNamespaceOf, storageNamespaceOf } from './names.ts'
import { takesSecrets } from './release-changes.ts'
import { installRequest, upgradeRequest } from './requests.ts'
import { resolveSource } from './resolve-source.ts'
import type { HelmReleaseSettings } from './settings.ts'
import { digests } from './summarize.ts'
import { connect } from './target-cluster.ts'

/** A HelmRelease that a pull request may change, as far as the repository knows it. */
export interface ReleaseAtHead {
  readonly unit: HelmRelease
  readonly base: HelmRelease['spec']
  readonly head: HelmRelease['spec']
  /** GitRepositories whose heads were fetched. */
  readonly sources: readonly SourceAtHead[]
  /** ConfigMaps that the head changes. */
  readonly configMaps: OpenBuilds
}

export interface SourceAtHead {
  readonly namespace: string
  readonly name: string
  readonly base: Artifact
  readonly head: Artifact
}

export type PlanRelease = (release: ReleaseAtHead, pass: Pass<HelmRelease>) => Promise<HeadPlan>

/**
 * Plans HelmReleases at the head of a pull request, on their clusters, as the identity that they have now. The pass must be a dry run. Nobody has
 * reviewed the templates of a head: they see no values of Secrets, and `lookup` finds nothing.
 */
export const helmReleasePlanner = (
  ports: HelmReleasePorts,
  settings: HelmReleaseSettings,
  limits: HelmLimits,
): PlanRelease => {
  const context: Context = {
    ...{ ...ports, settings },
    units: unitMemory(ports.objects),
    charts: new RecentlyUsed(maxChartBytes),
    // Its own: heads must not replace what the passes of units reuse.
    renderings: new RenderCache(),
    unchangedCharts: new RecentlyUsed(1),
    storageOf: (cluster, namespace, signal) =>
      cachedHistory(releaseStorage(cluster, namespace, ports.clock, { signal })),
  }
  const readArchive = unpackedArtifacts(ports, tree => tree)
  const readTree = async (artifact: Artifact): Promise<SourceTree> => {
    const tree = await readArchive(artifact)
    if (!tree) throw new Error(`the artifact of ${artifact.revision} is not stored any more`)
    return tree
  }
  return (release, pass) =>
    restrainedPlan(ports, release.unit, pass, (unit, pass, restraint) =>
      plan({ ...release, unit }, pass, restraint, { context, readTree, limits }),
    )
}

const maxChartBytes = 32 * 1024 * 1024

interface Parts {
  readonly context: Context
  readonly readTree: (artifact: Artifact) => Promise<SourceTree>
  readonly limits: HelmLimits
}

const plan = async (
  { unit, sources, configMaps, ...specs }: ReleaseAtHead,
  pass: Pass<HelmRelease>,
  restraint: Restraint,
  { context, readTree, limits }: Parts,
): Promise<HeadPlan> => {
  const { references, clock } = context
  const { signal } = pass
  const unfollowed = unfollowedField(specs, configMaps)
  if (unfollowed) return skipped(`the head changes ${unfollowed}: what follows is known after the merge`)
  const draft = new Draft(unit, clock.now)
  const { chart } = await loadChart(draft, await resolveSource(draft, context), context)
  const source = await gitChartOf(unit, specs.head, sources, references)
  if (!source && !isSameJson(specs.base.chart ?? null, specs.head.chart ?? null))
    return skipped('another version of its chart is only fetched after the merge')
  const built =
    source && (await buildChartAtHead({ ...source, chart }, readTree, limits).catch(orAbort(signal, failed)))
  if (built?.type === 'failed') return built
  if (built?.type === 'unfetched')
    return skipped(`its dependency at ${built.dependency} is only fetched after the merge`)
  const isNew = built?.type === 'built'
  const base = await sideOf(unit, specs.base, chart, configMaps.base, references)
  const head = await sideOf(unit, specs.head, isNew ? built.chart : chart, configMaps.head, references)
  if (!isNew && isSameSide(base, head)) return built?.hasChanges ? skipped(sameVersion) : { type: 'untouched' }
  if (replacesChart(unit, head)) return skipped('another chart replaces its chart: the release is uninstalled first')
  const { cluster, reference } = await connect(draft, pass, context)
  const isBlind = [base, head].some(({ release }) => takesSecrets(release.spec) || release.spec.upgrade?.preserveValues)
  const isUnknown = !isSameJson(specs.base.values ?? null, unit.spec.values ?? null)
  const named = { base: placed(base, draft), head: placed(head, draft) }
  const result = await planSides(named, { cluster, signal, context, isBlind: isBlind || isUnknown })
  if ('type' in result) return result
  const { builds, changes, refused } = result
  const secrets = secretValues(builds.head)
  const disclosure = { isHidden: () => false, masked: (text: string) => maskValues(secrets, text), fieldManager }
  const written = changes.filter(({ action }) => action !== 'deleted').length
  const planned = { changes, unchanged: Math.max(0, builds.head.length - written) }
  const policies = await policiesOf(unit, restraint, references)
  const judged = { unit: head.release, planned, disclosure, restraint }
  return {
    type: 'planned',
    cluster: reference,
    counts: countsOf(planned),
    changes: openChanges(changes, builds, disclosure),
    policies: await judgeOpenly(policies, judged, builds, cluster),
    refused,
    ...((isBlind || isUnknown) && { note: 'as rendered without values that are not in the repository' }),
  }
}

const skipped = (open: string): SkippedHead => ({ type: 'skipped', open })

const sameVersion =
  'files of its chart change and its version does not: nothing is released before Chart.yaml has another version'

/** All that a build or a rendering here knows is in the repository, so its readers may see the error. */
const failed = (error: unknown): Extract<HeadPlan, { readonly type: 'failed' }> => {
  const message = errorMessage(error)
  return { type: 'failed', message, open: message }
}

type Specs = Pick<ReleaseAtHead, 'base' | 'head'>

/** A field that decides where a release is, as whom, or what it may read: a head that changes one is not followed. */
const unfollowedField = ({ base, head }: Specs, configMaps: OpenBuilds): string | undefined => {
  const fields: readonly (keyof HelmRelease['spec'])[] = [
    ...([
      'kubeConfig',
      'serviceAccountName',
      'targetNamespace',
      'storageNamespace',
      'releaseName',
      'chartRef',
    ] as const),
  ]
  const field = fields.find(name => !isSameJson(base[name] ?? null, head[name] ?? null))
  if (field) return `spec.${field}`
  if (!isSameJson(base.chart?.spec.sourceRef ?? null, head.chart?.spec.sourceRef ?? null))
    return 'spec.chart.spec.sourceRef'
  const known = new Set([...configMapsOf(base), ...configMaps.head.map(({ metadata }) => metadata.name)])
  return configMapsOf(head).every(name => known.has(name)) ? undefined : 'spec.valuesFrom'
}

const configMapsOf = ({ valuesFrom = [] }: HelmRelease['spec']): readonly string[] =>
  valuesFrom.flatMap(({ kind, name }) => (kind === 'ConfigMap' ? name : []))

/** The HelmChart of a release if its files come of a source whose head was fetched. */
const gitChartOf = async (
  unit: HelmRelease,
  head: HelmRelease['spec'],
  sources: readonly SourceAtHead[],
  references: References,
): Promise<Omit<ChartAtHead, 'chart'> | undefined> => {
  const { chartRef } = unit.spec
  const own = chartRefOf(unit)
  const place =
    own ?? (chartRef?.kind === 'HelmChart' ? { namespace: unit.metadata.namespace!, ...chartRef } : undefined)
  const now = place && (await references.anywhere<HelmChart>(unit, helmChart, place, everyNamespace))
  if (now?.spec.sourceRef.kind !== 'GitRepository') return undefined
  const source = sources.find(
    ({ namespace, name }) => namespace === now.metadata.namespace && name === now.spec.sourceRef.name,
  )
  if (!source) return undefined
  const spec = own && head.chart ? chartOf({ ...unit, spec: head }, own).spec : now.spec
  return { now, spec: { ...now.spec, ...spec }, base: source.base, head: source.head }
}

/** A release as the repository has it on one side of a pull request. */
interface Side {
  readonly release: HelmRelease
  readonly chart: Chart
  readonly values: ValueMap
}

const sideOf = async (
  unit: HelmRelease,
  spec: HelmRelease['spec'],
  chart: Chart,
  configMaps: readonly KubernetesObject[],
  references: References,
): Promise<Side> => {
  const release = { ...unit, spec }
  const valuesFrom = (spec.valuesFrom ?? []).filter(({ kind }) => kind !== 'Secret')
  const open = { ...release, spec: { ...spec, valuesFrom } }
  return { release, chart, values: await composeValues(open, withConfigMaps(references, configMaps)) }
}

/** The same references, with these ConfigMaps in the place of those on the hub. */
const withConfigMaps = (references: References, configMaps: readonly KubernetesObject[]): References => ({
  ...references,
  local: async <T extends KubernetesObject>(...[referrer, kind, name]: Parameters<References['local']>) => {
    const given = configMaps.find(
      ({ metadata }) => metadata.name === name && metadata.namespace === referrer.metadata.namespace,
    )
    return kind.kind === 'ConfigMap' && given ? (given as T) : references.local<T>(referrer, kind, name)
  },
})

const isSameSide = (one: Side, other: Side): boolean =>
  valuesDigest(one.values) === valuesDigest(other.values) && isSameJson(digests(one.release), digests(other.release))

/** Such a chart is not upgraded, but uninstalled and installed (HR-038). */
const replacesChart = ({ status }: HelmRelease, { chart, release }: Side): boolean => {
  const [current] = status?.history ?? []
  const isInPlace = release.spec.upgrade?.chartNameChangeStrategy === 'InPlaceUpdate'
  return current !== undefined && current.chartName !== chart.metadata.name && !isInPlace
}

const placed = ({ release, ...rest }: Side, { onCluster }: Draft): Side => ({
  ...rest,
  release: { ...release, metadata: onCluster.metadata },
})

interface PlannedSides {
  readonly builds: OpenBuilds
  readonly changes: readonly PlannedChange[]
  readonly refused: readonly string[]
}

/**
 * What an upgrade, or an installation, to the head would change. If it depends on what the repository does not have (`isBlind`), it is what differs between
 * two renderings that don't know that either: whatever a template did with such a value would else show in a plan.
 */
const planSides = async (
  { base, head }: { readonly base: Side; readonly head: Side },
  {
    cluster,
    signal,
    context,
    isBlind,
  }: {
    readonly cluster: ClusterClient
    readonly signal: AbortSignal
    readonly context: Context
    readonly isBlind: boolean
  },
): Promise<PlannedSides | HeadPlan> => {
  const { clock, renderings, settings, functions } = context
  const { buildLimits, helm3Defaults } = settings
  const storage = context.storageOf(cluster, storageNamespaceOf(head.release), signal)
  const deps: ActionDeps = { cluster: withoutObjects(cluster), storage, clock, signal, readManifest: manifestReader() }
  const given = { buildLimits, helm3Defaults, functions: await functions(), cache: renderings }
  const rendered = async ({ release, ...wanted }: Side) => {
    const install = installRequest(release, wanted, given)
    const made = await preview(deps, {
      install,
      upgrade: { ...upgradeRequest(release, wanted, given), preserveValues: false },
    })
    return { made, objects: await openObjects(deps, made, release) }
  }
  const after = await rendered(head).catch(orAbort(signal, unlessOfCluster))
  const before = await rendered(base).catch(orAbort(signal, unlessOfCluster))
  if ('type' in after)
    return isBlind && 'type' in before
      ? skipped('it does not render without values that are not in the repository')
      : after
  const builds = { base: 'type' in before ? [] : before.objects, head: after.objects }
  if (isBlind) return { builds, changes: builtChanges(builds), refused: [] }
  const { get, list } = cluster
  const made = { ...after.made, cluster: { ...after.made.cluster, get, list } }
  return { builds, ...plannedRelease(await changesOf({ ...deps, cluster }, made), fieldManager) }
}

/** Failures of the cluster are not for readers of the repository. */
const unlessOfCluster = (error: unknown) => {
  if (error instanceof ClusterError) throw error
  return failed(error)
}

/** The cluster for the templates of a head: what it serves, and none of its objects. */
const withoutObjects = (cluster: ClusterClient): ClusterClient => ({
  ...cluster,
  get: async () => undefined,
  list: async () => ({ items: [], resourceVersion: '' }),
})

/** The objects of a release, and what else an action writes for it. */
const openObjects = async (
  deps: ActionDeps,
  { release, request, definitions, cluster }: Preview,
  unit: HelmRelease,
): Promise<readonly KubernetesObject[]> => {
  const id = { name: releaseNameOf(unit), namespace: release.namespace ?? releaseNamespaceOf(unit) }
  const objects = await objectsOf({ ...deps, cluster }, release.manifest ?? '', id.namespace)
  const createsNamespace = 'createNamespace' in request && request.createNamespace
  const { namespace: name } = id
  const own = { apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels: { name } } }
  return [...(createsNamespace ? [own] : []), ...definitions, ...objects.map(object => withOwnership(object, id))]
}
