import type { User } from '../authentication/caller.ts'
import type { Verb } from '../request-info.ts'
import { maxBodyBytes } from '../wire/body.ts'

/** A group of requests that compete with each other, as in Kubernetes' priority and fairness. */
export type Flow = string

const inNamespace = /^system:(?:serviceaccount|runner):([^:]+):[^:]+$/

/**
 * The flow of a user: for ServiceAccounts and runners their namespace, since its owner can create any number of them in it; for others the name.
 */
export const flowOf = ({ name }: Pick<User, 'name'>): Flow => {
  const [, namespace] = inNamespace.exec(name) ?? []
  return namespace === undefined ? `user ${name}` : `namespace ${namespace}`
}

/** Administrators must be able to act on a busy hub: Kubernetes' `exempt` flow schema. */
export const isExempt = ({ groups }: Pick<User, 'groups'>): boolean => groups.includes('system:masters')

const mutating: ReadonlySet<Verb> = new Set(['create', 'update', 'patch', 'delete', 'deletecollection'])

export const isMutating = (verb: Verb): boolean => mutating.has(verb)

/** A body takes a seat per part of this size, so that seats also limit what is read, parsed and merged at a time. */
const bytesPerSeat = 64 * 1024
/** The number of seats for a request, as Kubernetes estimates its width. A body of unknown length counts as the maximum. */
export const widthOf = ({ headers, body }: Request): number => {
  const declared = headers.get('content-length')
  const bytes = declared === null ? (body ? maxBodyBytes : 0) : Math.min(Number(declared) || 0, maxBodyBytes)
  return Math.max(1, Math.ceil(bytes / bytesPerSeat))
}
