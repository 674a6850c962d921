import { describeListings } from './objects/listings.ts'
import { describeRecords } from './objects/records.ts'
import { describeWatches } from './objects/watches.ts'
import type { OpenStoreWorld } from './store-world.ts'

/** What every object store must do. */
export function describeObjectStore(name: string, open: OpenStoreWorld): void {
  describeRecords(name, open)
  describeListings(name, open)
  describeWatches(name, open)
}
