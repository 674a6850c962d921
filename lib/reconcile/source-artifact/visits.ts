import { createHash } from 'node:crypto'
import type { HelmChart } from '../../foundations/kinds/helm-chart.ts'
import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import { repositoryAddress } from '../../foundations/kinds/repository-address.ts'
import type { Source } from './source.ts'

/** Sources of one host, images of one registry, and other charts of one source are divided into this many groups, to bound the size of a visit. */
const groups = 4

/** The visit of a source: sources of one host, of any namespace, share connections to it. */
export const sourceVisit = (source: Source): string => {
  const { url, endpoint = '' } = source.spec as { readonly url?: string; readonly endpoint?: string }
  return oneOfGroups(repositoryAddress(url ?? endpoint).split('/', 1)[0]!, nameOf(source))
}

/** The visit of a chart: charts of one source share its index or files. Those of the releases of a namespace are a visit of their own. */
export const chartVisit = (chart: HelmChart): string => {
  const { namespace, labels } = chart.metadata
  const { kind, name } = chart.spec.sourceRef
  const source = `${namespace}/${kind}/${name}`
  const ofReleases = labels?.['helm.toolkit.fluxcd.io/namespace']
  return ofReleases === undefined ? oneOfGroups(source, nameOf(chart)) : `${source}/releases/${ofReleases}`
}

/** Divides the members of a large visit; those with the same key stay together. */
export const oneOfGroups = (prefix: string, key: string): string =>
  `${prefix}/${createHash('sha256').update(key).digest().readUInt32BE() % groups}`

const nameOf = ({ metadata }: KubernetesObject): string => `${metadata.namespace}/${metadata.name}`
