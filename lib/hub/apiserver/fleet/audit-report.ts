/** `/fleet/audit`: who has changed what, as far as the caller may see it. */
import type { AuditEntry, AuditPage } from '../../../foundations/fleet/audit-entry.ts'
import type { KubernetesObject } from '../../../foundations/kinds/object.ts'
import type { AuditPlace, AuditStore } from '../../../platform/ports/audit.ts'
import type { Clock } from '../../../platform/ports/clock.ts'
import type { Keys } from '../../../platform/ports/keys.ts'
import { badRequest } from '../../store/api-errors.ts'
import type { Hub } from '../../store/hub.ts'
import { namespaceRef } from '../../store/namespaces.ts'
import { auditCodec } from '../audit/kept-entries.ts'
import type { FleetReports } from './fleet-reports.ts'
import type { Viewer } from './visible-fleet.ts'

export interface AuditReportPorts {
  readonly auditRecords: Pick<AuditStore, 'page'>
  readonly keys: Keys
  readonly hub: Pick<Hub, 'get'>
  readonly clock: Pick<Clock, 'now'>
}

const path = '/fleet/audit'
const terms = ['namespace', 'user', 'verb', 'object', 'refused', 'since', 'until', 'limit', 'continue']
/** Entries that are read at a time, and in total for one page. */
const readAtOnce = 200
const readPerPage = 5_000
const maxLimit = 500

/** Undefined for other paths. Fails with BadRequest. `retentionMs`: older entries are not searched for. */
export const auditReport = (
  { auditRecords, keys, hub, clock }: AuditReportPorts,
  retentionMs: number,
): FleetReports => {
  const codec = auditCodec(keys)
  return async ({ pathname, searchParams: query }, viewer): Promise<AuditPage | undefined> => {
    if (pathname !== path) return undefined
    for (const name of query.keys()) if (!terms.includes(name)) throw badRequest(`unknown parameter ${name} of ${path}`)
    const limit = limitOf(query)
    const since = Math.max(timeOf(query, 'since') ?? 0, clock.now() - retentionMs)
    const until = timeOf(query, 'until')
    const token = query.get('continue')
    let before: AuditPlace | undefined =
      token === null
        ? until === undefined
          ? undefined
          : { startedAt: Math.floor(until) + 1, name: '' }
        : placeOf(token)
    const matches = matcherOf(query)
    const maySee = sight(hub, viewer)
    const items: AuditEntry[] = []
    for (let read = 0; read < readPerPage; ) {
      const records = await auditRecords.page({ since, limit: readAtOnce, ...(before && { before }) })
      for (const record of records) {
        read++
        before = { startedAt: record.startedAt, name: record.name }
        const entry = await codec.decode(record, record.body)
        if (!matches(entry) || !(await maySee(entry))) continue
        items.push(entry)
        if (items.length === limit) return { items, continue: tokenOf(before) }
      }
      if (records.length < readAtOnce) return { items }
    }
    return { items, ...(before && { continue: tokenOf(before) }) }
  }
}

/**
 * Who may list objects of a kind sees what was done to them: in all namespaces, or in one since its creation, so that nothing is seen of an earlier
 * namespace of the same name. Decisions are remembered for one request.
 */
const sight = (hub: AuditReportPorts['hub'], { user, authorize }: Viewer) => {
  const decisions = new Map<string, Promise<number>>()
  const mayList = async ({ group = '', version, resource }: AuditEntry, namespace: string): Promise<boolean> => {
    const attributes = { group, version, resource, subresource: '', namespace, name: '' }
    return (await authorize({ user, verb: 'list', path: '', resource: attributes })).allowed
  }
  const visibleSince = async (entry: AuditEntry): Promise<number> => {
    if (await mayList(entry, '')) return 0
    if (!entry.namespace || !(await mayList(entry, entry.namespace))) return Number.POSITIVE_INFINITY
    const namespace = await hub.get<KubernetesObject>(namespaceRef(entry.namespace))
    return namespace ? Date.parse(namespace.metadata.creationTimestamp ?? '') || 0 : Number.POSITIVE_INFINITY
  }
  return async (entry: AuditEntry): Promise<boolean> => {
    const key = JSON.stringify([entry.group, entry.resource, entry.namespace])
    const decision = decisions.get(key) ?? visibleSince(entry)
    decisions.set(key, decision)
    return Date.parse(entry.at) >= (await decision)
  }
}

/** Names by a part of them, without regard to case; verbs and namespaces as a whole. */
const matcherOf = (query: URLSearchParams): ((entry: AuditEntry) => boolean) => {
  const [namespace, verb] = [query.get('namespace'), query.get('verb')]
  const [user, object] = ['user', 'object'].map(name => query.get(name)?.toLowerCase())
  const refused = query.get('refused')
  if (refused !== null && refused !== 'true' && refused !== 'false')
    throw badRequest(`invalid refused=${refused}: must be true or false`)
  const contains = (text: string, part: string | undefined): boolean => !part || text.toLowerCase().includes(part)
  return entry =>
    (!namespace || entry.namespace === namespace) &&
    (!verb || entry.verb === verb) &&
    contains(`${entry.user}\n${entry.as ?? ''}`, user) &&
    contains(objectOf(entry), object) &&
    (refused === null || entry.code >= 400 === (refused === 'true'))
}

/** `kustomizations/apps/web`, as it is searched for. */
const objectOf = ({ resource, subresource, namespace, name }: AuditEntry): string =>
  [resource, namespace, name, subresource].filter(Boolean).join('/')

const limitOf = (query: URLSearchParams): number => {
  const text = query.get('limit') ?? '100'
  const limit = /^\d{1,6}$/.test(text) ? Number(text) : 0
  if (limit > 0 && limit <= maxLimit) return limit
  throw badRequest(`invalid limit=${text}: must be a whole number up to ${maxLimit}`)
}

const timeOf = (query: URLSearchParams, name: string): number | undefined => {
  const text = query.get(name)
  if (!text) return undefined
  const ms = Date.parse(text)
  if (!Number.isNaN(ms)) return ms
  throw badRequest(`invalid ${name}=${text}: expected a time such as 2026-11-27T14:00:00Z`)
}

const tokenOf = ({ startedAt, name }: AuditPlace): string => `${startedAt}-${name}`

const placeOf = (token: string): AuditPlace => {
  const [, startedAt, name = ''] = /^(\d{1,16})-([^/]{0,64})$/.exec(token) ?? []
  if (startedAt !== undefined) return { startedAt: Number(startedAt), name }
  throw badRequest('invalid continue: it was not issued by this server')
}
