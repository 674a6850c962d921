/** Entries of the audit log in words, and beside the Runs of the same time. Pure. */
import type { AuditEntry } from '../../foundations/fleet/audit-entry.ts'
import { builtInKinds } from '../../foundations/kinds/all.ts'
import { isHubGroup } from '../../foundations/kinds/references.ts'
import type { Run } from '../../foundations/kinds/run.ts'
import { objectHref } from './route.ts'
import { type Shown, shown } from './shown-state.ts'

export const auditVerbs = ['create', 'update', 'patch', 'delete', 'deletecollection'] as const

const done: Readonly<Record<string, string>> = {
  create: 'created',
  update: 'changed',
  patch: 'changed',
  delete: 'deleted',
  deletecollection: 'deleted all',
}

/** What was done, or tried: `suspended: we measure`. */
export const actionText = (entry: AuditEntry): string => {
  const { action, verb, subresource, message } = entry
  const part = subresource ? ` its ${subresource}` : ''
  if (isRefused(entry)) return `${verb}${part} refused${message ? `: ${message}` : ''}`
  return action ?? `${done[verb] ?? verb}${part}`
}

export const isRefused = ({ code }: AuditEntry): boolean => code >= 400

/** The state of a request: done, or refused for the reason of its Status. */
export const stateOfEntry = (entry: AuditEntry): Shown =>
  isRefused(entry) ? shown('failing', entry.reason ?? `Refused (${entry.code})`) : shown('ready', 'Done')

/** `jane`, or `jane, as system:serviceaccount:apps:deployer`. */
export const userOfEntry = ({ user, as }: AuditEntry): string => (as ? `${user}, as ${as}` : user)

/** The object of an entry: its name, what it is, and where it is shown. */
export interface NamedObject {
  readonly name: string
  readonly what: string
  /** Absent for what has no page, and for what is gone. */
  readonly href?: string
}

/** Of the kinds that the hub knows itself, those of Flux and Keelson have pages. */
export const objectOfEntry = ({ group = '', resource, namespace = '', name, verb, code }: AuditEntry): NamedObject => {
  const kind = builtInKinds.find(one => one.plural === resource && one.group === group)
  const place = namespace ? ` in ${namespace}` : ''
  const isThere = name !== undefined && !(verb === 'delete' && code < 400)
  return {
    name: name ?? resource,
    what: `${kind?.kind ?? resource}${place}`,
    ...(kind && isHubGroup(group) && isThere && { href: objectHref({ kind: kind.kind, namespace, name }) }),
  }
}

/** What happened at one time: a request, or a Run. */
export type Happening =
  | { readonly at: string; readonly entry: AuditEntry; readonly run?: undefined }
  | { readonly at: string; readonly run: Run; readonly entry?: undefined }

/** In the order of time, the oldest first; a request before the Run that began in the same millisecond. */
export const happenings = (entries: readonly AuditEntry[], runs: readonly Run[]): readonly Happening[] => {
  const requests = entries.map(entry => ({ at: entry.at, entry }))
  const passes = runs.map(run => ({ at: run.startedAt, run }))
  return [...requests, ...passes].sort((a, b) => Date.parse(a.at) - Date.parse(b.at))
}
