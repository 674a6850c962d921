/**
 * The hub's one DynamoDB table, as the adapters use it and as infra/ makes it. Point-in-time recovery and capacity are
 * infra's choice; what is here must match, or nothing is found.
 */
export const tableShape = {
  partitionKey: 'pk',
  sortKey: 'sk',
  /** Seconds since the epoch, after which DynamoDB may delete an item. Nothing relies on when it does. */
  ttl: 'ttl',
  indexes: [
    /** Objects with a due time, by shard and time. A tick reads no objects: `grp` is what its messages need besides. */
    { name: 'due', partitionKey: 'duePk', sortKey: 'dueSk', projected: ['grp'] },
  ],
} as const

/**
 * Over how many partition keys a collection's objects, a collection's change log, and the due index are spread: DynamoDB
 * takes 1000 write units a second on each. Another figure means that things are looked for elsewhere: it needs a migration.
 */
export const shards = { objects: 8, log: 8, due: 8 } as const

/** The partitions of a collection, as item-keys.ts makes them, and as policies name them (`*` is any text); so may be the collection: `*.source.toolkit.fluxcd.io`. */
export const partitionsOf = (collection: string) => ({
  heads: `head#${collection}#*`,
  changes: `change#${collection}#*`,
  versions: `versions#${collection}`,
})

/** Those that collections share. */
export const sharedPartitions = { format: 'format', referrers: 'referrers#*', overflow: 'overflow' } as const
