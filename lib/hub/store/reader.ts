import type { KindRegistry } from '../../foundations/kinds/all.ts'
import type { Kind } from '../../foundations/kinds/kind.ts'
import type { KubernetesObject, ObjectRef } from '../../foundations/kinds/object.ts'
import type {
  ChangeEvent,
  Collection,
  ListQuery,
  ObjectPage,
  ObjectStore,
  StoredObject,
} from '../../platform/ports/objects.ts'
import { StoreError } from '../../platform/ports/objects.ts'
import { expired } from './api-errors.ts'
import { defaultsOnRead } from './defaults-on-read.ts'
import type { FieldSelector } from './field-selector.ts'
import { parseFieldSelector } from './field-selector.ts'
import type { Hub, HubEvent, HubList, HubListQuery, HubPage, HubWatchQuery, Listed } from './hub.ts'
import type { LabelSelector } from './label-selector.ts'
import { parseLabelSelector } from './label-selector.ts'
import { listed } from './listed.ts'
import type { RecordCodec } from './record-codec.ts'
import { isIndexed, labelText } from './record-index.ts'
import { kindNamed } from './served-kind.ts'

export interface ReaderPorts {
  readonly objects: ObjectStore
  readonly codec: RecordCodec
  readonly kinds: () => KindRegistry
}

/** An object together with its record. */
export interface Held {
  readonly kind: Kind
  readonly object: KubernetesObject
  readonly stored: StoredObject
}

export interface Reader extends Pick<Hub, 'get' | 'list' | 'pages' | 'watch'> {
  hold(ref: ObjectRef): Promise<Held | undefined>
  /** All objects in the index under a key (see record-index.ts). */
  indexed(key: string, of?: Collection): AsyncIterable<ObjectRef>
}

const indexPage = 500
/** Number of records read together by default, so that few of a large collection are in memory if few match. */
const readTogether = 200
/** Maximum number of pages that a limited list reads; if few objects match, it returns fewer than its limit, as Kubernetes' lists may. */
const pagesPerList = 50

/** The hub's read operations. */
export const hubReader = ({ objects, codec, kinds }: ReaderPorts): Reader => {
  const hold = async (ref: ObjectRef): Promise<Held | undefined> => {
    const kind = kindNamed(kinds(), ref)
    const stored = await objects.get(ref)
    return stored && { kind, stored, object: completed(kind, await codec.decode(kind, stored)) }
  }

  async function* pages(query: HubListQuery): AsyncGenerator<HubPage<KubernetesObject>> {
    const kind = kindNamed(kinds(), query)
    const selection = selectionOf(query, kind)
    if (selection.name !== undefined && (!kind.namespaced || query.namespace !== undefined)) {
      yield await onlyOne(query, kind, selection)
      return
    }
    let missing = query.limit || Number.POSITIVE_INFINITY
    let next = query.continue
    for (let looked = 1; ; looked++) {
      const limit = Math.min(missing, query.pageSize ?? readTogether)
      const page = await listPage(objects, { ...query, limit, continue: next }, selection.labels)
      const items: Listed<KubernetesObject>[] = []
      for (const stored of page.items) {
        if (!selection.mayInclude(stored.body)) continue
        const item = completedItem(kind, await codec.listed(stored))
        if (selection.isAll || selection.includes(item.object)) items.push(item)
      }
      next = page.continue
      const { damaged } = page
      yield { items, resourceVersion: page.version, ...(next && { continue: next }), ...(damaged && { damaged }) }
      missing -= items.length
      if (next === undefined || missing === 0 || (query.limit && looked === pagesPerList)) return
    }
  }

  const list = async (query: HubListQuery): Promise<HubList<KubernetesObject>> => {
    const items: KubernetesObject[] = []
    let last: HubPage<KubernetesObject> | undefined
    for await (const page of pages(query)) {
      for (const { object } of page.items) items.push(object)
      last = page
    }
    const { resourceVersion, continue: next } = last!
    return { items, resourceVersion, ...(next && { continue: next }) }
  }

  /** For the lists of `kubectl get NAME -w` and `kubectl wait`: reads the version first, so that a watch from it misses nothing. */
  const onlyOne = async (query: HubListQuery, kind: Kind, { name, includes }: Selection) => {
    const { version } = await listPage(objects, { ...query, limit: 1, continue: undefined })
    const { group, namespace = '' } = query
    const stored = await objects.get({ group, kind: kind.kind, namespace, name: name! })
    const found = stored && completedItem(kind, await codec.listed(stored))
    return { items: found && includes(found.object) ? [found] : [], resourceVersion: version }
  }

  async function* watch(query: HubWatchQuery): AsyncGenerator<HubEvent> {
    const kind = kindNamed(kinds(), query)
    const selection = selectionOf(query, kind)
    const { group, after, signal, namespace, onProgress, untilNow = false } = query
    // Watches the whole collection, so that the version advances in a quiet namespace too.
    const changes = objects.watch({ group, kind: kind.kind, after, signal, untilNow })
    try {
      for await (const change of changes) {
        const { ref, version } = change.object
        const isElsewhere = namespace !== undefined && ref.namespace !== namespace
        const event = isElsewhere ? undefined : await filteredEvent(selection, kind, change, codec)
        if (event) yield event
        else onProgress?.(version)
      }
    } catch (error) {
      if (!(error instanceof StoreError) || error.code !== 'expired') throw error
      throw expired(`too old resource version: ${after}`)
    }
  }

  async function* indexed(key: string, of?: Collection): AsyncGenerator<ObjectRef> {
    let next: string | undefined
    do {
      const page = await objects.referrers(key, { limit: indexPage, of, ...(next && { continue: next }) })
      yield* page.refs
      next = page.continue
    } while (next)
  }

  return {
    hold,
    get: async <T extends KubernetesObject>(ref: ObjectRef) => (await hold(ref))?.object as T | undefined,
    list: async <T extends KubernetesObject>(query: HubListQuery) => (await list(query)) as HubList<T>,
    pages: pages as Hub['pages'],
    watch,
    indexed,
  }
}

