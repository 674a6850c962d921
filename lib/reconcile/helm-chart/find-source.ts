import type { Artifact } from '../../foundations/kinds/artifact.ts'
import { artifactOf, blobNameOf, sourceOf } from '../../foundations/kinds/artifact.ts'
import type { HelmChart } from '../../foundations/kinds/helm-chart.ts'
import { type HelmRepository, isRegistry } from '../../foundations/kinds/helm-repository.ts'
import type { References } from '../../hub/references/references.ts'
import type { ArtifactStore } from '../../platform/ports/artifacts.ts'
import { fetchFailed } from '../source-artifact/outcomes.ts'
import type { ReadPorts } from '../source-artifact/read-artifact.ts'
import type { Source } from '../source-artifact/source.ts'
import { sourceEmpty } from './halts.ts'

/** The source of a chart: a repository, with the artifact of its index unless it is a registry; or files. */
export type ChartSource =
  | { readonly kind: 'repository'; readonly repository: HelmRepository; readonly index?: Artifact }
  | { readonly kind: 'files'; readonly artifact: Artifact }

const group = 'source.toolkit.fluxcd.io'

/**
 * Finds the object in spec.sourceRef, in the chart's own namespace. Halts if it is missing or has no artifact. A dry run does not check that the
 * artifact is stored: it finds out when it reads it, and the source's own reconcile checks it.
 */
export const findSource = async (
  chart: HelmChart,
  {
    references,
    artifacts,
    refetch,
  }: ReadPorts & { readonly references: References; readonly artifacts: ArtifactStore },
  { retryMs, dryRun }: { readonly retryMs: number; readonly dryRun: boolean },
): Promise<ChartSource> => {
  const { kind, name } = chart.spec.sourceRef
  const source = await references.local<Source>(chart, { group, kind }, name)
  if (!source) {
    throw fetchFailed('SourceUnavailable', `failed to get source: ${kind}.${group} "${name}" not found`)
  }
  const repository = kind === 'HelmRepository' ? (source as unknown as HelmRepository) : undefined
  if (repository && isRegistry(repository)) return { kind: 'repository', repository }
  const artifact = artifactOf(source)
  const isStored = artifact !== undefined && (dryRun || (await artifacts.has(blobNameOf(artifact))))
  if (!isStored) {
    if (artifact) await refetch(sourceOf(artifact))
    throw sourceEmpty(`no artifact available for ${kind} source '${name}'`, retryMs)
  }
  return repository ? { kind: 'repository', repository, index: artifact } : { kind: 'files', artifact }
}

/** The revision of the source's artifact, if it has one. */
export const revisionOf = (source: ChartSource): string | undefined =>
  source.kind === 'files' ? source.artifact.revision : source.index?.revision
