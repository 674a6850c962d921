import { createHash } from 'node:crypto'
import { repositoryAddress } from '../../foundations/kinds/repository-address.ts'
import type { Source } from './source.ts'

/** Sources of one host are visited in so many groups, so that no visit grows with the fleet. */
const groupsPerHost = 4

/** Which sources are visited together: those of a host, which share connections to it, whoever's they are. */
export const visitOfSource = ({ metadata, spec }: Source): string => {
  const { url = '' } = spec as { readonly url?: string }
  const host = repositoryAddress(url).split('/', 1)[0]!
  const digest = createHash('sha256').update(`${metadata.namespace}/${metadata.name}`).digest()
  return `${host}/${digest.readUInt32BE() % groupsPerHost}`
}
