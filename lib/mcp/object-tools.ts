/** One object of the hub: its state, why it is so, what happened to it, and what it consists of. */
import * as z from 'zod'
import { type Needing, neededNames } from '../foundations/fleet/needed-by.ts'
import { objectStateOf } from '../foundations/fleet/object-state.ts'
import type { InventoryEntry } from '../foundations/kinds/applied.ts'
import type { Kind } from '../foundations/kinds/kind.ts'
import { describeRef, type KubernetesObject } from '../foundations/kinds/object.ts'
import { inventoryObject } from '../foundations/rules/inventory.ts'
import { sourceKinds } from '../hub-client/fleet-kinds.ts'
import { ApiFailure } from '../hub-client/hub-api.ts'
import { listPage } from '../hub-client/list-page.ts'
import { readEvents, readObject } from '../hub-client/read-object.ts'
import { readRuns } from '../hub-client/read-runs.ts'
import { resourcePath } from '../hub-client/resource-path.ts'
import { eventRow } from './event-row.ts'
import { continueTerm, kindNamed, namespaceTerm, objectTerms, pageTerms } from './terms.ts'
import { type Tool, tool } from './tool.ts'

const item = z.looseObject({})

const why = tool({
  name: 'why',
  title: 'Why is an object in its state',
  description:
    'The state of one object: since when, why, which other object is the cause, and what happens next; with its latest events. One result in place of many lists.',
  input: z.object(objectTerms),
  output: z.looseObject({ isReady: z.boolean(), headline: z.string(), details: z.array(item), events: z.array(item) }),
  run: async ({ kind: word, namespace, name }, { api, now, signal }) => {
    const kind = kindNamed(word)
    const { explanation } = await readObject(api, kind, { namespace, name }, { now, signal })
    const { events, refused } = await readEvents(api, { kind: kind.kind, namespace, name }, signal).then(
      found => ({ events: found, refused: [] as readonly string[] }),
      withoutRefused,
    )
    const { isReady, headline, details } = explanation
    const data = {
      ...{ isReady, headline },
      details: details.map(([about, text, command]) => ({ about, text, ...(command && { command }) })),
      events: events.slice(0, 5).map(eventRow),
      refused,
    }
    return { summary: `${kind.kind}/${namespace}/${name} is ${isReady ? '' : 'not '}ready.`, data }
  },
})

/** A role may grant the objects without their events. */
const withoutRefused = (error: unknown) => {
  if (error instanceof ApiFailure && error.status === 403) return { events: [], refused: [error.message] }
  throw error
}

const getObject = tool({
  name: 'get_object',
  title: 'Get an object',
  description:
    'Spec and status of one object of the hub. Values of Secrets and what is named like a secret are masked.',
  input: z.object(objectTerms),
  output: z.looseObject({ object: item }),
  run: async ({ kind: word, namespace, name }, { api, signal }) => {
    const kind = kindNamed(word)
    const found = await api.get<KubernetesObject>(pathOf(kind, namespace, name), signal)
    return {
      summary: `${kind.kind}/${namespace}/${name}, as the hub has stored it.`,
      data: { object: withoutInventory(found) },
    }
  },
})

const pathOf = (kind: Kind, namespace: string, name: string): string =>
  resourcePath(kind, { ...(kind.namespaced && { namespace }), name })

/** `tree` shows the inventory. */
const withoutInventory = (object: KubernetesObject): KubernetesObject => {
  const { status } = object as KubernetesObject & { readonly status?: { readonly inventory?: Inventory } }
  if (!status?.inventory) return object
  const { inventory, ...others } = status
  return { ...object, status: { ...others, inventory: { objects: inventory.entries?.length ?? 0 } } }
}

interface Inventory {
  readonly entries?: readonly InventoryEntry[]
}

const tree = tool({
  name: 'tree',
  title: 'What a unit has applied',
  description:
    'The objects that a Kustomization, HelmRelease or ResourceSet has applied on its cluster, and the objects it depends on.',
  input: z.object({ ...objectTerms, ...pageTerms }),
  output: z.looseObject({
    total: z.number(),
    objects: z.array(z.string()),
    needs: z.array(z.string()),
    continue: continueTerm,
  }),
  run: async ({ kind: word, namespace, name, limit, continue: from = '0' }, { api, signal }) => {
    const kind = kindNamed(word)
    const unit = await api.get<Needing & { readonly status?: { readonly inventory?: Inventory } }>(
      pathOf(kind, namespace, name),
      signal,
    )
    const entries = unit.status?.inventory?.entries ?? []
    const first = Number.parseInt(from, 10) || 0
    const next = first + limit < entries.length ? { continue: String(first + limit) } : {}
    const data = {
      total: entries.length,
      objects: entries.slice(first, first + limit).map(entry => describeRef(inventoryObject(entry).ref)),
      needs: neededNames({ ...unit, kind: kind.kind }),
      ...next,
    }
    return { summary: `${kind.kind}/${namespace}/${name} has applied ${entries.length} objects.`, data }
  },
})

