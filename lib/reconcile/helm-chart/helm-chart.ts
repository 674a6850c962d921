import type { Artifact } from '../../foundations/kinds/artifact.ts'
import { intervalOf } from '../../foundations/kinds/flux.ts'
import { type HelmChart, helmChart } from '../../foundations/kinds/helm-chart.ts'
import { conditionOf } from '../../foundations/rules/conditions.ts'
import type { Clock } from '../../platform/ports/clock.ts'
import { type ChartBuild, chartBuildSummary } from '../../sources/helm/build-chart.ts'
import { Halt } from '../runtime/halt.ts'
import type { Done, Reconciler } from '../runtime/reconciler.ts'
import { latestUrl, type StorageSettings, storeArtifact, withCurrentUrl } from '../source-artifact/artifact-storage.ts'
import { artifactEvent, hadFailure, quietEvent, upToDate, wasRequested } from '../source-artifact/events.ts'
import { tryCollectGarbage } from '../source-artifact/garbage.ts'
import {
  type Conditions,
  enqueueDependents,
  noticeOutdated,
  storageFailed,
  succeeded,
} from '../source-artifact/outcomes.ts'
import { type SourceContext, sourceReconciler } from '../source-artifact/source-reconciler.ts'
import { chartVisit } from '../source-artifact/visits.ts'
import { type BuildPorts, buildChart } from './build.ts'
import { findSource, revisionOf } from './find-source.ts'
import { observedBuilds } from './observed-builds.ts'
import type { RepositoryPorts } from './open-repository.ts'

export interface HelmChartPorts extends RepositoryPorts {
  readonly clock: Clock
}

export interface HelmChartSettings extends StorageSettings {
  /** Delay before a source without an artifact is checked again, in milliseconds. */
  readonly requeueDependencyMs: number
}

/** Stores a Helm chart as an artifact, pulled from a repository or packaged from files, as source-controller does. */
export const helmChartReconciler = (given: HelmChartPorts, settings: HelmChartSettings): Reconciler<HelmChart> => {
  const ports = { ...given, observed: observedBuilds() }
  return sourceReconciler(
    {
      kind: helmChart,
      reactsTo: ['HelmRepository', 'GitRepository', 'Bucket'],
      intervalOf,
      isVisited: true,
      visitOf: chartVisit,
      passTimeoutOf: () => 5 * 60_000,
      reconcileSource: (at: ChartContext) => reconcileSource({ ...at, ports: sharedPorts(at) }),
    },
    ports,
    settings,
  )
}

type ChartContext = SourceContext<HelmChart, HelmChartPorts & BuildPorts, HelmChartSettings>

/** Charts of one source read the source once for a whole visit. */
const sharedPorts = ({ ports, pass: { dryRun } }: ChartContext): ChartContext['ports'] =>
  dryRun ? { ...ports, references: dryRun.references(ports.references) } : ports

const reconcileSource = async (at: ChartContext): Promise<Done<HelmChart>> => {
  const { object: chart, pass, before, ports, settings } = at
  const looking = { retryMs: settings.requeueDependencyMs, dryRun: pass.dryRun !== undefined }
  const source = await findSource(chart, ports, looking).catch(error => {
    throw error instanceof Halt ? withConditions(error as Halt<HelmChart>, withoutOldFailure(chart)) : error
  })
  const observedSourceArtifactRevision = revisionOf(source) ?? null
  const build = await buildChart(chart, source, before, pass, ports).catch(error => {
    if (!(error instanceof Halt)) throw error
    const halt = withSourceRevision(error as Halt<HelmChart>, revisionOf(source))
    throw withConditions(halt, chart.spec.verify ? withoutOldFailure(chart) : { SourceVerified: null })
  })
  await noticeNewChart(at, build)
  const artifact = build.archive ? await store(at, build, build.archive) : withCurrentUrl(before!, settings)
  emitEvents(at, build, artifact, observedSourceArtifactRevision)
  if (build.archive) await tryCollectGarbage(chart, artifact, pass, ports, settings)
  return {
    ...succeeded(chartBuildSummary(build), verdict(build), reasonOf(build)),
    status: {
      artifact,
      url: latestUrl(chart, 'latest.tar.gz', settings),
      observedChartName: build.name,
      observedSourceArtifactRevision,
      ...(build.archive && { observedValuesFiles: observedValuesFiles(chart, build) }),
    },
    ...enqueueDependents(artifact, before),
  }
}

const observedValuesFiles = ({ spec }: HelmChart, { valuesFiles }: ChartBuild) =>
  spec.ignoreMissingValuesFiles && valuesFiles.length > 0 ? valuesFiles : null

/** Records the source's revision even if the build failed. */
const withSourceRevision = ({ outcome }: Halt<HelmChart>, revision: string | undefined): Halt<HelmChart> =>
  new Halt({
    ...outcome,
    status: { ...outcome.status, ...(revision && { observedSourceArtifactRevision: revision }) },
  })

/** Conditions of the halt itself take precedence. */
const withConditions = ({ outcome }: Halt<HelmChart>, verdict: Conditions): Halt<HelmChart> =>
  new Halt({ ...outcome, conditions: { ...verdict, ...outcome.conditions } })

/** Removes the failed verification of an earlier pass, as each pass verifies again. */
const withoutOldFailure = ({ status }: HelmChart): Conditions =>
  conditionOf(status?.conditions, 'SourceVerified')?.status === 'False' ? { SourceVerified: null } : {}

const noticeNewChart = async ({ object: chart, before, pass }: ChartContext, build: ChartBuild): Promise<void> => {
  if (build.name === chart.status?.observedChartName && build.version === before?.revision) return
  await noticeOutdated(pass, before, {
    reason: 'NewChart',
    message: chartBuildSummary(build),
    conditions: withoutOldFailure(chart),
  })
}

const store = (
  { object: chart, ports, settings }: ChartContext,
  build: ChartBuild,
  archive: NonNullable<ChartBuild['archive']>,
): Promise<Artifact> =>
  storeArtifact(
    chart,
    { ...archive, file: `${build.name}-${build.version}.tgz`, revision: build.version },
    ports,
    settings,
  )
    .catch(storageFailed('copy Helm chart'))
    .catch(error => {
      // The chart was built and verified; only storing it failed.
      throw error instanceof Halt ? withConditions(error as Halt<HelmChart>, verdict(build)) : error
    })

const reasonOf = ({ packaged }: ChartBuild): string => (packaged ? 'ChartPackageSucceeded' : 'ChartPullSucceeded')

/** Emits events for a new chart, for the end of failures, or, if the pass was requested, for an unchanged chart. */
const emitEvents = (
  { object: chart, before, pass }: ChartContext,
  build: ChartBuild,
  artifact: Artifact,
  sourceRevision: string | null,
): void => {
  const { resolvedDependencies: count } = build
  if (count > 0) pass.event(quietEvent('ResolvedDependencies', `resolved ${count} chart dependencies`))
  const isOther = (chart.status?.observedSourceArtifactRevision ?? null) !== sourceRevision
  if (!build.archive && (wasRequested(chart) || isOther)) pass.event(upToDate(artifact.revision))
  if (artifact.digest === before?.digest && !hadFailure(chart)) return
  pass.event(artifactEvent(reasonOf(build), chartBuildSummary(build), artifact))
}

const verdict = ({ isVerified, version }: ChartBuild): Conditions => {
  const message = `verified signature of version ${version}`
  const verified = { status: 'True', reason: 'Succeeded', message } as const
  return { SourceVerified: isVerified ? verified : null, BuildFailed: null }
}
