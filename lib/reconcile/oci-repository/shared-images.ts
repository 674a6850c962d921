import type { OciRepository } from '../../foundations/kinds/oci-repository.ts'
import { nameOf } from '../../sources/oci/image-name.ts'
import { fetchesOfPass, type OpenFetch, type PassFetches } from '../source-artifact/shared-fetches.ts'
import type { Access } from './load-access.ts'

export type OpenImages = (object: OciRepository, access: Access) => PassFetches

/** The images that a pass may share: none if the spec names the digest, as then the registry does not confirm access. */
export const sharedImages =
  (open: OpenFetch): OpenImages =>
  ({ spec: { ref, layerSelector = {}, ignore = null } }, access) => {
    if (ref?.digest) return fetchesOfPass(open, undefined)
    const address = nameOf(access.repository)
    return fetchesOfPass(open, { kind: 'oci', address, access: comparable(access), rules: { ignore, layerSelector } })
  }

/** All that a response may depend on; undefined for anonymous access. */
const comparable = ({ repository: _, ...access }: Access): unknown => {
  const { insecure, ...others } = access
  return !insecure && Object.values(others).every(isAbsent) ? undefined : access
}

const isAbsent = (part: unknown): boolean =>
  part === undefined || (isPlain(part) && Object.values(part).every(isAbsent))

/** Excludes objects such as URLs, whose parts are not own properties. */
const isPlain = (part: unknown): part is object =>
  typeof part === 'object' && part !== null && Object.getPrototypeOf(part) === Object.prototype
