import type { StatementSync } from 'node:sqlite'
import type { Clock } from '../../ports/clock.ts'
import type { RunPlace, RunRecord, RunStore } from '../../ports/runs.ts'
import type { Database } from './database.ts'
import type { Writer } from './group-commit.ts'

/** Limits for the runs of one namespace, and for all of them: beyond these the oldest are deleted. */
export interface RunBounds {
  readonly perNamespace: { readonly runs: number; readonly bytes: number }
  readonly bytes: number
}

const megabyte = 1024 * 1024

const defaultRunBounds: RunBounds = {
  perNamespace: { runs: 20_000, bytes: 64 * megabyte },
  bytes: 512 * megabyte,
}

/**
 * Maximum number of records that a write deletes, both of expired ones and of those beyond a limit: one write adds one.
 */
const deletedAtOnce = 20
/** How long a sweep that left no expired run is followed by none, in milliseconds. */
const sweepMs = 60_000

interface Size {
  readonly runs: number
  readonly bytes: number
}

/** Runs in a table of the hub's database. */
export const sqliteRuns = (
  { sql }: Database,
  writer: Writer,
  clock: Pick<Clock, 'now'>,
  bounds: RunBounds = defaultRunBounds,
): RunStore => {
  const put = sql.prepare(
    'INSERT OR REPLACE INTO runs (namespace, started, name, unit, alike, repeats, repeated, expires, body, facts) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
  )
  const at = 'namespace = :namespace AND started = :started AND name = :name'
  const get = sql.prepare(`SELECT * FROM runs WHERE ${at} AND expires > :now`)
  const repeat = sql.prepare(`UPDATE runs SET repeats = repeats + 1, repeated = :repeated WHERE ${at}`)
  const paging = (where: string) =>
    sql.prepare(
      `SELECT * FROM runs WHERE namespace = :namespace AND ${where} started >= :since AND (started, name) < (:started, :name)
         AND expires > :now ORDER BY started DESC, name DESC LIMIT :limit`,
    )
  const pages = { all: paging(''), ofUnit: paging('unit = :unit AND') }
  /** Finds runs with so many facts in an index that has no bodies. */
  const withFacts = Array.from({ length: maxFacts }, (_, more) =>
    sql.prepare(`
      SELECT r.* FROM (
        SELECT namespace, started, name FROM runs INDEXED BY runs_facts
        WHERE namespace = :namespace AND started >= :since AND (started, name) < (:started, :name) AND expires > :now
          AND (facts = '' OR (${Array.from({ length: more + 1 }, (_, at) => `instr(facts, :fact${at})`).join(' AND ')}))
        ORDER BY started DESC, name DESC LIMIT :limit) JOIN runs r USING (namespace, started, name)
      ORDER BY started DESC, name DESC`),
  )
  const sizeOf = sql.prepare(
    'SELECT count(*) AS runs, coalesce(sum(octet_length(body)), 0) AS bytes FROM runs WHERE namespace = ?',
  )
  const sizeOfAll = sql.prepare('SELECT count(*) AS runs, coalesce(sum(octet_length(body)), 0) AS bytes FROM runs')
  const place = 'namespace, started, name'
  const dropped = 'RETURNING namespace, octet_length(body) AS bytes'
  const dropExpired = sql.prepare(
    `DELETE FROM runs WHERE (${place}) IN (SELECT ${place} FROM runs WHERE expires <= ? LIMIT ${deletedAtOnce}) ${dropped}`,
  )
  const dropOldestOf = sql.prepare(
    `DELETE FROM runs WHERE (${place}) IN (SELECT ${place} FROM runs WHERE namespace = ? ORDER BY started LIMIT 1) ${dropped}`,
  )
  const dropOldest = sql.prepare(
    `DELETE FROM runs WHERE (${place}) IN (SELECT ${place} FROM runs ORDER BY started LIMIT 1) ${dropped}`,
  )

  /** Counted when first needed, and kept up to date: by namespace, and '' for all. */
  const sizes = new Map<string, Size>()
  writer.onRollback(() => sizes.clear())
  const sizeIn = (namespace: string): Size => {
    const known = sizes.get(namespace)
    if (known) return known
    const counted = (namespace === '' ? sizeOfAll.get() : sizeOf.get(namespace)) as unknown as Size
    sizes.set(namespace, { ...counted })
    return counted
  }
  const count = (namespace: string, runs: number, bytes: number): void => {
    for (const scope of [namespace, '']) {
      const known = sizes.get(scope)
      if (known) sizes.set(scope, { runs: known.runs + runs, bytes: known.bytes + bytes })
    }
  }
  const drop = (rows: readonly unknown[]): boolean => {
    for (const { namespace, bytes } of rows as readonly { namespace: string; bytes: number }[])
      count(namespace, -1, -bytes)
    return rows.length > 0
  }

  let sweptAt = Number.NEGATIVE_INFINITY
  const sweep = (): void => {
    const now = clock.now()
    if (now - sweptAt < sweepMs) return
    const expired = dropExpired.all(now)
    drop(expired)
    if (expired.length < deletedAtOnce) sweptAt = now
  }

  const makeRoom = (namespace: string): void => {
    sweep()
    const { perNamespace } = bounds
    const isFull = () => sizeIn(namespace).runs > perNamespace.runs || sizeIn(namespace).bytes > perNamespace.bytes
    for (let left = deletedAtOnce; left > 0 && isFull(); left--) if (!drop(dropOldestOf.all(namespace))) break
    for (let left = deletedAtOnce; left > 0 && sizeIn('').bytes > bounds.bytes; left--)
      if (!drop(dropOldest.all())) break
  }

  const store = (record: RunRecord): Promise<void> =>
    writer.write(() => {
      const { namespace, startedAt, name, unit, alike, repeats, repeatedAt, expires, body, facts } = record
      const known = get.get({ ...keyOf(record), now: 0 }) as unknown as Row | undefined
      put.run(namespace, startedAt, name, unit, alike ?? null, repeats, repeatedAt ?? null, expires, body, facts)
      count(namespace, known ? 0 : 1, body.length - (known?.body.length ?? 0))
      makeRoom(namespace)
    })

  return {
    add: store,
    replace: store,
    repeat: async (run, repeated) => {
      await writer.write(() => repeat.run({ ...keyOf(run), repeated }))
    },
    get: async run =>
      writer.read(() => {
        const row = get.get({ ...keyOf(run), now: clock.now() })
        return row && recordOf(row as unknown as Row)
      }),
    page: async ({ namespace, unit, facts = [], before = last, since = 0, limit }) =>
      writer.read(() => {
        const query = { namespace, since, started: before.startedAt, name: before.name, now: clock.now(), limit }
        const known = facts.slice(0, maxFacts)
        const terms = Object.fromEntries(known.map((fact, at) => [`fact${at}`, fact]))
        if (unit !== undefined) return read(pages.ofUnit, { ...query, unit })
        return known.length > 0 ? read(withFacts[known.length - 1]!, { ...query, ...terms }) : read(pages.all, query)
      }),
  }
}

const read = (statement: StatementSync, query: Parameters<StatementSync['all']>[0]): readonly RunRecord[] =>
  (statement.all(query) as unknown as Row[]).map(recordOf)

/** Further ones are left to the caller, who checks each result. */
const maxFacts = 5

const last = { startedAt: Number.MAX_SAFE_INTEGER, name: '' }

interface Row {
  readonly namespace: string
  readonly started: number
  readonly name: string
  readonly unit: string
  readonly alike: string | null
  readonly repeats: number
  readonly repeated: number | null
  readonly expires: number
  readonly body: Uint8Array
  readonly facts: string
}

const keyOf = ({ namespace, startedAt, name }: RunPlace) => ({ namespace, started: startedAt, name })

const recordOf = ({
  namespace,
  started,
  name,
  unit,
  alike,
  repeats,
  repeated,
  expires,
  body,
  facts,
}: Row): RunRecord => ({
  ...{ namespace, startedAt: started, name, unit, body, facts, repeats, expires },
  ...(alike !== null && { alike }),
  ...(repeated !== null && { repeatedAt: repeated }),
})
