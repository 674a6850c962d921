import type { Kind } from '../../foundations/kinds/kind.ts'
import type { KubernetesObject, ObjectRef } from '../../foundations/kinds/object.ts'
import { badRequest, expired } from '../store/api-errors.ts'
import { type Field, parseFieldSelector } from '../store/field-selector.ts'
import type { Hub, HubListQuery, HubPage } from '../store/hub.ts'
import { parseLabelSelector } from '../store/label-selector.ts'
import { listed } from '../store/listed.ts'
import { newestFirst } from './newest-first.ts'

/** A record that the API shows as an object: runs and deliveries. Names are unique among the records of a millisecond in a namespace. */
export interface StoredRecord {
  /** Milliseconds since the epoch. */
  readonly startedAt: number
  readonly name: string
}

/** A part of the records that the store keeps in order: those of a namespace, or of an owner in it. */
export interface RecordScope {
  readonly namespace: string
  /** Earlier records are hidden; milliseconds since the epoch. */
  readonly since: number
}

export interface RecordQuery {
  /** Only those that began at this time or later. */
  readonly since: number
  /** Only those before this one, in the order of time and name. */
  readonly before?: StoredRecord
  readonly limit: number
}

/** How one kind of records is read. */
export interface RecordSource<S extends RecordScope, R extends StoredRecord> {
  readonly kind: Kind
  /** Fields of its objects that can be selected by, besides those of the kind. */
  readonly computed?: ReadonlyMap<string, Field>
  /** The scopes of a namespace, or of all; `required` returns the value that a field selector demands of a field. */
  scopesOf(namespace: string | undefined, required: (field: string) => string | undefined): Promise<readonly S[]>
  /** The newest first; fewer than the limit are the last ones. */
  page(scope: S, query: RecordQuery): Promise<readonly R[]>
  objectOf(scope: S, record: R): Promise<KubernetesObject>
  get(ref: ObjectRef): Promise<KubernetesObject | undefined>
}

export interface RecordReader extends Pick<Hub, 'get' | 'list' | 'pages'> {
  /** The kind of its objects. */
  readonly kind: Kind
}

/** The number of records that a list reads at a time per scope, and in total before it returns fewer than its limit, as Kubernetes' lists may. */
const pageOfScope = 100
const readPerList = 10_000
const pageOfList = 200

/** Records as objects of the API, the newest first, over all scopes in one order. */
export const recordReader = <S extends RecordScope, R extends StoredRecord>(
  source: RecordSource<S, R>,
): RecordReader => {
  async function* recordsIn(scope: S, selection: Selection, limit: number) {
    const since = Math.max(scope.since, selection.since ?? 0)
    let before = beforeIn(scope.namespace, selection)
    for (;;) {
      const page = await source.page(scope, { since, limit, ...(before && { before }) })
      for (const record of page)
        yield { scope, record, startedAt: record.startedAt, namespace: scope.namespace, name: record.name }
      const last = page.at(-1)
      if (!last || page.length < limit) return
      before = last
    }
  }

  async function* pages(query: HubListQuery): AsyncGenerator<HubPage<KubernetesObject>> {
    const selection = selectionOf(source, query)
    const scopes = await source.scopesOf(query.namespace, selection.required)
    const wanted = Math.min(pageOfScope, query.limit || pageOfScope)
    const perRead = Math.max(10, Math.ceil(wanted / Math.max(1, scopes.length)))
    const merged = newestFirst(scopes.map(scope => recordsIn(scope, selection, perRead)))
    const limit = query.limit || Number.POSITIVE_INFINITY
    let items: KubernetesObject[] = []
    let [found, read] = [0, 0]
    for await (const one of merged) {
      const object = await source.objectOf(one.scope, one.record)
      if (selection.includes(object)) {
        items.push(object)
        found++
      }
      read++
      const isEnd = found === limit || (query.limit !== undefined && query.limit > 0 && read === readPerList)
      if (isEnd) {
        yield { items: items.map(listed), resourceVersion: '1', continue: tokenOf(one) }
        return
      }
      if (items.length === pageOfList) {
        yield { items: items.map(listed), resourceVersion: '1' }
        items = []
      }
    }
    yield { items: items.map(listed), resourceVersion: '1' }
  }

  return {
    kind: source.kind,
    get: async <T extends KubernetesObject>(ref: ObjectRef) => (await source.get(ref)) as T | undefined,
    list: async <T extends KubernetesObject>(query: HubListQuery) => {
      const items: KubernetesObject[] = []
      let next: string | undefined
      for await (const page of pages(query)) {
        for (const { object } of page.items) items.push(object)
        next = page.continue
      }
      return { items: items as unknown as T[], resourceVersion: '1', ...(next && { continue: next }) }
    },
    pages: pages as Hub['pages'],
  }
}

// ---- selection ----

interface Selection {
  /** Milliseconds since the epoch. */
  readonly since?: number
  readonly until?: number
  readonly after?: Position
  readonly required: (field: string) => string | undefined
  includes(object: KubernetesObject): boolean
}

/** Besides fields of the object, a time range in which the record began, both ends included. */
const timeTerm = /(?:^|,)(since|until)==?([^,=!]*)/g

/** Fails with BadRequest, or Expired for a foreign token. */
const selectionOf = (
  { kind, computed }: Pick<RecordSource<never, never>, 'kind' | 'computed'>,
  { labelSelector, fieldSelector = '', continue: token }: HubListQuery,
): Selection => {
  const labels = labelSelector ? parseLabelSelector(labelSelector) : () => true
  const times = Object.fromEntries(
    Array.from(fieldSelector.matchAll(timeTerm), ([, name, text]) => [name, timeOf(name!, text!)]),
  )
  const others = fieldSelector.replaceAll(timeTerm, '').replace(/^,/, '')
  const fields = parseFieldSelector(others, kind, computed)
  return {
    ...times,
    ...(token && { after: positionOf(token) }),
    required: field => fields.required(field),
    includes: object => labels(object.metadata.labels ?? {}) && fields.matches(object),
  }
}

const timeOf = (name: string, text: string): number => {
  const ms = Date.parse(text)
  if (!Number.isNaN(ms)) return ms
  throw badRequest(`invalid field selector: ${name}=${text}: expected a time such as 2026-11-27T14:00:00Z`)
}

type Position = readonly [startedAt: number, namespace: string, name: string]

const tokenOf = ({ startedAt, namespace, name }: StoredRecord & { readonly namespace: string }): string =>
  Buffer.from(JSON.stringify([startedAt, namespace, name])).toString('base64url')

const positionOf = (token: string): Position => {
  try {
    const [startedAt, namespace, name, ...more] = JSON.parse(Buffer.from(token, 'base64url').toString())
    if (typeof startedAt === 'number' && typeof namespace === 'string' && typeof name === 'string' && more.length === 0)
      return [startedAt, namespace, name]
  } catch {
    // Reported below.
  }
  throw expired('The provided continue parameter was not issued by this server. You can start a new list without it.')
}

/** Where a scope's part of a list starts: at the end of the time range, or after the records that the list has returned so far. */
const beforeIn = (namespace: string, { until, after }: Selection): RecordQuery['before'] => {
  if (!after) return until === undefined ? undefined : { startedAt: Math.floor(until) + 1, name: '' }
  const [startedAt, shown, name] = after
  if (namespace === shown) return { startedAt, name }
  return { startedAt: namespace < shown ? startedAt + 1 : startedAt, name: '' }
}
