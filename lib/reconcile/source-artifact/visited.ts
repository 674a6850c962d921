import { createHash } from 'node:crypto'
import type { HelmChart } from '../../foundations/kinds/helm-chart.ts'
import { repositoryAddress } from '../../foundations/kinds/repository-address.ts'
import type { Source } from './source.ts'

/** Sources of one host, and charts of one source, are visited in so many groups, so that no visit grows with the fleet. */
const groups = 4

/** Which sources are visited together: those of a host, which share connections to it, whoever's they are. */
export const visitOfSource = (source: Source): string => {
  const { url, endpoint = '' } = source.spec as { readonly url?: string; readonly endpoint?: string }
  return oneOfGroups(repositoryAddress(url ?? endpoint).split('/', 1)[0]!, source)
}

/** Which charts are visited together: those of one source, whose index or files they share. */
export const visitOfChart = (chart: HelmChart): string => {
  const { kind, name } = chart.spec.sourceRef
  return oneOfGroups(`${chart.metadata.namespace}/${kind}/${name}`, chart)
}

const oneOfGroups = (prefix: string, { metadata }: Source): string => {
  const digest = createHash('sha256').update(`${metadata.namespace}/${metadata.name}`).digest()
  return `${prefix}/${digest.readUInt32BE() % groups}`
}
