import type { KubernetesObject, ObjectRef } from '../../foundations/kinds/object.ts'
import type { Run } from '../../foundations/kinds/run.ts'
import { run as runKind } from '../../foundations/kinds/run.ts'
import { sha256Hex } from '../../foundations/rules/sha256.ts'
import type { Keys } from '../../platform/ports/keys.ts'
import type { RunQuery, RunRecord, RunStore } from '../../platform/ports/runs.ts'
import { badRequest, expired } from '../store/api-errors.ts'
import { parseFieldSelector } from '../store/field-selector.ts'
import type { Hub, HubListQuery, HubPage } from '../store/hub.ts'
import { parseLabelSelector } from '../store/label-selector.ts'
import { listed } from '../store/listed.ts'
import { namespaceRef } from '../store/namespaces.ts'
import { rfc3339 } from '../store/time.ts'
import { runCodec } from './run-codec.ts'
import { placeOfName } from './run-names.ts'

export interface RunReaderPorts {
  readonly runs: Pick<RunStore, 'get' | 'page'>
  readonly keys: Keys
  readonly hub: Pick<Hub, 'get' | 'list'>
}

export type RunReader = Pick<Hub, 'get' | 'list' | 'pages'>

/** The number of records that a list reads at a time per namespace, and in total before it returns fewer than its limit, as Kubernetes' lists may. */
const pageOfNamespace = 100
const readPerList = 10_000
const pageOfList = 200

/**
 * Runs as objects of the API, the newest first, over all namespaces in one order. A namespace shows runs since its creation: those of an earlier
 * namespace of the same name are hidden.
 */
