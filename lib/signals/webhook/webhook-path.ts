import { hash } from 'node:crypto'
import { compareText } from '../../foundations/go/compare-text.ts'
import type { Receiver } from '../../foundations/kinds/receiver.ts'

/**
 * The path of a Receiver, by notification-controller's formula, with an extended secret part: the token of its Secret,
 * which generic-oidc lacks, and the hub's salt.
 */
export const webhookPath = ({ metadata }: Receiver, secretPart: string): string =>
  `/hook/${hash('sha256', `${secretPart}${metadata.name}${metadata.namespace}`)}`

/**
 * The owner of a path, among the Receivers whose status has it. Tenants can write status, so the path must follow from
 * the Receiver's own secret part, name and namespace. As the formula joins these without a separator, two Receivers can
 * produce the same path on purpose: the older one owns it.
 */
export const ownerOfPath = (path: string, candidates: readonly PathOwner[]): Receiver | undefined => {
  const owners = candidates
    .filter(({ receiver, secretPart }) => webhookPath(receiver, secretPart) === path)
    .map(({ receiver }) => receiver)
  return owners.sort((a, b) => compareText(ageKey(a), ageKey(b)))[0]
}

export interface PathOwner {
  readonly receiver: Receiver
  /** Token and salt. */
  readonly secretPart: string
}

const ageKey = ({ metadata }: Receiver): string => `${metadata.creationTimestamp} ${metadata.uid}`
