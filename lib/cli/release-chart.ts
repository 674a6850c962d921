import { statSync } from 'node:fs'
import { type Artifact, artifactOf } from '../foundations/kinds/artifact.ts'
import type { HelmRelease } from '../foundations/kinds/helm-release.ts'
import { describeRef, type KubernetesObject, type ObjectRef } from '../foundations/kinds/object.ts'
import { withDigest } from '../reconcile/helm-release/load-chart.ts'
import { namespaceOf } from '../reconcile/helm-release/names.ts'
import { type Chart, loadChart } from '../sources/helm/chart.ts'
import { filesInArchive } from '../sources/helm/chart-archive.ts'
import { CommandFailed } from './command-failed.ts'
import { downloadArtifact } from './download-artifact.ts'
import { loadLocalChart } from './helm/local-chart.ts'
import type { HubAccess } from './hub-access.ts'
import { lookupIn } from './local-build.ts'

type Source = KubernetesObject & {
  readonly spec?: { readonly chart?: string; readonly version?: string; readonly sourceRef?: Named }
  readonly status?: { readonly artifact?: Artifact }
}

interface Named {
  readonly kind?: string
  readonly name?: string
}

/** The chart of a HelmRelease: from a local path, or the artifact of its source in the hub. */
export const chartFor = async (release: HelmRelease, path: string | undefined, hub: HubAccess): Promise<Chart> => {
  if (path !== undefined) return localChart(path)
  const ref = { group: 'source.toolkit.fluxcd.io', ...chartSourceOf(release) }
  const source = await lookupIn(hub.cluster, hub.signal).get<Source>(ref)
  // The URL of an ExternalArtifact does not belong to the hub.
  const artifact = source && (ref.kind === 'ExternalArtifact' ? source.status?.artifact : artifactOf(source))
  if (!artifact) throw new CommandFailed(`${describeRef(ref)} has no chart yet: pass it with --path`)
  if (release.spec.chart) requireRequestedChart(release, source, ref)
  const chart = await loadChart(await filesInArchive(await downloadArtifact(artifact)))
  return ref.kind === 'HelmChart' ? chart : withDigest(chart, { artifact }, false).chart
}

/**
 * The chart in a folder or archive on this machine. Throws CommandFailed if the path is missing, and InvalidChart for
 * what is no chart.
 */
export const localChart = (path: string): Promise<Chart> => {
  if (statSync(path, { throwIfNoEntry: false })) return loadLocalChart(path)
  throw new CommandFailed(`invalid chart path ${JSON.stringify(path)}: no such file or folder`)
}

/** The source whose artifact is the chart. */
export const chartSourceOf = (release: HelmRelease): Omit<ObjectRef, 'group'> => {
  const { chart, chartRef } = release.spec
  const own = namespaceOf(release)
  if (chartRef) return { kind: chartRef.kind, namespace: chartRef.namespace || own, name: chartRef.name }
  const namespace = chart?.spec.sourceRef.namespace || own
  return { kind: 'HelmChart', namespace, name: `${own}-${release.metadata.name}` }
}

/** A HelmRelease in a file may refer to another chart than the hub has fetched for its previous version. */
const requireRequestedChart = ({ spec: { chart } }: HelmRelease, { spec = {} }: Source, ref: ObjectRef): void => {
  const { chart: name, version = '*', sourceRef } = chart!.spec
  const isSame =
    spec.chart === name &&
    (spec.version ?? '*') === version &&
    spec.sourceRef?.kind === sourceRef.kind &&
    spec.sourceRef.name === sourceRef.name
  if (isSame) return
  const requested = `${name} ${version} of ${sourceRef.kind}/${sourceRef.name}`
  throw new CommandFailed(`${describeRef(ref)} does not have the chart ${requested}: pass it with --path`)
}
