import { shards } from '../../../lib/platform/adapters/aws/table-shape.ts'
import { durations, limits, retries } from './limits.ts'
import type { Recorded } from './recorded.ts'
import type { VirtualTime, Work } from './virtual-time.ts'

/** Where something was refused or had to wait, and since when. */
export interface Met {
  readonly limit: string
  /** Milliseconds since the start. */
  readonly firstAt: number
  /** In how many seconds it was met. */
  seconds: number
  lastAt: number
}

/** Notes each limit when it is met for the first time, and how often it is. */
export const meetings = (time: Pick<VirtualTime, 'now'>) => {
  const met = new Map<string, Met>()
  return {
    note: (limit: string): void => {
      const known = met.get(limit)
      const second = Math.floor(time.now() / 1000)
      if (!known) met.set(limit, { limit, firstAt: time.now(), seconds: 1, lastAt: second })
      else if (known.lastAt !== second) Object.assign(known, { seconds: known.seconds + 1, lastAt: second })
    },
    /** The earliest first. */
    all: (): readonly Met[] => [...met.values()].sort((a, b) => a.firstAt - b.firstAt),
  }
}

export type Meetings = ReturnType<typeof meetings>

/** A bucket of tokens for one second, filled all the time. */
interface Bucket {
  tokens: number
  at: number
}

const take = (bucket: Bucket, perSecond: number, now: number, wanted: number): boolean => {
  bucket.tokens = Math.min(perSecond, bucket.tokens + ((now - bucket.at) / 1000) * perSecond)
  bucket.at = now
  if (bucket.tokens < wanted) return false
  bucket.tokens -= wanted
  return true
}

/** Something that takes so many requests a second, and lets others wait for their turn. */
export const rateLimited = (time: VirtualTime, met: Meetings, name: string, perSecond: number) => {
  const bucket: Bucket = { tokens: perSecond, at: 0 }
  let count = 0
  return {
    *request(ms: number): Work {
      count += 1
      while (!take(bucket, perSecond, time.now(), 1)) {
        met.note(name)
        yield 50 + 100 * time.random()
      }
      yield ms
    },
    count: () => count,
  }
}

/** Thrown by work whose request was refused as often as the SDK asks. */
export class Throttled extends Error {}

/** A round of a recorded piece, for an object of its own: what is spread over partitions lies elsewhere each time. */
export type Replay = readonly ReplayedRequest[]

interface ReplayedRequest {
  /** One of them at a time; none for an item that is a partition of its own, and meets nobody. */
  readonly partitions: readonly string[]
  readonly inIndex: boolean
  readonly read: number
  /** Of the table, and of the index. */
  readonly write: number
  readonly indexWrite: number
}

const spread = /^(head|change|due)#(?!GitRepository)/

const spreadOver = (partition: string, count: number): readonly string[] => {
  if (partition.startsWith('lease#')) return []
  if (!spread.test(partition)) return [partition]
  const base = partition.slice(0, partition.lastIndexOf('#'))
  return Array.from({ length: count }, (_, shard) => `${base}#${shard}`)
}

export const replayOf = ({ rounds }: Recorded): readonly Replay[] =>
  rounds.map(round =>
    round.map(({ partition, read, write, inIndex }) => ({
      partitions: spreadOver(partition, shards.objects),
      ...{ inIndex: inIndex !== undefined, read },
      ...{ write: write - (inIndex?.write ?? 0), indexWrite: inIndex?.write ?? 0 },
    })),
  )

/**
 * The table and its index by partition: each key is one partition, which is the worst that DynamoDB does (it may split a busy one by its
 * sort keys). A request that does not fit is refused, and repeated as the SDK does.
 */
export const partitions = (time: VirtualTime, met: Meetings) => {
  const buckets = new Map<string, { readonly write: Bucket; readonly read: Bucket }>()
  const units = { read: 0, write: 0 }
  const dueIndex = Array.from({ length: shards.due }, (_, shard) => `due#${shard}`)
  const bucketsOf = (name: string) => {
    let known = buckets.get(name)
    if (!known) {
      const at = time.now()
      known = { write: { tokens: limits.partition.write, at }, read: { tokens: limits.partition.read, at } }
      buckets.set(name, known)
    }
    return known
  }
  const takes = (partition: string, write: number, read: number): boolean => {
    const own = bucketsOf(partition)
    if (write > 0 && !take(own.write, limits.partition.write, time.now(), write)) return false
    return read === 0 || take(own.read, limits.partition.read, time.now(), read)
  }
  const oneOf = (names: readonly string[]) => names[Math.floor(time.random() * names.length)]!

  /** Undefined when the request was taken, else the partition that refused it. */
  const refusedBy = ({ partitions: names, inIndex, read, write, indexWrite }: ReplayedRequest): string | undefined => {
    // DynamoDB refuses a write to the table while the index takes no more.
    const due = inIndex ? oneOf(dueIndex) : undefined
    if (due !== undefined && !takes(due, indexWrite, 0)) return due
    if (names.length === 0) return undefined
    const partition = oneOf(names)
    return takes(partition, write, read) ? undefined : partition
  }

  return {
    units,
    /** The requests of a round, side by side. Fails with Throttled. */
    *round(requests: Replay): Work {
      let open = requests
      for (let attempt = 1; ; attempt++) {
        const refused: ReplayedRequest[] = []
        for (const request of open) {
          const by = refusedBy(request)
          if (by !== undefined) met.note(`${request.write > 0 ? 'writes' : 'reads'} of a partition: ${sortOf(by)}`)
          if (by !== undefined) refused.push(request)
          else {
            units.read += request.read
            units.write += request.write + request.indexWrite
          }
        }
        yield durations.table * Math.ceil(open.length / socketsAtOnce)
        if (refused.length === 0) return
        if (attempt === retries.attempts) throw new Throttled()
        yield time.random() * retries.baseMs * 2 ** attempt
        open = refused
      }
    },
  }
}

/** Of a client: see aws-clients.ts. */
const socketsAtOnce = 200

/** `head#Kustomization.kustomize.toolkit.fluxcd.io#3` is one of the partitions `head#Kustomization`. */
const sortOf = (partition: string): string => partition.split(/[.]/)[0]!.replace(/#\d+$/, '')