const completed = (kind: Kind, object: KubernetesObject): KubernetesObject => defaultsOnRead(kind)?.(object) ?? object

/** The item itself, unparsed if possible, or one with missing defaults added. */
const completedItem = (kind: Kind, item: Listed<KubernetesObject>): Listed<KubernetesObject> => {
  const complete = defaultsOnRead(kind)
  if (!complete) return item
  const object = complete(item.object)
  return object === item.object ? item : listed(object)
}

const listPage = async (
  objects: ObjectStore,
  { group, kind, namespace, limit, continue: token }: HubListQuery,
  labels?: ListQuery['labels'],
): Promise<ObjectPage> => {
  try {
    return await objects.list({
      group,
      kind,
      ...(namespace !== undefined && { namespace }),
      ...(limit && { limit }),
      ...(token && { continue: token }),
      ...(labels?.length && { labels }),
    })
  } catch (error) {
    if (!(error instanceof StoreError) || error.code !== 'expired') throw error
    throw expired(
      'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter.',
    )
  }
}

// ---- selection ----

interface Selection {
  /** The only name that can match. */
  readonly name: string | undefined
  /** Labels by which the store may exclude others. */
  readonly labels: readonly (readonly string[])[]
  /** False for the JSON of objects that can't match, so that few of many are parsed. */
  mayInclude(body: string): boolean
  /** Whether every object of the collection matches. */
  readonly isAll: boolean
  includes(object: KubernetesObject): boolean
}

const everyField: FieldSelector = { matches: () => true, required: () => undefined }

const everyLabel: LabelSelector = Object.assign(() => true, { required: [] })

const selectionOf = ({ labelSelector, fieldSelector }: HubListQuery | HubWatchQuery, kind: Kind): Selection => {
  const labels = labelSelector ? parseLabelSelector(labelSelector) : everyLabel
  const isSealed = (kind.sealedFields ?? []).length > 0
  const traces = labels.required.map(({ key, values }) => values.map(value => `"${key}":"${value}"`))
  const fields = fieldSelector ? parseFieldSelector(fieldSelector, kind) : everyField
  return {
    name: fields.required('metadata.name'),
    isAll: !labelSelector && !fieldSelector,
    labels: labels.required
      .filter(({ key }) => isIndexed(kind, key))
      .map(({ key, values }) => values.map(value => labelText(key, value))),
    mayInclude: body => isSealed || traces.every(texts => texts.some(text => body.includes(text))),
    includes: object => labels(object.metadata.labels ?? {}) && fields.matches(object),
  }
}

/** A change as a filtered watch reports it: an object that starts to match is ADDED, one that stops is DELETED, in its last matching state. */
const filteredEvent = async (
  selection: Selection,
  kind: Kind,
  change: ChangeEvent,
  codec: RecordCodec,
): Promise<HubEvent | undefined> => {
  const object = completed(kind, await codec.decode(kind, change.object))
  const isIn = selection.includes(object)
  if (change.type === 'created') return isIn ? { type: 'ADDED', object } : undefined
  if (change.type === 'deleted') return isIn ? { type: 'DELETED', object } : undefined
  if (selection.isAll || change.before === undefined) return isIn ? { type: 'MODIFIED', object } : undefined
  const before = completed(kind, await codec.decodeBefore(change))
  const wasIn = selection.includes(before)
  if (isIn) return { type: wasIn ? 'MODIFIED' : 'ADDED', object }
  return wasIn ? { type: 'DELETED', object: before } : undefined
}
