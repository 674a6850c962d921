import { number, numberOf, type Table, text } from './table.ts'

/**
 * How the table is written. A release that writes what an older one would misread raises it; one that adds what an older one passes over
 * does not. Format 2: states are compressed with a dictionary (state-dictionary.ts). Format 3: what is sealed has a
 * data key of its scope (envelope-keys.ts).
 */
export const tableFormat = 3

const key = { pk: 'format', sk: '-' }

/** The table was written by a newer release than this one. */
export class NewerFormat extends Error {
  constructor(found: number, known: number) {
    super(
      `the table has format ${found}, and this release knows ${known} at most: deploy the newer release again, ` +
        'or a table that was restored to a time before it (docs/operations.md, Restore)',
    )
    this.name = 'NewerFormat'
  }
}

/**
 * The table for a release that knows a format: before the first operation of a process it looks which one the table has, and notes its own
 * where there is none or an older one. Every operation fails with NewerFormat once the table is too new.
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
  /** One that failed for another reason is asked for again. */
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
