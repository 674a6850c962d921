import type { User } from '../authentication/caller.ts'
import type { Verb } from '../request-info.ts'
import { maxBodyBytes } from '../wire/body.ts'

/** Whose requests compete with one another, as a flow of Kubernetes' priority and fairness. */
export type Flow = string

const serviceAccount = /^system:serviceaccount:([^:]+):[^:]+$/

/**
 * The flow of a user: of ServiceAccounts it is their namespace, since whoever owns the namespace makes as many accounts in it as they
 * like; of all others the name.
 */
export const flowOf = ({ name }: Pick<User, 'name'>): Flow => {
  const [, namespace] = serviceAccount.exec(name) ?? []
  return namespace === undefined ? `user ${name}` : `namespace ${namespace}`
}

/** Administrators must be able to act on a hub that others keep busy: Kubernetes' `exempt` flow schema. */
export const isExempt = ({ groups }: Pick<User, 'groups'>): boolean => groups.includes('system:masters')

const mutating: ReadonlySet<Verb> = new Set(['create', 'update', 'patch', 'delete', 'deletecollection'])

export const isMutating = (verb: Verb): boolean => mutating.has(verb)

/** A body costs a seat for each part of this size: what is read, parsed and merged at a time is bounded with the seats. */
const bytesPerSeat = 64 * 1024
/** Seats that a request takes, as Kubernetes estimates the width of a request. A body of unknown length counts as the largest. */
export const widthOf = ({ headers, body }: Request): number => {
  const told = headers.get('content-length')
  const bytes = told === null ? (body ? maxBodyBytes : 0) : Math.min(Number(told) || 0, maxBodyBytes)
  return Math.max(1, Math.ceil(bytes / bytesPerSeat))
}
