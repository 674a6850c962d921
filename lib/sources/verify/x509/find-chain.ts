import {
  authorityOf,
  type Certificate,
  isIssuedBy,
  isValidAt,
  keyUsageOf,
  purposes,
  purposesOf,
  usages,
} from './certificate.ts'
import { extensionIds } from './extensions.ts'

interface Search {
  /** Possible intermediates; not trusted, as the sender of the message chose them. */
  readonly intermediates: readonly Certificate[]
  readonly roots: readonly Certificate[]
  readonly at: Date
  /** Required in the extended key usage of all certificates. */
  readonly purpose: string
}

const MAX_LENGTH = 6
/** Limits the search, as each step verifies signatures. */
const MAX_STEPS = 100

/** Supported extensions, which may be critical; for name constraints see below. */
const understood: readonly string[] = [
  extensionIds.keyUsage,
  extensionIds.basicConstraints,
  extensionIds.extendedKeyUsage,
  extensionIds.subjectAltName,
]

/** A chain from a certificate to a trusted root, at a time; undefined if there is none. Fails with InvalidDer. */
export const findChain = (
  leaf: Certificate,
  { intermediates, roots, at, purpose }: Search,
): readonly Certificate[] | undefined => {
  let steps = 0
  const isAcceptable = (certificate: Certificate, below: number): boolean => {
    const serves = purposesOf(certificate)
    const hasPurpose = !serves || serves.includes(purpose) || serves.includes(purposes.any)
    const isUnderstood = [...certificate.extensions].every(([id, { critical }]) => !critical || understood.includes(id))
    return hasPurpose && isUnderstood && isValidAt(certificate, at) && (below < 0 || mayIssue(certificate, below))
  }
  const climb = (chain: readonly Certificate[]): readonly Certificate[] | undefined => {
    const last = chain.at(-1)!
    if (roots.some(({ raw }) => raw.equals(last.raw))) return chain
    if (chain.length === MAX_LENGTH) return undefined
    for (const next of [...roots, ...intermediates]) {
      if (chain.some(({ raw }) => raw.equals(next.raw)) || !next.subject.equals(last.issuer)) continue
      if (++steps > MAX_STEPS) return undefined
      if (!isAcceptable(next, chain.length - 1) || !isIssuedBy(last, next)) continue
      const found = climb([...chain, next])
      if (found) return found
    }
    return undefined
  }
  return isAcceptable(leaf, -1) ? climb([leaf]) : undefined
}

/** Name constraints are not supported: an authority that has them may not issue certificates here. */
const mayIssue = (certificate: Certificate, below: number): boolean => {
  const authority = authorityOf(certificate)
  if (!authority || certificate.extensions.has(extensionIds.nameConstraints)) return false
  const usage = keyUsageOf(certificate)
  const isLongEnough = authority.pathLength === undefined || authority.pathLength >= below
  return isLongEnough && (!usage || usage[usages.certSign] === true)
}
