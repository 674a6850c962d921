import { hash } from 'node:crypto'
import { compareText } from '../../foundations/go/compare-text.ts'
import type { Receiver } from '../../foundations/kinds/receiver.ts'

/**
 * The path that a Receiver listens at, by notification-controller's formula, with more in its secret part: the token of its Secret,
 * which generic-oidc has none of, and the salt that the hub has made for it.
 */
export const webhookPathOf = ({ metadata }: Receiver, secretPart: string): string =>
  `/hook/${hash('sha256', `${secretPart}${metadata.name}${metadata.namespace}`)}`

/**
 * Which Receiver a path belongs to, of those whose status claims it. Status is no proof, as tenants can write it: the path
 * has to follow from the Receiver's own secret part, name and namespace. The formula joins those without a separator, so two
 * Receivers can arrive at one path on purpose: then it belongs to the older.
 */
export const ownerOfPath = (path: string, claimants: readonly PathOwner[]): Receiver | undefined => {
  const owners = claimants
    .filter(({ receiver, secretPart }) => webhookPathOf(receiver, secretPart) === path)
    .map(({ receiver }) => receiver)
  return owners.sort((a, b) => compareText(ageKey(a), ageKey(b)))[0]
}

export interface PathOwner {
  readonly receiver: Receiver
  /** Token and salt. */
  readonly secretPart: string
}

const ageKey = ({ metadata }: Receiver): string => `${metadata.creationTimestamp} ${metadata.uid}`