const listEvents = tool({
  name: 'list_events',
  title: 'List events of an object',
  description: 'The events of one object, the latest first.',
  input: z.object({ ...objectTerms, limit: pageTerms.limit }),
  output: z.looseObject({ total: z.number(), items: z.array(item) }),
  run: async ({ kind: word, namespace, name, limit }, { api, signal }) => {
    const kind = kindNamed(word)
    const events = await readEvents(api, { kind: kind.kind, namespace, name }, signal)
    const data = { total: events.length, items: events.slice(0, limit).map(eventRow) }
    return { summary: `${events.length} events of ${kind.kind}/${namespace}/${name}.`, data }
  },
})

const history = tool({
  name: 'history',
  title: 'What changed, and who requested it',
  description:
    'Runs, the newest first: each pass that changed something, failed or was requested, with cause, revision, changes field by field, and errors. All terms that are given must hold.',
  input: z.object({
    namespace: namespaceTerm,
    kind: z.string().optional().describe('Kind of the unit.'),
    name: z.string().optional().describe('Name of the unit.'),
    cluster: z.string().optional().describe('Name of the Secret or ConfigMap with the access.'),
    since: z.iso.datetime().optional().describe('RFC 3339.'),
    until: z.iso.datetime().optional().describe('RFC 3339.'),
    by: z.string().optional().describe('The user who requested it.'),
    result: z.enum(['Succeeded', 'Failed', 'Stalled', 'Progressing', 'Waiting', 'Drifted', 'Deleted']).optional(),
    ...pageTerms,
    limit: z.number().int().min(1).max(50).default(10),
  }),
  output: z.looseObject({ items: z.array(item), continue: continueTerm }),
  run: async ({ kind, limit, continue: from, ...terms }, { api, signal }) => {
    const ofKind = kind === undefined ? {} : { kind: kindNamed(kind).kind }
    const page = await readRuns(api, { ...terms, ...ofKind }, { limit, continue: from }, signal)
    return { summary: `${page.items.length} Runs${page.continue ? ', and more' : ''}.`, data: { ...page } }
  },
})

const listSources = tool({
  name: 'list_sources',
  title: 'List sources',
  description:
    'GitRepositories, OCIRepositories, Buckets, HelmRepositories, HelmCharts and ExternalArtifacts with state and revision.',
  input: z.object({
    namespace: namespaceTerm,
    search: z.string().optional().describe('A part of `Kind/namespace/name`.'),
  }),
  output: z.looseObject({ total: z.number(), items: z.array(item), refused: z.array(z.string()) }),
  run: async ({ namespace, search = '' }, { api, signal }) => {
    const refused: string[] = []
    const listed = await Promise.all(
      sourceKinds.map(async kind => {
        try {
          return (await listPage(api, kind, { namespace, query: { limit: '500' } }, signal)).items
        } catch (error) {
          if (!(error instanceof ApiFailure) || error.status !== 403) throw error
          refused.push(error.message)
          return []
        }
      }),
    )
    const found = listed
      .flat()
      .map(sourceRow)
      .filter(({ source }) => source.toLowerCase().includes(search.toLowerCase()))
    return {
      summary: `${found.length} sources.`,
      data: { total: found.length, items: found.slice(0, maxSources), refused },
    }
  },
})

const maxSources = 200

const sourceRow = (object: KubernetesObject) => {
  const { kind, metadata, status } = object as KubernetesObject & {
    readonly status?: { readonly artifact?: { readonly revision?: string } }
  }
  const { state, message } = objectStateOf(object)
  return {
    source: `${kind}/${metadata.namespace}/${metadata.name}`,
    state,
    message,
    revision: status?.artifact?.revision,
  }
}

export const objectTools: readonly Tool[] = [why, getObject, tree, listEvents, history, listSources]
