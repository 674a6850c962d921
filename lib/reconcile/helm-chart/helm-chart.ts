import type { Artifact } from '../../kinds/artifact.ts'
import { intervalOf, requestedAtOf } from '../../kinds/flux.ts'
import { type HelmChart, helmChart } from '../../kinds/helm-chart.ts'
import type { Clock } from '../../ports/clock.ts'
import { conditionOf, isConditionTrue, type NewCondition } from '../../rules/conditions.ts'
import { type ChartBuild, summaryOf } from '../../source/helm/build-chart.ts'
import { Halt, outcomeOfHalt } from '../runtime/halt.ts'
import type { Done, NewEvent, Pass, Reconciler } from '../runtime/reconciler.ts'
import {
  findStored,
  latestUrlOf,
  type StorageSettings,
  storeArtifact,
  withCurrentUrl,
} from '../source-artifact/artifact-storage.ts'
import { finalizeSource, tidyUp } from '../source-artifact/garbage.ts'
import { buildChart } from './build.ts'
import { findSource, revisionOf } from './find-source.ts'
import { storageFailed } from './halts.ts'
import type { RepositoryPorts } from './open-repository.ts'

export interface HelmChartPorts extends RepositoryPorts {
  readonly clock: Clock
}

export interface HelmChartSettings extends StorageSettings {
  /** How long to wait for a source that has no artifact yet before looking again, in milliseconds. */
  readonly requeueDependencyMs: number
}

type ChartPass = Pass<HelmChart>

/** Keeps a Helm chart as an artifact, pulled from a repository or packaged from files, as source-controller does. */
export const helmChartReconciler = (ports: HelmChartPorts, settings: HelmChartSettings): Reconciler<HelmChart> => ({
  kind: helmChart,
  stage: 'source',
  manager: 'source-controller',
  reactsTo: ['HelmRepository', 'GitRepository', 'Bucket'],
  intervalOf,
  passTimeoutOf: () => 5 * 60_000,
  reconcile: (chart, pass) => attempt(chart, pass, ports, settings).catch(outcomeOfHalt),
  finalize: (chart, pass) => finalizeSource(chart, pass, ports.artifacts),
})

const attempt = async (
  chart: HelmChart,
  pass: ChartPass,
  ports: HelmChartPorts,
  settings: HelmChartSettings,
): Promise<Done<HelmChart>> => {
  await pass.open()
  const before = await findStored(chart, pass, ports.artifacts)
  const source = await findSource(chart, pass, ports, settings.requeueDependencyMs)
  const observedSourceArtifactRevision = revisionOf(source) ?? null
  const build = await buildChart(chart, source, before, pass, ports).catch(error => {
    if (error instanceof Halt) throw withSourceRevision(error as Halt<HelmChart>, revisionOf(source))
    throw error
  })
  await noticeNewChart(chart, build, before, pass)
  const artifact = build.archive
    ? await store(chart, build, build.archive, ports, settings)
    : withCurrentUrl(before!, settings)
  tell(chart, build, artifact, before, observedSourceArtifactRevision, pass)
  if (build.archive) await tidyUp(chart, artifact, pass, ports, settings)
  const isNews = artifact.digest !== before?.digest || artifact.revision !== before.revision
  return {
    ...succeeded(build),
    status: {
      artifact,
      url: latestUrlOf(chart, 'latest.tar.gz', settings),
      observedChartName: build.name,
      observedSourceArtifactRevision,
      ...(build.archive && { observedValuesFiles: observedValuesFiles(chart, build) }),
    },
    ...(isNews && { announce: 'artifact' }),
  }
}

const observedValuesFiles = ({ spec }: HelmChart, { valuesFiles }: ChartBuild) =>
  spec.ignoreMissingValuesFiles && valuesFiles.length > 0 ? valuesFiles : null

/** Which revision of the source was looked at counts even when nothing came of it. */
const withSourceRevision = ({ outcome }: Halt<HelmChart>, revision: string | undefined): Halt<HelmChart> =>
  new Halt({
    ...outcome,
    status: { ...outcome.status, ...(revision && { observedSourceArtifactRevision: revision }) },
  })

const noticeNewChart = async (
  { status }: HelmChart,
  build: ChartBuild,
  before: Artifact | undefined,
  pass: ChartPass,
) => {
  if (build.name === status?.observedChartName && build.version === before?.revision) return
  const message = summaryOf(build)
  const ArtifactOutdated = { status: 'True', reason: 'NewChart', message } as const
  const wasRefused = conditionOf(status?.conditions, 'SourceVerified')?.status === 'False'
  await pass.progress(`building artifact: ${message}`, {
    fleeting: true,
    conditions: { ...(before && { ArtifactOutdated }), ...(wasRefused && { SourceVerified: null }) },
  })
}

const store = (
  chart: HelmChart,
  { name, version }: ChartBuild,
  archive: NonNullable<ChartBuild['archive']>,
  ports: HelmChartPorts,
  settings: HelmChartSettings,
): Promise<Artifact> =>
  storeArtifact(chart, { ...archive, file: `${name}-${version}.tgz`, revision: version }, ports, settings).catch(
    error => {
      throw storageFailed(error)
    },
  )

const reasonOf = ({ packaged }: ChartBuild): string => (packaged ? 'ChartPackageSucceeded' : 'ChartPullSucceeded')

const quiet = (reason: string, message: string): NewEvent => ({ severity: 'info', reason, message, quiet: true })

/** What people hear of: a new chart, an end of failures, or, when they asked, that nothing is new. */
const tell = (
  chart: HelmChart,
  build: ChartBuild,
  { revision, digest }: Artifact,
  before: Artifact | undefined,
  sourceRevision: string | null,
  pass: ChartPass,
): void => {
  const { metadata, status } = chart
  const { resolvedDependencies: count } = build
  if (count > 0) pass.event(quiet('ResolvedDependencies', `resolved ${count} chart dependencies`))
  const isNew = metadata.generation !== status?.observedGeneration
  const isAsked = requestedAtOf(chart) !== status?.lastHandledReconcileAt
  const isOther = (status?.observedSourceArtifactRevision ?? null) !== sourceRevision
  if (!build.archive && (isNew || isAsked || isOther)) {
    pass.event(quiet('ArtifactUpToDate', `artifact up-to-date with remote revision: '${revision}'`))
  }
  const failures = ['FetchFailed', 'BuildFailed', 'StorageOperationFailed']
  const hadFailed = failures.some(type => isConditionTrue(status?.conditions, type))
  if (digest === before?.digest && !hadFailed) return
  pass.event({
    severity: 'info',
    reason: reasonOf(build),
    message: summaryOf(build),
    metadata: { 'source.toolkit.fluxcd.io/revision': revision, 'source.toolkit.fluxcd.io/digest': digest },
  })
}

const succeeded = (build: ChartBuild): Done<HelmChart> => {
  const [reason, message] = [reasonOf(build), summaryOf(build)]
  const verified: NewCondition = {
    status: 'True',
    reason: 'Succeeded',
    message: `verified signature of version ${build.version}`,
  }
  return {
    type: 'done',
    reason,
    message,
    conditions: {
      SourceVerified: build.isVerified ? verified : null,
      ArtifactInStorage: { status: 'True', reason, message },
      ArtifactOutdated: null,
      FetchFailed: null,
      BuildFailed: null,
      StorageOperationFailed: null,
    },
  }
}
