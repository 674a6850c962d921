import { badRequest } from '../../store/api-errors.ts'
import { requireAllowed } from '../require-allowed.ts'
import type { Attributes, Authorize, User } from './caller.ts'

const extraPrefix = 'impersonate-extra-'

/**
 * The user that a request acts as: its sender, or the user in the Impersonate-* headers if the sender may impersonate that user. Fails with
 * Forbidden, and with BadRequest if groups or extra fields come without a user.
 */
export const actingUser = async (request: Request, user: User, authorize: Authorize): Promise<User> => {
  const wanted = impersonatedBy(request.headers)
  if (!wanted) return user
  for (const attributes of requirementsOf(user, wanted)) await requireAllowed(attributes, authorize)
  const isAnonymous = wanted.name === 'system:anonymous'
  const implied = isAnonymous ? 'system:unauthenticated' : 'system:authenticated'
  return { ...wanted, groups: [...new Set([...wanted.groups, ...serviceAccountGroups(wanted), implied])] }
}

const impersonatedBy = (headers: Headers): User | undefined => {
  const name = headers.get('impersonate-user') ?? ''
  const uid = headers.get('impersonate-uid') ?? ''
  const groups = listed(headers.get('impersonate-group'))
  const extra: [string, string[]][] = []
  for (const [header, value] of headers)
    if (header.startsWith(extraPrefix)) extra.push([unescaped(header.slice(extraPrefix.length)), listed(value)])
  if (!name && (uid || groups.length > 0 || extra.length > 0))
    throw badRequest('requested impersonation without specifying a user')
  if (!name) return undefined
  return { name, groups, ...(uid && { uid }), ...(extra.length > 0 && { extra: Object.fromEntries(extra) }) }
}

/** Keys of extra fields are percent-encoded; an invalid encoding is taken literally. */
const unescaped = (key: string): string => {
  try {
    return decodeURIComponent(key)
  } catch {
    return key
  }
}

/** Repeated headers arrive joined by commas. */
const listed = (value: string | null): string[] => (value ? value.split(',').map(part => part.trim()) : [])

/** `system:serviceaccount:<namespace>:<name>` implies the groups of ServiceAccounts. */
const serviceAccountOf = (name: string) => /^system:serviceaccount:([^:]+):([^:]+)$/.exec(name)

const serviceAccountGroups = ({ name, groups }: User): string[] => {
  const account = serviceAccountOf(name)
  return account && groups.length === 0 ? ['system:serviceaccounts', `system:serviceaccounts:${account[1]}`] : []
}

const requirementsOf = (user: User, wanted: User): Attributes[] => {
  const may = (resource: string, name: string, namespace = '', group = '', subresource = ''): Attributes => ({
    user,
    verb: 'impersonate',
    path: '',
    resource: { group, version: 'v1', resource, subresource, namespace, name },
  })
  const account = serviceAccountOf(wanted.name)
  const authentication = 'authentication.k8s.io'
  return [
    account ? may('serviceaccounts', account[2]!, account[1]) : may('users', wanted.name),
    ...wanted.groups.map(group => may('groups', group)),
    ...(wanted.uid ? [may('uids', wanted.uid, '', authentication)] : []),
    ...Object.entries(wanted.extra ?? {}).flatMap(([key, values]) =>
      values.map(value => may('userextras', value, '', authentication, key)),
    ),
  ]
}