export const runReader = ({ runs, keys, hub }: RunReaderPorts): RunReader => {
  const codec = runCodec(keys)
  const objectOf = async (record: RunRecord): Promise<Run> => asObject(record, await codec.decode(record, record.body))

  const sinceOf = async (namespace: string): Promise<number | undefined> => {
    const found = await hub.get<KubernetesObject>(namespaceRef(namespace))
    return found && createdAt(found)
  }

  const get = async ({ namespace, name }: ObjectRef): Promise<Run | undefined> => {
    const place = placeOfName(namespace, name)
    const since = place && (await sinceOf(namespace))
    if (since === undefined || place!.startedAt < since) return undefined
    const record = await runs.get(place!)
    return record && objectOf(record)
  }

  const scopeOf = async (namespace: string | undefined): Promise<readonly Scope[]> => {
    if (namespace !== undefined) {
      const since = await sinceOf(namespace)
      return since === undefined ? [] : [{ namespace, since }]
    }
    const { items } = await hub.list<KubernetesObject>({ group: '', kind: 'Namespace' })
    return items.map(item => ({ namespace: item.metadata.name, since: createdAt(item) }))
  }

  async function* recordsIn({ namespace, since }: Scope, selection: Selection, limit: number) {
    const from = Math.max(since, selection.since ?? 0)
    let before = beforeIn(namespace, selection)
    for (;;) {
      const query: RunQuery = { namespace, since: from, limit, ...(before && { before }) }
      const page = await runs.page({ ...query, ...(selection.unit !== undefined && { unit: selection.unit }) })
      yield* page
      const last = page.at(-1)
      if (!last || page.length < limit) return
      before = last
    }
  }

  async function* pages(query: HubListQuery): AsyncGenerator<HubPage<KubernetesObject>> {
    const selection = selectionOf(query)
    const scopes = await scopeOf(query.namespace)
    const perRead = Math.max(
      10,
      Math.ceil(Math.min(pageOfNamespace, query.limit || pageOfNamespace) / Math.max(1, scopes.length)),
    )
    const merged = newestFirst(scopes.map(scope => recordsIn(scope, selection, perRead)))
    const limit = query.limit || Number.POSITIVE_INFINITY
    let items: KubernetesObject[] = []
    let [found, read] = [0, 0]
    for await (const record of merged) {
      const object = await objectOf(record)
      if (selection.includes(object)) {
        items.push(object)
        found++
      }
      read++
      const isEnd = found === limit || (query.limit !== undefined && query.limit > 0 && read === readPerList)
      if (isEnd) {
        yield { items: items.map(listed), resourceVersion: '1', continue: tokenOf(record) }
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
    get: async <T extends KubernetesObject>(ref: ObjectRef) => (await get(ref)) as T | undefined,
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

interface Scope {
  readonly namespace: string
  /** When the namespace was created, in milliseconds since the epoch. */
  readonly since: number
}

const createdAt = ({ metadata }: KubernetesObject): number => Date.parse(metadata.creationTimestamp ?? '') || 0

/** Merges sorted sources: by time, namespace and name, the latest first. */
async function* newestFirst(sources: readonly AsyncGenerator<RunRecord, void>[]): AsyncGenerator<RunRecord, void> {
  const heads = (await Promise.all(sources.map(async source => ({ source, next: await source.next() })))).filter(
    ({ next }) => !next.done,
  )
  while (heads.length > 0) {
    let first = 0
    for (let at = 1; at < heads.length; at++)
      if (isBefore(heads[at]!.next.value!, heads[first]!.next.value!)) first = at
    const head = heads[first]!
    yield head.next.value!
    head.next = await head.source.next()
    if (head.next.done) heads.splice(first, 1)
  }
}

const isBefore = (a: RunRecord, b: RunRecord): boolean => {
  if (a.startedAt !== b.startedAt) return a.startedAt > b.startedAt
  return a.namespace !== b.namespace ? a.namespace > b.namespace : a.name > b.name
}

const asObject = (record: RunRecord, content: Awaited<ReturnType<ReturnType<typeof runCodec>['decode']>>): Run => {
  const { namespace, name, startedAt, repeats, repeatedAt } = record
  const { unit, result, cause, finishedAt } = content
  const hash = sha256Hex(`${unit.uid} ${name}`)
  const uid = [
    [0, 8],
    [8, 12],
    [12, 16],
    [16, 20],
    [20, 32],
  ]
    .map(([from, to]) => hash.slice(from, to))
    .join('-')
  return {
    apiVersion: `${runKind.group}/v1alpha1`,
    kind: runKind.kind,
    metadata: {
      name,
      namespace,
      uid,
      resourceVersion: String(repeatedAt ?? (finishedAt ? Date.parse(finishedAt) : startedAt)),
      creationTimestamp: rfc3339(startedAt),
      labels: {
        [`${runKind.group}/unit-kind`]: unit.kind,
        ...(unit.name.length <= 63 && { [`${runKind.group}/unit`]: unit.name }),
        [`${runKind.group}/cause`]: cause.type,
        [`${runKind.group}/result`]: result,
      },
    },
    ...content,
    ...(repeats > 0 && { repeats }),
    ...(repeatedAt !== undefined && { lastRepeatedAt: new Date(repeatedAt).toISOString() }),
  }
}

// ---- selection ----

interface Selection {
  readonly unit?: string
  /** Milliseconds since the epoch. */
  readonly since?: number
  readonly until?: number
  readonly after?: Position
  includes(object: KubernetesObject): boolean
}

/** Besides fields of the object, a time range in which the run started, both ends included. */
const timeTerm = /(?:^|,)(since|until)==?([^,=!]*)/g

/** Fails with BadRequest, or Expired for a foreign token. */
const selectionOf = ({ labelSelector, fieldSelector = '', continue: token }: HubListQuery): Selection => {
  const labels = labelSelector ? parseLabelSelector(labelSelector) : () => true
  const times = Object.fromEntries(
    Array.from(fieldSelector.matchAll(timeTerm), ([, name, text]) => [name, timeOf(name!, text!)]),
  )
  const others = fieldSelector.replaceAll(timeTerm, '').replace(/^,/, '')
  const fields = parseFieldSelector(others, runKind as never)
  const [kind, name] = [fields.required('unit.kind'), fields.required('unit.name')]
  return {
    ...(kind !== undefined && name !== undefined && { unit: `${kind}/${name}` }),
    ...times,
    ...(token && { after: positionOf(token) }),
    includes: object => labels(object.metadata.labels ?? {}) && fields.matches(object),
  }
}

const timeOf = (name: string, text: string): number => {
  const ms = Date.parse(text)
  if (!Number.isNaN(ms)) return ms
  throw badRequest(`invalid field selector: ${name}=${text}: expected a time such as 2026-11-27T14:00:00Z`)
}

type Position = readonly [startedAt: number, namespace: string, name: string]

const tokenOf = ({ startedAt, namespace, name }: RunRecord): string =>
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

/** Where a namespace's part of a list starts: at the end of the time range, or after the runs that the list has returned so far. */
const beforeIn = (namespace: string, { until, after }: Selection): RunQuery['before'] => {
  if (!after) return until === undefined ? undefined : { startedAt: Math.floor(until) + 1, name: '' }
  const [startedAt, shown, name] = after
  if (namespace === shown) return { startedAt, name }
  return { startedAt: namespace < shown ? startedAt + 1 : startedAt, name: '' }
}
