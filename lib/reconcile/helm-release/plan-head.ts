import { countsOf } from '../../clusters/apply/describe-planned.ts'
import { openChanges } from '../../clusters/apply/open-changes.ts'
import { cachedHistory } from '../../clusters/helm-release/cached-history.ts'
import { countUnchanged, releaseDisclosure } from '../../clusters/helm-release/planned-release.ts'
import { releaseStorage } from '../../clusters/helm-release/storage.ts'
import { RenderCache } from '../../engines/helm/render-cache.ts'
import { RecentlyUsed } from '../../foundations/budget/recently-used.ts'
import { blindNote, type HeadPlan, type OpenBuilds } from '../../foundations/fleet/head-plan.ts'
import type { ReleaseAtHead } from '../../foundations/fleet/release-at-head.ts'
import type { Artifact } from '../../foundations/kinds/artifact.ts'
import type { HelmRelease } from '../../foundations/kinds/helm-release.ts'
import { isSameJson } from '../../foundations/kinds/schema/same-json.ts'
import type { SourceTree } from '../../sources/artifact/source-tree.ts'
import type { HelmLimits } from '../../sources/helm/helm-limits.ts'
import { judgeOpenly } from '../policies/open-findings.ts'
import { policiesOf } from '../policies/policies-of.ts'
import { orAbort, restrainedPlan } from '../pull-request/restrained-plan.ts'
import type { Pass } from '../runtime/reconciler.ts'
import { unitMemory } from '../runtime/unit-memory.ts'
import { unpackedArtifacts } from '../source-artifact/unpacked.ts'
import type { Restraint } from '../windows/restraint.ts'
import { buildChartAtHead } from './chart-at-head.ts'
import type { Context, HelmReleasePorts } from './context.ts'
import { Draft } from './draft.ts'
import { loadChart } from './load-chart.ts'
import { fieldManager } from './names.ts'
import { failed, planSides, skipped } from './plan-sides.ts'
import { takesSecrets } from './release-changes.ts'
import { isSameSide, placed, replacesChart, sideOf } from './release-side.ts'
import { resolveSource } from './resolve-source.ts'
import type { HelmReleaseSettings } from './settings.ts'
import { connect } from './target-cluster.ts'

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
  { unit, chart: source, configMaps, ...specs }: ReleaseAtHead,
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
  const disclosure = releaseDisclosure(builds.head, fieldManager)
  const planned = { changes, unchanged: countUnchanged(builds.head, changes) }
  const policies = await policiesOf(unit, restraint, references)
  const judged = { unit: head.release, planned, disclosure, restraint }
  return {
    type: 'planned',
    cluster: reference,
    counts: countsOf(planned),
    changes: openChanges(changes, builds, disclosure),
    policies: await judgeOpenly(policies, judged, builds, cluster),
    refused,
    ...((isBlind || isUnknown) && { note: blindNote }),
  }
}

const sameVersion =
  'files of its chart change and its version does not: nothing is released before Chart.yaml has another version'

type Specs = Pick<ReleaseAtHead, 'base' | 'head'>

const placing: readonly (keyof HelmRelease['spec'])[] = [
  'kubeConfig',
  'serviceAccountName',
  'targetNamespace',
  'storageNamespace',
  'releaseName',
  'chartRef',
]

/** A field that decides where a release is, as whom, or what it may read: a head that changes one is not followed. */
const unfollowedField = ({ base, head }: Specs, configMaps: OpenBuilds): string | undefined => {
  const field = placing.find(name => !isSameJson(base[name] ?? null, head[name] ?? null))
  if (field) return `spec.${field}`
  if (!isSameJson(base.chart?.spec.sourceRef ?? null, head.chart?.spec.sourceRef ?? null))
    return 'spec.chart.spec.sourceRef'
  const known = new Set([...configMapsOf(base), ...configMaps.head.map(({ metadata }) => metadata.name)])
  return configMapsOf(head).every(name => known.has(name)) ? undefined : 'spec.valuesFrom'
}

const configMapsOf = ({ valuesFrom = [] }: HelmRelease['spec']): readonly string[] =>
  valuesFrom.flatMap(({ kind, name }) => (kind === 'ConfigMap' ? name : []))
