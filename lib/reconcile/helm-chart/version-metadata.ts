import type { Artifact } from '../../foundations/kinds/artifact.ts'
import type { HelmChart } from '../../foundations/kinds/helm-chart.ts'
import { effectiveValuesFiles } from '../../sources/helm/build-chart.ts'

/** Build metadata for the version of a chart, by which consumers notice a change; '' for none. `source` is the artifact with its files, if it has any. */
export const versionMetadataOf = (chart: HelmChart, source?: Artifact): string =>
  [source ? revisionMetadata(chart, source) : '', generationOf(chart)].filter(part => part !== '').join('.')

/** Changes the version when the values files change, so that consumers of the artifact notice. */
const generationOf = ({ spec, metadata }: HelmChart): string =>
  effectiveValuesFiles(spec.valuesFiles ?? []).length > 0 ? String(metadata.generation ?? 0) : ''

/** The first characters of the source's hash, if every revision of it must give a new version. */
const revisionMetadata = ({ spec }: HelmChart, { revision }: Artifact): string => {
  if (spec.reconcileStrategy !== 'Revision') return ''
  return revision.slice(Math.max(revision.lastIndexOf(':'), revision.lastIndexOf('/')) + 1).slice(0, 12)
}
