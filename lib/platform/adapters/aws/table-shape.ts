/**
 * The hub's only DynamoDB table, as the adapters use it and infra/ creates it. Point-in-time recovery and capacity are infra's settings; what is
 * here must match, or items are not found.
 */
export const tableShape = {
  partitionKey: 'pk',
  sortKey: 'sk',
  /** Seconds since the epoch after which DynamoDB may delete an item. Nothing depends on when it does. */
  ttl: 'ttl',
  indexes: [
    /** Objects with a due time, by shard and time. `grp` is projected because a tick's messages need it, and a tick reads no objects. */
    { name: 'due', partitionKey: 'duePk', sortKey: 'dueSk', projected: ['grp'] },
  ],
} as const

/**
 * The number of partition keys over which a collection's objects, its change log, and the due index are spread: DynamoDB allows 1,000 write units a
 * second on each. Other numbers would need a migration, since items would have other keys.
 */
export const shards = { objects: 8, log: 8, due: 8 } as const

/**
 * The partitions of a collection, as item-keys.ts makes them, in the form of policies. `*` matches any text, also in the collection:
 * `*.source.toolkit.fluxcd.io`.
 */
export const partitionsOf = (collection: string) => ({
  heads: `head#${collection}#*`,
  changes: `change#${collection}#*`,
  versions: `versions#${collection}`,
})

/** Partitions that collections share. */
export const sharedPartitions = { format: 'format', referrers: 'referrers#*', overflow: 'overflow' } as const

/** The partitions of deliveries; each ends with the UID of a Receiver. */
export const deliveryPartitions = {
  records: 'deliveries#',
  payloads: 'delivery-payloads#',
  requests: 'processed-requests#',
} as const

/** One check at rest in so many is recorded in the sums of usage: a thirty-second of a write unit for each. */
export const checksPerRecord = 32
