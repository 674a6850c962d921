import { groupOf } from '../../foundations/kinds/object.ts'
import type { Session } from '../../hub/runners/session.ts'
import { runCodec } from '../../hub/runs/run-codec.ts'
import { ApiError } from '../../hub/store/hub.ts'
import type { Keys } from '../../platform/ports/keys.ts'
import type { Log } from '../../platform/ports/log.ts'
import { type ObjectStore, type StoredObject, StoreError } from '../../platform/ports/objects.ts'
import type { RunPlace, RunStore } from '../../platform/ports/runs.ts'

export interface ReportedRunPorts {
  readonly runs: RunStore
  readonly objects: Pick<ObjectStore, 'get' | 'list' | 'commit'>
  readonly keys: Keys
  readonly session: Pick<Session, 'run'>
  readonly log: Pick<Log, 'error'>
}

/** Runs of a runner: stored here, and handed to the hub. */
export interface ReportedRuns extends RunStore {
  /** Hands over what the hub does not have: Runs of earlier processes, and of times without a hub. Fails if the hub does not take them now. */
  handOver(): Promise<void>
}

/** Not a kind of the API: the Runs that the hub does not have as they are here. Written before the Run is, so that none is forgotten. */
const unsent = { group: 'unsent.runner', kind: 'Run' }

/** The Runs in a runner's own store. One is marked as unsent before it is stored, and is handed to the hub at once if that responds. */
export const reportedRuns = (ports: ReportedRunPorts): ReportedRuns => {
  const { runs, objects, session, log } = ports
  const codec = runCodec(ports.keys)
  let isComplete = false
  /** Those that are marked already, but not stored yet. */
  const storing = new Set<string>()

  const mark = async ({ namespace, name, startedAt }: RunPlace): Promise<void> => {
    const ref = { ...unsent, namespace, name }
    const record = { ref, body: JSON.stringify({ startedAt }), refersTo: [] }
    const known = await objects.get(ref)
    await objects.commit(known ? { op: 'update', expect: known.version, ...record } : { op: 'create', ...record })
  }

  /** What has changed while it was sent stays marked. */
  const unmark = async ({ ref, version: expect, body }: StoredObject): Promise<void> => {
    await objects.commit({ op: 'delete', ref, expect, body }).catch(error => {
      if (!(error instanceof StoreError && (error.code === 'conflict' || error.code === 'missing'))) throw error
      isComplete = false
    })
  }

  const send = async (marked: StoredObject): Promise<void> => {
    const { namespace, name } = marked.ref
    const { startedAt } = JSON.parse(marked.body) as Pick<RunPlace, 'startedAt'>
    const place = { namespace, name, startedAt }
    const record = await runs.get(place)
    if (record) {
      const content = await codec.decode(record, record.body)
      const { kind, apiVersion, uid = '', name: unit } = content.unit
      const { alike, repeats, repeatedAt } = record
      const ref = { group: groupOf(apiVersion), kind, namespace, name: unit }
      const counted = {
        repeats,
        ...(repeatedAt !== undefined && { repeatedAt }),
        ...(alike !== undefined && { alike }),
      }
      await session.run({ ref, uid, startedAt, content, ...counted }).catch(error => {
        // It will never take it: the unit is another cluster's now, for instance.
        if (!(error instanceof ApiError && refused.has(error.code))) throw error
        log.error('the hub does not take a Run', { namespace, run: name, error })
      })
    }
    await unmark(marked)
  }

  const sendAll = async (): Promise<void> => {
    if (isComplete) return
    isComplete = true
    try {
      for (let from: string | undefined, isFirst = true; isFirst || from !== undefined; isFirst = false) {
        const page = await objects.list({ ...unsent, ...(from !== undefined && { continue: from }) })
        for (const marked of page.items) if (!storing.has(keyOf(marked.ref))) await send(marked)
        from = page.continue
      }
    } catch (error) {
      isComplete = false
      throw error
    }
  }

  let last: Promise<unknown> = Promise.resolve()
  const handOver = (): Promise<void> => {
    const next = last.then(sendAll)
    last = next.catch(() => {})
    return next
  }

  /** A hub that is away gets it later. */
  const stored = async (place: RunPlace, store: () => Promise<void>): Promise<void> => {
    const key = keyOf(place)
    storing.add(key)
    try {
      await mark(place)
      await store()
    } finally {
      storing.delete(key)
      isComplete = false
    }
    await handOver().catch(error => log.error('a Run is handed over later', { run: place.name, error }))
  }

  return {
    ...runs,
    add: (record, keys) => stored(record, () => runs.add(record, keys)),
    replace: (record, moreKeys) => stored(record, () => runs.replace(record, moreKeys)),
    repeat: (place, at) => stored(place, () => runs.repeat(place, at)),
    handOver,
  }
}

const keyOf = ({ namespace, name }: Pick<RunPlace, 'namespace' | 'name'>): string => `${namespace}/${name}`

/** Statuses of a hub that will never take it. */
const refused: ReadonlySet<number> = new Set([400, 404, 413, 422])
