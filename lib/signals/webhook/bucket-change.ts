import type { Bucket } from '../../foundations/kinds/bucket.ts'
import { isSuspended } from '../../foundations/kinds/flux.ts'
import { refOf } from '../../foundations/kinds/object.ts'
import type { Hub } from '../../hub/store/hub.ts'
import type { Clock } from '../../platform/ports/clock.ts'
import type { Log } from '../../platform/ports/log.ts'
import type { Queue } from '../../platform/ports/queue.ts'
import type { Schedule } from '../../platform/ports/schedule.ts'

/** An object that was written to, or deleted from, a bucket of Amazon S3. */
export interface BucketChange {
  readonly bucketName: string
  readonly key: string
}

interface BucketChangePorts {
  readonly hub: Pick<Hub, 'list'>
  readonly schedule: Schedule
  readonly queue: Queue
  readonly clock: Pick<Clock, 'now'>
  readonly log: Log
}

const page = 500

/**
 * Changes within this window cause one pass, as an upload of a thousand objects sends a thousand events. Also the
 * maximum delay of the first one.
 */
const batchWindowMs = 10_000
/** Minimum delay: the listing must include the last change, and EventBridge may deliver late. */
const minDelayMs = 2_000

/**
 * Sets the due time of the Buckets that read the changed object: those with the same bucket at Amazon S3, and with a
 * matching prefix. Returns their number. Sets no reconcile request, as changes are frequent; if the message is lost,
 * the due time remains.
 */
export const reconcileBuckets = async (
  { hub, schedule, queue, clock, log }: BucketChangePorts,
  change: BucketChange,
): Promise<number> => {
  const due = Math.ceil((clock.now() + minDelayMs) / batchWindowMs) * batchWindowMs
  let triggered = 0
  for (let next: string | undefined, isFirst = true; isFirst || next !== undefined; isFirst = false) {
    const query = { group: 'source.toolkit.fluxcd.io', kind: 'Bucket', limit: page, continue: next }
    const { items, continue: more } = await hub.list<Bucket>(query)
    const readers = items.filter(object => !isSuspended(object) && reads(object, change)).map(refOf)
    for (const ref of readers) await schedule.setDue(ref, due, { dueSeen: due })
    await queue.send(
      readers.map(ref => ({ stage: 'source' as const, ref, dueAt: due, delayMs: Math.max(0, due - clock.now()) })),
    )
    triggered += readers.length
    next = more
  }
  log.info('change of a bucket received', { ...change, triggered })
  return triggered
}

const reads = ({ spec }: Bucket, { bucketName, key }: BucketChange): boolean =>
  spec.bucketName === bucketName && isAmazonS3(spec.endpoint) && key.startsWith(spec.prefix ?? '')

/** `s3.amazonaws.com`, `s3.eu-west-1.amazonaws.com`, `s3.dualstack.…`, `s3-fips.…`, and the domain of China. */
const isAmazonS3 = (endpoint: string): boolean =>
  /^(https?:\/\/)?s3(-fips)?(\.dualstack)?([.-][a-z0-9-]+)?\.amazonaws\.com(\.cn)?(:443)?\/?$/i.test(endpoint)
