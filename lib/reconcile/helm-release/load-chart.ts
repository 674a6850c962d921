import { RemoteStatusError } from '../../engines/kustomize/remotes.ts'
import { isVersion } from '../../engines/semver/is-version.ts'
import { formatDuration } from '../../foundations/kinds/duration.ts'
import type { HelmRelease } from '../../foundations/kinds/helm-release.ts'
import { type Chart, loadChart as chartIn } from '../../sources/helm/chart.ts'
import { filesInArchive } from '../../sources/helm/chart-archive.ts'
import { Halt } from '../runtime/halt.ts'
import { OtherDigest, readArtifact, requireDigest } from '../source-artifact/read-artifact.ts'
import type { Context } from './context.ts'
import type { Draft } from './draft.ts'
import { orFailure, waiting } from './failure.ts'
import type { ChartSource } from './resolve-source.ts'

export interface LoadedChart {
  readonly chart: Chart
  /** Digest of the OCI artifact that contains the chart. */
  readonly ociDigest?: string
}

/** The chart of a source (HR-013 to HR-016, HR-023). */
export const loadChart = async (draft: Draft, source: ChartSource, context: Context): Promise<LoadedChart> => {
  const chart = await orFailure(draft, 'ArtifactFailed', () => chartOf(source, context), {
    describe: message => `Could not load chart: ${message}`,
    sendsEvent: true,
    rewrite: quotingPaths,
  })
  if (!chart) {
    const retry = context.settings.requeueDependencyMs
    const message = `Source not ready: artifact not found. Retrying in ${formatDuration(retry)}`
    draft.mark('Ready', 'False', 'ArtifactFailed', message)
    throw new Halt<HelmRelease>(waiting(draft, retry))
  }
  draft.clearReady('ArtifactFailed')
  return source.kind !== 'OCIRepository'
    ? { chart }
    : orFailure(draft, 'ChartMutateError', () => withDigest(chart, source, context.settings.ignoreChartDigests))
}

/** helm-controller's version of Helm quotes a path that source-controller's does not. */
const quotingPaths = (message: string): string => message.replace(/(?<=outside the base directory: )[^"\n]+$/, '"$&"')

/** Undefined if the archive is gone. Caches charts, so that many releases of one chart load it once. */
const chartOf = async (source: ChartSource, context: Context): Promise<Chart | undefined> => {
  const key = [source.kind, source.place, source.artifact.path, source.artifact.url, source.artifact.digest].join(' ')
  const known = context.charts.get(key)
  if (known) return known
  const content = await contentOf(source, context)
  if (!content) return undefined
  const files = await filesInArchive(content)
  const chart = await chartIn(files)
  const bytes = files.reduce((sum, { data }) => sum + data.length, 0)
  context.charts.set(key, chart, bytes)
  return chart
}

const contentOf = async ({ isForeign, artifact }: ChartSource, context: Context): Promise<Uint8Array | undefined> => {
  try {
    return await (isForeign ? download(artifact, context) : readArtifact(context, artifact))
  } catch (error) {
    if (!(error instanceof OtherDigest)) throw error
    throw new Error(`integrity failure: computed digest doesn't match '${artifact.digest}'`, { cause: error })
  }
}

const download = async (
  { url, digest }: ChartSource['artifact'],
  context: Context,
): Promise<Uint8Array | undefined> => {
  let content: Uint8Array
  try {
    content = await context.download(url)
  } catch (error) {
    if (error instanceof RemoteStatusError && error.status === 404) return undefined
    throw error
  }
  requireDigest(content, digest)
  return content
}

const digestLength = 12

/** A tag may move, so the digest becomes a part of the version. */
export const withDigest = (
  chart: Chart,
  { artifact }: Pick<ChartSource, 'artifact'>,
  ignoresDigests: boolean,
): LoadedChart => {
  const { version } = chart.metadata
  if (!isVersion(version)) throw new Error(`invalid chart version ${version}`)
  const { revision } = artifact
  const at = revision.indexOf('@')
  const tag = at < 0 ? undefined : revision.slice(0, at)
  if (tag !== undefined && isVersion(tag) && !areEqual(tag, version))
    throw new Error(`artifact revision ${tag} does not match chart version ${version}`)
  const ociDigest = tag !== undefined && isVersion(tag) ? revision.slice(at + 1) : revision
  const hex = ociDigest.slice(ociDigest.lastIndexOf(':') + 1).slice(0, digestLength)
  if (ignoresDigests) return { chart, ociDigest }
  const withMetadata = `${version.replace(/\+.*$/, '')}+${hex}`
  return { chart: { ...chart, metadata: { ...chart.metadata, version: withMetadata } }, ociDigest }
}

const areEqual = (a: string, b: string): boolean => a.replace(/^v|\+.*$/g, '') === b.replace(/^v|\+.*$/g, '')
