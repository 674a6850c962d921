import type { RecordedRequest } from '../../bed/recording-proxy.ts'
import { type Shape, shapeOf, withoutDuplicates } from './shape.ts'

/** What one command, or one walk through a program, asked of the API server, and what of the answers it relies on. */
export interface Conversation {
  readonly command: string
  readonly version: string
  readonly exchanges: readonly Exchange[]
}

export interface Exchange {
  readonly method: string
  readonly path: string
  /** The request's headers that steer the answer. */
  readonly accept: string
  readonly contentType?: string
  /** `<now>` stands for the time at which the command was given. In base64 if it is protobuf. */
  readonly body?: string
  readonly status: number
  readonly answerType: string
  /** Absent for answers that are not JSON, and for watches. */
  readonly answer?: Shape
  /** What a watch reported. */
  readonly events?: readonly Shape[]
}

export const protobuf = 'application/vnd.kubernetes.protobuf'

/** The time that a command puts into `requestedAt`: RFC 3339 with nanoseconds. */
const requestTime = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{4,9}Z/g

/** Reduces what went through the proxy: polls to their last answer, answers to their shape, the times sent to `<now>`. */
export function exchangesOf(requests: readonly RecordedRequest[]): Exchange[] {
  const seen = exchangeOfEach(requests)
  return seen.filter((exchange, i) => exchange.method !== 'GET' || !isSameQuestion(exchange, seen[i + 1]))
}

/**
 * The same of a program that polls many things at a time, and watches: what it asked for, each once, in the order in which it began to. What a
 * patch returns has no status: how far the reconcile of the patch before it is depends on how long somebody waited.
 */
export const distinctExchangesOf = (requests: readonly RecordedRequest[]): Exchange[] => {
  const seen = exchangeOfEach(requests.toSorted((one, other) => one.arrival - other.arrival))
  return seen
    .filter(
      (exchange, i) => exchange.method !== 'GET' || !seen.slice(0, i).some(other => isSameQuestion(exchange, other)),
    )
    .map(exchange => {
      const { method, answer, events } = exchange
      if (events) {
        const all = seen.filter(other => isSameQuestion(exchange, other)).flatMap(({ events = [] }) => events)
        return { ...exchange, events: withoutDuplicates(all) }
      }
      return method === 'PATCH' && answer ? { ...exchange, answer: withoutStatus(answer) } : exchange
    })
}

const withoutStatus = (answer: Shape): Shape => {
  const { status, ...object } = answer as { readonly [key: string]: Shape }
  return object
}

const exchangeOfEach = (requests: readonly RecordedRequest[]): Exchange[] => {
  const sent = requests.flatMap(request => request.body.toString().match(requestTime) ?? [])
  const masked = (text: string) => sent.reduce((all, time) => all.replaceAll(time, '<now>'), text)
  return requests.map(({ method, path, headers, body, status, contentType, answer }) => {
    const answerType = contentType.split(';')[0]!
    return {
      method,
      path: maskedPath(path),
      accept: headers.accept ?? '*/*',
      ...(headers['content-type'] && { contentType: headers['content-type'] }),
      ...(body.length > 0 && {
        body: headers['content-type'] === protobuf ? body.toString('base64') : masked(body.toString()),
      }),
      status,
      answerType,
      ...(isWatch(path) ? { events: eventsIn(answer) } : shapeOfJson(answerType, masked(answer))),
    }
  })
}

const shapeOfJson = (type: string, answer: string): Pick<Exchange, 'answer'> =>
  type === 'application/json' ? { answer: shapeOf(JSON.parse(answer)) } : {}

const isWatch = (path: string): boolean => /[?&]watch=true\b/.test(path)

/** Where a watch continues is said by the list before it, and how long it lasts by chance. */
const maskedPath = (path: string): string =>
  isWatch(path)
    ? path
        .replace(/\bresourceVersion=\d+/, `resourceVersion=${listed}`)
        .replace(/\btimeoutSeconds=\d+/, 'timeoutSeconds=300')
    : path

/** Stands for the version of the last list of the same. */
export const listed = '<listed>'

/**
 * Which objects changed how: the states on the way to one differ from run to run, and whether a repeated Event is counted or created depends on
 * its message.
 */
const eventsIn = (answer: string): readonly Shape[] => {
  const events = answer
    .split('\n')
    .filter(Boolean)
    .map(line => JSON.parse(line) as WatchEvent)
    .filter(({ type, object }) => object.kind !== 'Event' || type === 'ADDED')
  return withoutDuplicates(
    events.map(({ type, object: { apiVersion, kind, metadata, spec } }) =>
      shapeOf({
        type,
        object: {
          ...{ apiVersion, kind },
          metadata: picked(metadata),
          ...(spec?.suspend !== undefined && { spec: { suspend: spec.suspend } }),
        },
      }),
    ),
  )
}

const picked = ({ name, namespace, resourceVersion }: WatchEvent['object']['metadata']) => ({
  ...(name !== undefined && { name }),
  ...(namespace !== undefined && { namespace }),
  resourceVersion,
})

interface WatchEvent {
  readonly type: string
  readonly object: {
    readonly apiVersion: string
    readonly kind: string
    readonly metadata: { readonly name?: string; readonly namespace?: string; readonly resourceVersion: string }
    readonly spec?: { readonly suspend?: boolean }
  }
}

/** How long the client waits changes no answer. */
const questionOf = ({ method, path, accept }: Exchange): string =>
  [method, path.replace(/[?&]timeout=\w+$/, ''), accept].join(' ')

const isSameQuestion = (one: Exchange, other: Exchange | undefined) => other && questionOf(one) === questionOf(other)
