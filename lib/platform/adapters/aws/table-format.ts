import { number, numberOf, type Table, text } from './table.ts'

/**
 * The format of the table. A release increments it if an older release would misread what it writes, but not for additions that older ones ignore.
 * Format 2: states are compressed with a dictionary (state-dictionary.ts). Format 3: sealed data uses data keys of its scope (envelope-keys.ts).
 */
export const tableFormat = 3

const key = { pk: 'format', sk: '-' }

/** A newer release has written the table. */
export class NewerFormat extends Error {
  constructor(found: number, known: number) {
    super(
      `the table has format ${found}, but this release supports at most ${known}: deploy the newer release again, ` +
        'or a table that was restored to a time before it (docs/operations.md, Restore)',
    )
    this.name = 'NewerFormat'
  }
}

/**
 * The table for a release that supports a format. Before its first operation it checks the table's format, and records its own if there is none or
 * an older one. All operations fail with NewerFormat if the table's is newer.
 */
export const ofFormat = (table: Table, known = tableFormat): Table => {
  let checked: Promise<void> | undefined
  const check = async (): Promise<void> => {
    const found = await table.get(key)
    const format = (found && numberOf(found, 'format')) ?? 0
    if (format > known) throw new NewerFormat(format, known)
    if (format === known) return
    const item = { pk: text(key.pk), sk: text(key.sk), format: number(known) }
    const isFirst = await table.put(item, {
      condition: 'attribute_not_exists(#format) OR #format < :format',
      values: { ':format': number(known) },
    })
    if (!isFirst) await check()
  }
  /** A check that failed for another reason is repeated. */
  const ready = (): Promise<void> => {
    checked ??= check().catch(error => {
      if (!(error instanceof NewerFormat)) checked = undefined
      throw error
    })
    return checked
  }
  return {
    get: async wanted => {
      await ready()
      return table.get(wanted)
    },
    put: async (item, expression) => {
      await ready()
      return table.put(item, expression)
    },
    update: async update => {
      await ready()
      return table.update(update)
    },
    updateFrom: async update => {
      await ready()
      return table.updateFrom(update)
    },
    remove: async wanted => {
      await ready()
      return table.remove(wanted)
    },
    async *query(query) {
      await ready()
      yield* table.query(query)
    },
    transact: async steps => {
      await ready()
      return table.transact(steps)
    },
  }
}
